package command

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"platen/internal/cli"
)

func apiCommand() *cobra.Command {
	var r cli.Request
	cmd := &cobra.Command{
		Use:        "api METHOD PATH",
		SuggestFor: []string{"get", "post", "curl"},
		Short:      "Send one request with the right key",
		Long: `Send one request with the right key.

The path is that of the docs, with its query: /office/sales-orders?status=received. It
decides the key. Writes are sent with an Idempotency-Key, which is shown on standard
error, for sending the same request again. The body comes from --data, as text, from a file
(@order.json) or from standard input (@-).

  platen api GET /office/cash
  platen api POST /office/sales-orders/so_1x8e10d1t6ymg/accept
  platen api POST /sandbox/tick --data '{"minutes":60}'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.UsageError{
					Err: errors.New("platen api takes a method and a path, such as: platen api GET /office/cash"),
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r.In, r.Out, r.Notes = cmd.InOrStdin(), cli.Bytes(cmd.OutOrStdout()), cmd.ErrOrStderr()
			return r.Run(cmd.Context(), strings.ToUpper(args[0]), args[1])
		},
	}
	targetFlags(cmd, &r.Target)
	flags := cmd.Flags()
	flags.StringVarP(&r.Data, "data", "d", "", "Body: JSON, @ and a file, or @- for standard input.")
	flags.StringVar(&r.IdempotencyKey, "idempotency-key", "", "Idempotency-Key of a write; made when empty.")
	flags.StringArrayVarP(&r.Headers, "header", "H", nil, "Another header, such as 'If-None-Match: \"1f\"'.")
	flags.BoolVarP(&r.Include, "include", "i", false, "Print the status and the headers, too.")
	flags.BoolVar(&r.Raw, "raw", false, "Print the response as it came, byte for byte.")
	return cmd
}
