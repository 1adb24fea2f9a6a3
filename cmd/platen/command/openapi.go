package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"platen/internal/server"
)

func openapiCommand() *cobra.Command {
	var plain bool
	c := &cobra.Command{
		Use:   "openapi",
		Short: "Print the OpenAPI document",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			document, err := server.OpenAPI("http://localhost:8080", plain)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), string(document))
			return err
		},
	}
	c.Flags().BoolVar(&plain, "plain", false, "the form for generators that refuse choices, such as ogen")
	return c
}
