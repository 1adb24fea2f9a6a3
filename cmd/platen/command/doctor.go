package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
	"platen/internal/config"
	"platen/internal/server"
)

func doctorCommand() *cobra.Command {
	d := cli.Doctor{Version: server.Version(), Target: cli.Target{Here: config.OriginHere()}}
	c := config.Default()
	c.Database = ""
	cmd := &cobra.Command{
		Use:        "doctor",
		SuggestFor: []string{"check", "health"},
		Short:      "Check server, keys, clock and webhooks, or a database",
		Long: "Check server, keys, clock and webhooks: whether the server responds and is ready, whether the clocks\n" +
			"agree, whether the keys are valid and belong together, how much time the sandbox has left, whether its\n" +
			"webhooks are delivered, and who can read the .env file. Read-only. In a container it checks the server\n" +
			"at PLATEN_LISTEN, unless --server or PLATEN_URL names another.\n\n" +
			"With --database, check the SQLite file of a server instead, even while the server runs: its\n" +
			"structure, and every commit and snapshot with its stored checksum. Rows about sandboxes (keys,\n" +
			"leases) and records (tickets, sessions) have no checksum.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.Database != "" {
				if err := checkDatabaseName(c); err != nil {
					return err
				}
				d.Storage = func(ctx context.Context) (string, []string, error) { return checkDatabase(ctx, c) }
			}
			return d.Run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	targetFlags(cmd, &d.Target)
	cmd.Flags().BoolVar(&d.JSON, "json", false, "Print one JSON array with the findings.")
	cmd.Flags().StringVar(&c.Database, "database", "", "The SQLite file to check.")
	return cmd
}

// checkDatabase tells the doctor about a database.
func checkDatabase(ctx context.Context, c *config.Config) (well string, damages []string, err error) {
	found, err := server.CheckDatabase(ctx, c)
	if err != nil {
		return "", nil, err //nolint:wrapcheck // the error names the file
	}
	well = fmt.Sprintf("%s has %d sandboxes; %d commits and %d snapshots were read.", c.Database, found.Sandboxes,
		found.Commits, found.Snapshots)
	for _, damage := range found.Damages {
		follows := "its requests fail with sandbox_damaged"
		if damage.Snapshot {
			follows = "it is rebuilt from its commits"
		}
		damages = append(damages, fmt.Sprintf("%s, until %s: %v; %s.", damage.SandboxID,
			damage.Until.Format("15:04:05"), damage.Error, follows))
	}
	return well, damages, nil
}
