package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
	"platen/internal/config"
	"platen/internal/server"
)

func moveCommand() *cobra.Command {
	from, to := config.Default(), config.Default()
	from.Database, to.Database = "", ""
	var noCheck bool
	cmd := &cobra.Command{
		Use:   "move",
		Short: "Move a database to another engine, while the server is stopped",
		Long: "Copy all sandboxes of a database into an empty one: from a SQLite file to PostgreSQL, or\n" +
			"back. Stop the server first. The command fails if a commit or snapshot differs from its\n" +
			"checksum. It reads each body back and compares it, and leaves the old database unchanged.\n" +
			"The new server needs the secret key of the old one.",
		Example: "  platen move --from data/platen.db --to postgres://platen@db.internal/platen",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, c := range []*config.Config{from, to} {
				if c.Database = strings.TrimPrefix(c.Database, "sqlite:"); c.Database == "" {
					return cli.UsageError{Err: errors.New("both --from and --to must name a database")}
				}
				if err := checkDatabaseName(c); err != nil {
					return err
				}
			}
			if from.Database == to.Database {
				return cli.UsageError{Err: errors.New("--from and --to name the same database")}
			}
			moved, err := server.Move(cmd.Context(), from, to, !noCheck)
			if err != nil {
				return explain(err, "Nothing was moved. --no-check moves the damage too.")
			}
			out, checked := cmd.OutOrStdout(), "compared"
			if noCheck {
				checked = "compared, NOT CHECKED (--no-check)"
			}
			fmt.Fprintf(out, "%s has %d sandboxes with %d commits, and %d records, %s\n",
				to.Place(), moved.Sandboxes, moved.Commits, moved.Records, checked)
			key, there := "", false
			if !from.Postgres() {
				key, there = server.FindKey(from.Database)
			}
			if !there {
				fmt.Fprintln(out, "start the server on it with the secret key that it had")
				return nil
			}
			if to.Postgres() {
				fmt.Fprintf(out, "start the server on it with PLATEN_SECRET_KEY_FILE=%s\n", key)
				return nil
			}
			return copyKey(out, from.Database, to.Database)
		},
	}
	cmd.Flags().StringVar(&from.Database, "from", "", "The database to move: a SQLite file, or a PostgreSQL URL.")
	cmd.Flags().StringVar(&to.Database, "to", "", "The empty database to move it to.")
	cmd.Flags().BoolVar(&noCheck, "no-check", false, "In an emergency, move a damaged database too.")
	return cmd
}
