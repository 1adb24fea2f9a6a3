package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"platen/internal/server"
)

func openapiCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "openapi",
		Short: "Print the OpenAPI document",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			document, err := server.OpenAPI("http://localhost:8080")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), string(document))
			return err
		},
	}
}
