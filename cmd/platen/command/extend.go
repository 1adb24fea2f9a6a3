package command

import (
	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
)

func extendCommand() *cobra.Command {
	var target cli.Target
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "extend",
		SuggestFor: []string{"prolong", "renew", "lease"},
		Short:      "Extend the sandbox, which then lasts longer",
		Long: "Extend the sandbox, which then lasts longer.\n\n" +
			"You can extend a sandbox twice, shortly before it expires. The server sets how long before, and by\n" +
			"how much: 10 and 30 minutes by default, 24 hours each with platen serve --profile local. Nothing\n" +
			"happens in the company.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := target.Connect()
			if err != nil {
				return err
			}
			s, err := c.ExtendSandbox(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), s)
			}
			cli.WriteExtension(cmd.OutOrStdout(), s)
			return nil
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object: the data of POST /sandbox/extend.")
	return cmd
}
