package command

import (
	"time"

	"github.com/spf13/cobra"

	"platen/internal/cli"
	"platen/internal/config"
)

func benchCommand() *cobra.Command {
	var b cli.Bench
	var target cli.Target
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how many requests a server handles, and how fast",
		Long: "Measure how many requests a server handles, and how fast.\n\n" +
			"Each client has its own sandbox and sends one request at a time: three reads, then a write that\n" +
			"reaches the disk before its response. Without --server, the command starts a server in a temporary\n" +
			"folder, without limits. Against a server with limits, you measure the limits.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := b.Check(); err != nil {
				return err
			}
			b.Out, b.Notes = cmd.OutOrStdout(), cmd.ErrOrStderr()
			measure := func(origin string) error { return b.Run(cmd.Context(), origin) }
			if target.Server == "" {
				return withServer(cmd.Context(), func(c *config.Config) {
					c.KeyRate, c.IPRate, c.AnonymousRate, c.IPActive, c.IPCreations = 0, 0, 0, 0, 0
				}, measure)
			}
			origin, err := target.Origin()
			if err != nil {
				return err
			}
			return measure(origin)
		},
	}
	cmd.Flags().StringVar(&target.Server, "server", "",
		"Origin of a running server, such as "+cli.DefaultOrigin+".")
	cmd.Flags().IntVar(&b.Clients, "clients", 8, "How many clients send requests at the same time.")
	cmd.Flags().DurationVar(&b.Time, "time", 5*time.Second, "How long the clients send requests.")
	cmd.Flags().BoolVar(&b.JSON, "json", false, "Print one JSON object.")
	return cmd
}
