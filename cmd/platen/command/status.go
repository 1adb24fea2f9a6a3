package command

import (
	"github.com/spf13/cobra"

	"platen/client"
	"platen/cmd/platen/cli"
	"platen/cmd/platen/cli/resource"
)

func statusCommand() *cobra.Command {
	var target cli.Target
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "status",
		SuggestFor: []string{"info", "show", "state"},
		Short:      "Show the state of the company",
		Args:       noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := target.Connect()
			if err != nil {
				return err
			}
			s, err := c.GetSandbox(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), s)
			}
			score, err := cli.ReadIntegration(cmd.Context(), c, false)
			if err != nil {
				return err
			}
			origin, err := target.Origin()
			if err != nil {
				return err
			}
			attention, err := cli.ReadAttention(cmd.Context(), c)
			if err != nil {
				return err
			}
			if err := cli.WriteStatus(cmd.OutOrStdout(), s, score, origin); err != nil {
				return err
			}
			if attention != nil {
				cli.WriteAttention(cmd.OutOrStdout(), attention, resource.Line)
			}
			return nil
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object: the data of GET /sandbox.")
	return cmd
}

func missionsCommand() *cobra.Command {
	var target cli.Target
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "missions",
		Short: "Show the next missions, and completed ones",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := target.Connect()
			if err != nil {
				return err
			}
			missions := []client.Mission{}
			for m, err := range c.Missions(cmd.Context(), client.ListMissionsParams{}) {
				if err != nil {
					return err
				}
				missions = append(missions, m)
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), missions)
			}
			cli.WriteMissions(cmd.OutOrStdout(), missions, all)
			return nil
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON array.")
	cmd.Flags().BoolVar(&all, "all", false, "Also show later missions.")
	return cmd
}
