package command

import (
	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
)

func openCommand() *cobra.Command {
	var o cli.Opener
	cmd := &cobra.Command{
		Use:        "open",
		SuggestFor: []string{"console", "browser", "web"},
		Short:      "Open the console in a browser, signed in",
		Long: `Open the console in a browser, signed in.

It also prints the address. The browser gets the keys once, from a temporary address on this
machine. That address is in a temporary page in your home folder, which only you can read, so
neither keys nor address appear in a command line, where other users of the machine see them.
The console removes the keys from its address before it sends its first request.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out, o.Notes = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return o.Run(cmd.Context())
		},
	}
	targetFlags(cmd, &o.Target)
	cmd.Flags().StringVar(&o.Browser, "browser", "", "Program that opens a URL. Defaults to your system's browser.")
	return cmd
}
