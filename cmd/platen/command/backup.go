package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

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
		Short: "Back up a server's database, even while it runs",
		Long: "Copy the database of a server into a new file, consistent at one moment, and verify the\n" +
			"copy. The server can keep running. Restore the copy with platen restore.\n\n" +
			"Back up PostgreSQL with its own tools.",
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
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s has %d sandboxes with %d commits, %d bytes, checked\n",
				args[0], backed.Sandboxes, backed.Commits, backed.Bytes)
			if key {
				return copyKey(out, c.Database, args[0])
			}
			if file, there := server.FindKey(c.Database); there {
				fmt.Fprintf(out, "the backup does not contain the secret key: keep a copy of %s elsewhere\n", file)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&c.Database, "database", c.Database, "The SQLite file.")
	cmd.Flags().BoolVar(&key, "key", false, "Also copy the secret key. The two files together decrypt everything.")
	return cmd
}

func restoreCommand() *cobra.Command {
	c := config.Default()
	var replace bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a database from a backup",
		Long: "Verify a backup from platen backup, and replace a server's database with it. Stop the\n" +
			"server first. A key file next to the backup is restored too.\n\n" +
			"A restore that fails or is killed leaves the old database, with all of its writes, or the\n" +
			"restored one. Run it again to finish it, and to remove its temporary files.\n\n" +
			"Restore PostgreSQL with its own tools.",
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
			noteKey(cmd.OutOrStdout(), restored.Key)
			return nil
		},
	}
	cmd.Flags().StringVar(&c.Database, "database", c.Database, "The SQLite file.")
	cmd.Flags().BoolVar(&replace, "replace", false, "Replace an existing database and key.")
	return cmd
}

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

// copyKey copies the secret key of a database beside a copy of it.
func copyKey(out io.Writer, database, copied string) error {
	file, err := server.CopyKey(database, copied)
	if err != nil {
		return err //nolint:wrapcheck // the error names the failed step
	}
	noteKey(out, file)
	return nil
}

// noteKey names the file that has got a secret key, if one has.
func noteKey(out io.Writer, file string) {
	if file != "" {
		fmt.Fprintf(out, "%s has the secret key\n", file)
	}
}
