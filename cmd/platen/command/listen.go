package command

import (
	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
)

func listenCommand() *cobra.Command {
	var l cli.Listener
	var from uint64
	cmd := &cobra.Command{
		Use:        "listen --forward-to URL",
		SuggestFor: []string{"forward", "webhook", "webhooks"},
		Short:      "Forward a sandbox's events to a program on this machine, signed like webhooks",
		Long: `Forward a sandbox's events to a program on this machine, signed like webhooks.

It reads the feed, so you need no public address. Requests are those of a webhook: the same
body, headers and signature, the same timeout of 5 seconds, and retries after 10, 60 and
300 seconds. Only traceparent is missing: the feed does not have it. Events are sent one at a
time, in the order of the feed. When you stop the command, it prints the number to continue
from, so that you miss no event.

--resend sends one event of the feed again, and fails unless the receiver responds with 2xx.
With --data it sends an event that never was: the same type, with fields of your own in its
data, an id that begins with syn_ and "synthetic": true. The sandbox has no record of it.

Set the server and key with --server and --key, or with PLATEN_URL and PLATEN_OFFICE_KEY or
PLATEN_FACTORY_KEY, in the environment or a .env file. Without --secret or
PLATEN_WEBHOOK_SECRET, the command creates a secret and prints it.`,
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
	flags.StringVar(&l.ForwardTo, "forward-to", "", "URL that events are sent to, such as localhost:3000/hook.")
	flags.BoolVar(&l.SkipVerify, "skip-verify", false, "Take any certificate of a program on this machine.")
	targetFlags(cmd, &l.Target)
	flags.StringVar(&l.Secret, "secret", "", "Signing secret, whsec_ and base64.")
	flags.StringSliceVar(&l.Types, "types", nil,
		"Event types to forward, or patterns such as 'factory.*'. Defaults to all.")
	flags.Uint64Var(&from, "replay-from", 0,
		"Number (seq) of the first event to forward. Defaults to the next event.")
	flags.StringVar(&l.Resend, "resend", "", "Id of an event to send now, once, in place of those of the feed.")
	flags.StringVar(&l.Data, "data", "",
		"JSON object, or @FILE: with --resend, send a synthetic event with these fields in its data.")
	flags.BoolVar(&l.JSON, "json", false,
		"Print one JSON object for each attempt, with status and beginning of the response.")
	return cmd
}
