package command

import (
	"github.com/spf13/cobra"

	"platen/internal/cli"
)

func listenCommand() *cobra.Command {
	var l cli.Listener
	var from uint64
	cmd := &cobra.Command{
		Use:        "listen --forward-to URL",
		SuggestFor: []string{"forward", "webhook", "webhooks"},
		Short:      "Forward a sandbox's events to a program on this machine, signed like webhooks",
		Long: `Forward a sandbox's events to a program on this machine, signed like webhooks.

It reads the feed, so it needs no public address and works with any server that it can
reach. Requests are those of a webhook: the same body, headers and signature, the same
5 seconds, and retries after 10, 60 and 300 seconds. Events are sent one after the
other, in the order of the feed. When it is stopped it prints the number to go on
from, so that no event is missed.

Server and key are found like those of every command: from --server and --key, or
PLATEN_URL and PLATEN_OFFICE_KEY or PLATEN_FACTORY_KEY, in the environment or a .env
file. Without --secret or PLATEN_WEBHOOK_SECRET a secret is made and shown.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("replay-from") {
				from = max(from, 1)
			}
			l.Out, l.Notes = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return l.Run(cmd.Context(), from)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&l.ForwardTo, "forward-to", "", "URL that events are sent to, such as http://127.0.0.1:3000/hook.")
	targetFlags(cmd, &l.Target)
	flags.StringVar(&l.Secret, "secret", "", "Signing secret, whsec_ and base64.")
	flags.StringSliceVar(&l.Types, "types", nil,
		"Event types to forward, or patterns such as 'factory.*'; all when empty.")
	flags.Uint64Var(&from, "replay-from", 0,
		"Number of the first event to forward (its seq); the next one that happens when left out.")
	flags.BoolVar(&l.JSON, "json", false, "Print one JSON object for each attempt.")
	return cmd
}
