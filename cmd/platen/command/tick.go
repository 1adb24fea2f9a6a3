package command

import (
	"github.com/spf13/cobra"

	"platen/internal/cli"
)

func tickCommand() *cobra.Command {
	var target cli.Target
	var until []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "tick [MINUTES]",
		SuggestFor: []string{"step", "advance", "time"},
		Short:      "Move the clock, by minutes or until something comes about",
		Long: `Move the clock, by minutes or until something comes about.

Everything that is due on the way happens. Without MINUTES a working day of 480 passes.
With --until the clock stops earlier, and MINUTES is the most that may pass: 4800 when it
is left out. The output says what ended the tick, what happened, what waits for you, and what
needs attention most, each with the command that fixes it.

  platen tick 60
  platen tick --until decision
  platen tick --until office.payment.received,office.payment.overdue
  platen tick --until 2026-09-09T13:30
  platen tick 960 --until 120`,
		Args: atMostOne("platen tick takes one number of minutes, or none"),
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
			cli.WriteNeeds(cmd.Context(), cmd.OutOrStdout(), c)
			return nil
		},
	}
	targetFlags(cmd, &target)
	flags := cmd.Flags()
	flags.StringSliceVar(&until, "until", nil, "Where to stop: decision, event types (* for any), the number of an "+
		"event, or a date such as 2026-09-09 or 2026-09-09T13:30.")
	flags.BoolVar(&asJSON, "json", false, "Print one JSON object: the data of POST /sandbox/tick.")
	return cmd
}
