package main

import (
	"github.com/spf13/cobra"

	"platen/internal/cli"
	"platen/internal/server"
)

func doctorCommand() *cobra.Command {
	d := cli.Doctor{Version: server.Version()}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check server, keys and clock",
		Long: "Check server, keys and clock: whether the server responds " +
			"and is ready, whether the clocks agree, whether the keys are valid and belong together, how much time\n" +
			"the sandbox has left, and who can read the .env file. It changes nothing.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.Run(cmd.Context(), cmd.OutOrStdout()) },
	}
	targetFlags(cmd, &d.Target)
	cmd.Flags().BoolVar(&d.JSON, "json", false, "Print one JSON array with the findings.")
	return cmd
}
