package command

import (
	"github.com/spf13/cobra"

	"platen/internal/cli"
)

func integrationCommand() *cobra.Command {
	var target cli.Target
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "integration",
		SuggestFor: []string{"bridge", "score"},
		Short:      "Show the exactly-once score and what lost some of it",
		Long: "Show what your integration made of the records that it has to carry in a sandbox with the manual " +
			"bridge: what was carried exactly once, late, twice, wrongly or not at all.",
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
		"Print one JSON object: the data of GET /sandbox/integration, and failures; null where nothing is judged.")
	return cmd
}
