package command

import (
	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
	"platen/internal/config"
)

func demoCommand() *cobra.Command {
	var d cli.Demo
	var origin string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Play one order from acceptance to cash and show each request",
		Long: "Play one order from acceptance to cash and show each request. Without --server, the\n" +
			"demo starts its own server in a temporary folder and removes it at the end.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.Out = cmd.OutOrStdout()
			play := func(origin string) error { return d.Run(cmd.Context(), origin) }
			if origin != "" {
				return play(origin)
			}
			return withServer(cmd.Context(), func(*config.Config) {}, play)
		},
	}
	cmd.Flags().StringVar(&origin, "server", "", "Origin of a running server, such as http://127.0.0.1:8080.")
	cmd.Flags().BoolVar(&d.JSON, "json", false, "Print one JSON object with every request.")
	return cmd
}
