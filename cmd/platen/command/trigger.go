package command

import (
	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
)

func triggerCommand() *cobra.Command {
	var target cli.Target
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "trigger [TYPE [FIELD=VALUE...]]",
		SuggestFor: []string{"fixtures", "fixture", "simulate", "provoke"},
		Short:      "Trigger an event: an order, a short delivery, a press breakdown",
		Long: `Trigger an event: an order, a short delivery, a press breakdown.

A triggered event has the same cause and effects as a natural one. Without TYPE, the command
lists the types and their fields. A trigger marks the sandbox as assisted: its score is not
compared with others.

  platen trigger
  platen trigger rush_order sku=prd_card quantity=10
  platen trigger truck_short pct=30
  platen trigger press_fault press_id=prs_offset days=2`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := target.Connect()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				kinds, err := c.GetTriggers(cmd.Context())
				if err != nil {
					return err
				}
				if asJSON {
					return cli.WriteJSON(cmd.OutOrStdout(), kinds)
				}
				return cli.WriteTriggers(cmd.OutOrStdout(), kinds)
			}
			in, err := cli.PullTriggerInput(args[0], args[1:])
			if err != nil {
				return err
			}
			result, err := c.PullTrigger(cmd.Context(), in)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), result)
			}
			cli.WriteTrigger(cmd.OutOrStdout(), result)
			return nil
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object.")
	return cmd
}
