package command

import (
	"github.com/spf13/cobra"

	"platen/internal/cli"
)

func openCommand() *cobra.Command {
	var o cli.Opener
	cmd := &cobra.Command{
		Use:        "open",
		SuggestFor: []string{"console", "browser", "web"},
		Short:      "Open the console in a browser, signed in",
		Long: `Open the console in a browser, signed in.

It prints the address, too. The keys go to the browser once, from an address of this machine
that is made for it. They stand in no command line, and the console takes them out of its
address before it asks the server for anything.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Out, o.Notes = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return o.Run(cmd.Context())
		},
	}
	targetFlags(cmd, &o.Target)
	cmd.Flags().StringVar(&o.Browser, "browser", "", "Program that opens a URL; that of the system when empty.")
	return cmd
}
