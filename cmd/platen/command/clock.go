package command

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/internal/cli"
)

func clockCommand() *cobra.Command {
	var target cli.Target
	var asJSON bool
	modes := []string{string(client.ClockModeManual), string(client.ClockModeRealtime)}
	cmd := &cobra.Command{
		Use:   "clock manual|realtime",
		Short: "Pause or start the clock",
		Long: `Pause or start the clock.

With manual in-world time stops, and only platen tick moves it. With realtime it goes on
from where it stopped. The time that is left to the sandbox runs on in either.

  platen clock manual
  platen clock realtime`,
		ValidArgs: modes,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(modes, args[0]) {
				return cli.UsageError{Err: errors.New("platen clock takes manual or realtime")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := target.Connect()
			if err != nil {
				return err
			}
			s, err := c.UpdateSandbox(cmd.Context(), client.UpdateSandboxInput{Clock: client.ClockMode(args[0])})
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object: the data of PATCH /sandbox.")
	return cmd
}
