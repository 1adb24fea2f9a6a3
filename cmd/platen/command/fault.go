package command

import (
	"errors"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/internal/cli"
)

func faultsCommand() *cobra.Command {
	var target cli.Target
	var count int64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "faults [KIND]",
		Short: "List injected faults, or inject one",
		Long: `List injected faults, or inject one.

With KIND, the next request or delivery that can meet this fault meets it, in any sandbox.
Without KIND, this lists the faults with the request or delivery that each one hit, the
newest last. platen new --faults creates a sandbox with a fault plan.

  platen faults
  platen faults response_lost
  platen faults webhook_twice --count 3

Kinds that requests meet: response_lost, request_lost, storm, outage, slow_response,
in_progress, stale_read, growth, short_page. Those of deliveries: webhook_twice,
webhook_late, webhook_lost, webhook_forged, secret_rotated.`,
		Args: atMostOne("platen faults takes one kind, or none to list injected faults"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && cmd.Flags().Changed("count") {
				return cli.UsageError{
					Err: errors.New("--count needs a kind, such as: platen faults response_lost --count 2"),
				}
			}
			c, err := target.Connect()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				log, err := cli.ReadFaults(cmd.Context(), c)
				if err != nil {
					return err
				}
				if asJSON {
					return cli.WriteJSON(cmd.OutOrStdout(), log)
				}
				cli.WriteFaults(cmd.OutOrStdout(), log)
				return nil
			}
			in := client.InjectFaultInput{Kind: client.FaultKind(args[0]), Count: &count}
			injected, err := c.InjectFault(cmd.Context(), in)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), injected)
			}
			cli.WriteInjection(cmd.OutOrStdout(), injected)
			return nil
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().Int64Var(&count, "count", 1, "How many times KIND should happen, 1 to 100.")
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"Print one JSON object: faults, as in GET /sandbox, and what happened, newest first.")
	return cmd
}

// faultFlags adds the flags that say what goes wrong in a new sandbox.
func faultFlags(cmd *cobra.Command, o *cli.FaultFlags) {
	flags := cmd.Flags()
	flags.StringVar(&o.Plan, "faults", "",
		"The plan of faults to inject: light, moderate or severe. Defaults to that of the preset.")
	flags.Int64Var(&o.Seed, "fault-seed", -1,
		"Makes what goes wrong repeatable; the seed of the sandbox when negative.")
	flags.Int64Var(&o.DelayPct, "fault-delay-pct", cli.FullDelayPct,
		"How long delays of faults take, in per cent of what they are: 0 for a test that must not wait.")
}
