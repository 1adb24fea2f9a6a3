package command

import (
	"bytes"
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
			"the copy. The server may run and goes on meanwhile. platen restore puts a copy back.\n\n" +
			"PostgreSQL is backed up with its own tools.",
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := databaseOf(cmd, c); err != nil {
				return err
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
			return copyKey(cmd.OutOrStdout(), c.Database+keySuffix, args[0]+keySuffix, key, false)
		},
	}
	cmd.Flags().StringVar(&c.Database, "database", c.Database, "The SQLite file.")
	cmd.Flags().BoolVar(&key, "key", false, "Copy the secret key beside it too: both together open what is encrypted.")
	return cmd
}

func restoreCommand() *cobra.Command {
	c := config.Default()
	var replace bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a copy of a database back",
		Long: "Check a copy that platen backup has made, and put it in the place of the database of a\n" +
			"server, which must be stopped. A key file beside the copy comes along.\n\n" +
			"PostgreSQL is restored with its own tools.",
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := databaseOf(cmd, c); err != nil {
				return err
			}
			restored, err := server.Restore(cmd.Context(), c, args[0], replace)
			switch {
			case errors.Is(err, server.ErrNoFile):
				return cli.UsageError{Err: err}
			case errors.Is(err, fs.ErrExist):
				return fmt.Errorf("%w: --replace puts the copy in its place", err)
			case err != nil:
				return err //nolint:wrapcheck // the error names the failed step
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s has %d sandboxes with %d commits, %d bytes, checked\n",
				c.Database, restored.Sandboxes, restored.Commits, restored.Bytes)
			return copyKey(cmd.OutOrStdout(), args[0]+keySuffix, c.Database+keySuffix, true, replace)
		},
	}
	cmd.Flags().StringVar(&c.Database, "database", c.Database, "The SQLite file.")
	cmd.Flags().BoolVar(&replace, "replace", false, "Put it in the place of a database, and of a key, that are there.")
	return cmd
}

// keySuffix names the file of the secret key, beside the database.
const keySuffix = ".key"

func oneFile(cmd *cobra.Command, args []string) error {
	if err := cobra.ExactArgs(1)(cmd, args); err != nil {
		return cli.UsageError{Err: err}
	}
	return nil
}

// databaseOf lets the environment name the database, unless the flag does.
func databaseOf(cmd *cobra.Command, c *config.Config) error {
	database := cmd.Flag("database").Value.String()
	if err := c.Environment(); err != nil {
		return cli.UsageError{Err: err}
	}
	if cmd.Flag("database").Changed {
		c.Database = database
	}
	return checkDatabaseName(c)
}

// checkDatabaseName refuses a flag or variable that names no database of Platen.
func checkDatabaseName(c *config.Config) error {
	if err := c.CheckDatabase(); err != nil {
		return cli.UsageError{Err: err}
	}
	return nil
}

// copyKey copies the file of the secret key, or notes that it was not wanted. It
// takes the place of another one only when replace is set.
func copyKey(out io.Writer, from, to string, wanted, replace bool) error {
	b, err := os.ReadFile(from) //nolint:gosec // the operator names the files
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the operator has set it, or keeps it elsewhere
	case err != nil:
		return fmt.Errorf("read the secret key: %w", err)
	case !wanted:
		fmt.Fprintf(out, "the secret key is not in it: keep a copy of %s in another place\n", from)
		return nil
	}
	there, err := os.ReadFile(to) //nolint:gosec // the operator names the files
	if err == nil && bytes.Equal(there, b) {
		return nil
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if replace {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(to, flags, 0o600) //nolint:gosec // the operator names the files
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
