package command

import (
	"errors"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/cmd/platen/cli"
)

func faultsCommand() *cobra.Command {
	var target cli.Target
	var count int64
	var operations []string
	var form string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "faults [KIND]",
		Short: "Inject a fault, or list injected faults",
		Long: `Inject a fault, or list injected faults.

With KIND, the next matching request or delivery gets the fault, in any sandbox: a lost
request or response the next write, or the operation that you name. Without KIND, the
command lists the faults with the request or delivery that each one hit, newest last.
Create a sandbox with a fault plan, on a schedule, with platen new --faults.

  platen faults
  platen faults response_lost
  platen faults response_lost --operation create_work_order
  platen faults response_lost --form error
  platen faults webhook_twice --count 3

Kinds for requests: response_lost, request_lost, request_late, storm, outage,
slow_response, in_progress, stale_read, growth, short_page. Kinds for deliveries: webhook_twice,
webhook_late, webhook_lost, webhook_forged, secret_rotated.`,
		Args: atMostOne("platen faults takes at most one kind; without one, it lists injected faults"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && (cmd.Flags().Changed("count") || len(operations) > 0 || form != "") {
				return cli.UsageError{
					Err: errors.New("--count, --operation and --form need a kind, such as: " +
						"platen faults response_lost --count 2"),
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
			in := client.InjectFaultInput{Kind: client.FaultKind(args[0]), Count: &count, Operations: operations}
			if form != "" {
				in.Form = new(client.FaultForm(form))
			}
			injected, err := c.InjectFault(cmd.Context(), in)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), injected)
			}
			cli.WriteInjection(cmd.OutOrStdout(), injected)
			return cli.WriteGuard(cmd.Context(), cmd.OutOrStdout(), c, injected)
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().Int64Var(&count, "count", 1, "How many times to inject KIND, 1 to 100.")
	cmd.Flags().StringSliceVar(&operations, "operation", nil,
		"Operation to inject KIND into, such as create_work_order. Repeat it to name several.")
	cmd.Flags().StringVar(&form, "form", "",
		"How a lost request or response looks: error (a 502) or cut (a closed connection). Defaults to either.")
	cmd.Flags().BoolVar(&asJSON, "json", false,
		"Print one JSON object: the plan, as in GET /sandbox, and injected faults, newest first.")
	return cmd
}

// faultFlags adds the flags that say what goes wrong in a new sandbox.
func faultFlags(cmd *cobra.Command, o *cli.FaultFlags) {
	flags := cmd.Flags()
	flags.StringVar(&o.Plan, "faults", "",
		"The fault plan: light, moderate, severe or treacherous. Defaults to the preset's plan.")
	flags.Int64Var(&o.Seed, "fault-seed", -1,
		"Seed of the faults, to repeat them. Defaults to the seed of the sandbox.")
	flags.Int64Var(&o.DelayPct, "fault-delay-pct", cli.FullDelayPct,
		"Length of the delays of faults, in per cent. 0 for tests that must not wait.")
}
