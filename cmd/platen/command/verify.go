package command

import (
	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
)

func verifyCommand() *cobra.Command {
	var v cli.Verification
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Verify a captured webhook, and explain why its signature fails",
		Long: `Verify a captured webhook, and explain why its signature fails.

Pass the raw body, in a file or on standard input, the three webhook- headers, and the secret
that your program uses. With --computed, the signature that your program computes, the
command also names the mistake in your program.

The exit status is 0 when a correct receiver accepts the request and 1 when not.`,
		Example: "  platen verify --body body.json --headers headers.txt\n  platen verify --header 'webhook-id: " +
			"evt_…' --header 'webhook-timestamp: …' \\\n    --header 'webhook-signature: v1,…' < body.json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return v.Run(cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&v.Body, "body", "-", "File with the raw body; - is standard input.")
	flags.StringArrayVar(&v.Headers, "header", nil, "A header, as \"name: value\"; may be repeated.")
	flags.StringVar(&v.HeadersFile, "headers", "", "File with headers, one per line.")
	flags.StringVar(&v.Secret, "secret", "", "Secret that the receiver uses.")
	flags.StringVar(&v.OldSecret, "old-secret", "", "Secret from before a rotation.")
	flags.StringVar(&v.Computed, "computed", "", "Signature that the receiver's own code computes.")
	flags.StringVar(&v.At, "at", "",
		"When the request arrived, by the receiver's clock, such as 2026-11-21T12:00:00Z. Defaults to now.")
	flags.BoolVar(&v.JSON, "json", false, "Print one JSON object.")
	return cmd
}
