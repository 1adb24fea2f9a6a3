package command

import (
	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
	"platen/cmd/platen/cli/resource"
)

func tickCommand() *cobra.Command {
	var target cli.Target
	var until []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "tick [MINUTES]",
		SuggestFor: []string{"step", "advance", "time"},
		Short:      "Move the clock, by minutes or until something happens",
		Long: `Move the clock, by minutes or until something happens.

Everything due in that time happens. MINUTES defaults to a working day of 480. With --until,
the clock stops earlier, and MINUTES is the maximum (default 4800). The output shows why the
clock stopped, what happened, what waits for you, and what needs attention most, each with the
command that fixes it.

  platen tick 60
  platen tick --until decision
  platen tick --until office.payment.received,office.payment.overdue
  platen tick --until 2026-09-09T13:30
  platen tick 960 --until 120`,
		Args: atMostOne("platen tick takes at most one number of minutes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			minutes := ""
			if len(args) == 1 {
				minutes = args[0]
			}
			in, err := cli.TickInput(minutes, until)
			if err != nil {
				return err
			}
			c, err := target.Connect()
			if err != nil {
				return err
			}
			result, err := c.AdvanceTime(cmd.Context(), in)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), result)
			}
			cli.WriteTick(cmd.OutOrStdout(), result)
			cli.WriteNeeds(cmd.Context(), cmd.OutOrStdout(), c, resource.Line)
			return nil
		},
	}
	targetFlags(cmd, &target)
	flags := cmd.Flags()
	flags.StringSliceVar(&until, "until", nil, "When to stop: decision, event types (* for any), the number of an "+
		"event, or a date such as 2026-09-09 or 2026-09-09T13:30.")
	flags.BoolVar(&asJSON, "json", false, "Print one JSON object: the data of POST /sandbox/tick.")
	return cmd
}
