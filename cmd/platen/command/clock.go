package command

import (
	"errors"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/cmd/platen/cli"
)

func clockCommand() *cobra.Command {
	var target cli.Target
	var asJSON bool
	var settle time.Duration
	var days int64
	modes := []string{
		string(client.ClockModeManual), string(client.ClockModeRealtime), string(client.ClockModeSkip),
	}
	cmd := &cobra.Command{
		Use:   "clock manual|realtime|skip",
		Short: "Pause, start or skip the clock",
		Long: `Pause, start or skip the clock.

  manual    the clock stops and only platen tick moves it
  realtime  it resumes from where it stopped
  skip      it jumps to the next event while a program waits for events, so a program that
            polls plays sixty days in moments

The sandbox expires at the same time in every mode.

  platen clock manual
  platen clock realtime
  platen clock skip --days 20`,
		ValidArgs: modes,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(modes, args[0]) {
				return cli.UsageError{Err: errors.New("platen clock takes manual, realtime or skip")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := target.Connect()
			if err != nil {
				return err
			}
			in := client.UpdateSandboxInput{Clock: client.ClockMode(args[0])}
			if cmd.Flags().Changed("settle") {
				in.SettleMS = new(settle.Milliseconds())
			}
			if cmd.Flags().Changed("days") {
				in.MaxDays = &days
			}
			s, err := c.UpdateSandbox(cmd.Context(), in)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), s)
			}
			cli.WriteClock(cmd.OutOrStdout(), s)
			return nil
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().DurationVar(&settle, "settle", 0, "With skip: how long no program has sent anything before a jump.")
	cmd.Flags().Int64Var(&days, "days", 60, "With skip: the working days after which the clock becomes manual.")
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object: the data of PATCH /sandbox.")
	return cmd
}
