package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"platen/internal/cli"
	"platen/internal/config"
	"platen/internal/server"
)

func backupCommand() *cobra.Command {
	c := config.Default()
	var key bool
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the database of a server, also while it runs",
		Long: "Copy the database of a server into a new file, as it stands at one moment, and check\n" +
			"the copy. The server may run and goes on meanwhile. To restore, stop the server, put the\n" +
			"copy in the place of its database, and the key file beside it.\n\n" +
			"PostgreSQL is backed up with its own tools.",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := cobra.ExactArgs(1)(cmd, args); err != nil {
				return cli.UsageError{Err: err}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			database := cmd.Flag("database").Value.String()
			if err := c.Environment(); err != nil {
				return cli.UsageError{Err: err}
			}
			if cmd.Flag("database").Changed {
				c.Database = database
			}
			backed, err := server.Backup(cmd.Context(), c, args[0])
			if errors.Is(err, server.ErrNoFile) {
				return cli.UsageError{Err: err}
			}
			if err != nil {
				return err //nolint:wrapcheck // the error names the failed step
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s has %d sandboxes with %d commits, %d bytes, checked\n",
				args[0], backed.Sandboxes, backed.Commits, backed.Bytes)
			return copyKey(cmd.OutOrStdout(), c, args[0], key)
		},
	}
	cmd.Flags().StringVar(&c.Database, "database", c.Database, "The SQLite file.")
	cmd.Flags().BoolVar(&key, "key", false, "Copy the secret key beside it too: both together open what is encrypted.")
	return cmd
}

// copyKey copies the file of the secret key, or notes that it is missing from
// the copy.
func copyKey(out io.Writer, c *config.Config, to string, wanted bool) error {
	from, to := c.Database+".key", to+".key"
	b, err := os.ReadFile(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the operator has set it
	case err != nil:
		return fmt.Errorf("read the secret key: %w", err)
	case !wanted:
		fmt.Fprintf(out, "the secret key is not in it: keep a copy of %s in another place\n", from)
		return nil
	}
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy the secret key: %w", err)
	}
	_, err = file.Write(b)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("copy the secret key: %w", err)
	}
	fmt.Fprintf(out, "%s has the secret key\n", to)
	return nil
}
