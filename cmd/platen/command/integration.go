package command

import (
	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
)

func integrationCommand() *cobra.Command {
	var target cli.Target
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "integration",
		SuggestFor: []string{"bridge", "score"},
		Short:      "Show the exactly-once score, and the records that lowered it",
		Long: "Show how your integration carried its records in a sandbox with a manual bridge: exactly once, late,\n" +
			"twice, wrongly or never, and how many of the requests that an injected fault hit your program\n" +
			"recovered itself.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := target.Connect()
			if err != nil {
				return err
			}
			score, err := cli.ReadIntegration(cmd.Context(), c, true)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), score)
			}
			return cli.WriteIntegration(cmd.OutOrStdout(), score)
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"Print one JSON object: the data of GET /sandbox/integration, and failures; null if the sandbox has no score.")
	return cmd
}
