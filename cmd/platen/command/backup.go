package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
			fmt.Fprintf(cmd.OutOrStdout(), "%s has %d sandboxes with %d commits, %d bytes, checked\n",
				args[0], backed.Sandboxes, backed.Commits, backed.Bytes)
			return copyKey(cmd.OutOrStdout(), c.Database+keySuffix, args[0]+keySuffix, key)
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
			"Restore PostgreSQL with its own tools.",
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := databaseOf(cmd, c); err != nil {
				return err
			}
			restored, key, err := restore(cmd.Context(), c, args[0], replace)
			switch {
			case errors.Is(err, server.ErrNoFile):
				return cli.UsageError{Err: err}
			case errors.Is(err, fs.ErrExist):
				return fmt.Errorf("%w: --replace puts the copy in its place", err)
			case err != nil:
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s has %d sandboxes with %d commits, %d bytes, checked\n",
				c.Database, restored.Sandboxes, restored.Commits, restored.Bytes)
			return key.place(cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&c.Database, "database", c.Database, "The SQLite file.")
	cmd.Flags().BoolVar(&replace, "replace", false, "Replace an existing database and key.")
	return cmd
}

// restore puts a database back once all that can fail of its key is done.
func restore(ctx context.Context, c *config.Config, from string, replace bool) (server.Backed, *keyCopy, error) {
	if c.Postgres() {
		return server.Backed{}, nil, server.ErrNoFile
	}
	key, err := readyKey(from+keySuffix, c.Database+keySuffix, replace)
	if err != nil {
		return server.Backed{}, nil, err
	}
	restored, err := server.Restore(ctx, c, from, replace)
	if err != nil {
		return server.Backed{}, nil, errors.Join(err, key.discard())
	}
	return restored, key, nil
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

// copyKey copies the file of the secret key, or notes that it was not wanted.
func copyKey(out io.Writer, from, to string, wanted bool) error {
	if !wanted {
		if _, err := os.Stat(from); err == nil {
			fmt.Fprintf(out, "the backup does not contain the secret key: keep a copy of %s elsewhere\n", from)
		}
		return nil
	}
	key, err := readyKey(from, to, false)
	if err != nil {
		return err
	}
	return key.place(out)
}

// keyCopy is a copy of a secret key beside its place. Placing it can hardly fail any more, and a power cut leaves the
// key that was there or the new one.
type keyCopy struct{ ready, to string }

// readyKey copies a key, where there is one and its place has another. It takes the place of another one only when
// replace is set.
func readyKey(from, to string, replace bool) (*keyCopy, error) {
	b, err := os.ReadFile(from) //nolint:gosec // the operator names the files
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the operator has set it, or keeps it elsewhere
	}
	if err != nil {
		return nil, fmt.Errorf("read the secret key: %w", err)
	}
	if target, err := filepath.EvalSymlinks(to); err == nil {
		to = target
	}
	switch there, err := os.ReadFile(to); { //nolint:gosec // the operator names the files
	case err == nil && bytes.Equal(there, b):
		return nil, nil
	case err == nil && !replace:
		return nil, fmt.Errorf("%s is another secret key: %w", to, fs.ErrExist)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("read the secret key that is there: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil { //nolint:gosec // the operator names the files
		return nil, fmt.Errorf("copy the secret key: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".*") // readable by its owner alone
	if err != nil {
		return nil, fmt.Errorf("copy the secret key: %w", err)
	}
	key := &keyCopy{file.Name(), to}
	_, err = file.Write(b)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return nil, fmt.Errorf("copy the secret key: %w", errors.Join(err, key.discard()))
	}
	return key, nil
}

// place puts the copy where it belongs; of no key there is nothing to place.
func (k *keyCopy) place(out io.Writer) error {
	if k == nil {
		return nil
	}
	if err := os.Rename(k.ready, k.to); err != nil { //nolint:gosec // the operator names the files
		return fmt.Errorf("copy the secret key: %w", errors.Join(err, k.discard()))
	}
	fmt.Fprintf(out, "%s has the secret key\n", k.to)
	return nil
}

func (k *keyCopy) discard() error {
	if k == nil {
		return nil
	}
	return os.Remove(k.ready) //nolint:gosec,wrapcheck // our own file, and the caller says what it was doing
}
