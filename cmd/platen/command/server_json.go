package command

import (
	"errors"
	"runtime/debug"

	"github.com/spf13/cobra"

	"platen/internal/cli"
	"platen/internal/server"
	"platen/internal/serverjson"
)

func serverJSONCommand() *cobra.Command {
	l := serverjson.Listing{Version: server.Version()}
	if build, ok := debug.ReadBuildInfo(); ok {
		l.Module = build.Main.Path
	}
	cmd := &cobra.Command{
		Use:   "server-json",
		Short: "Print the server.json of this version for an MCP registry",
		Long: `Print the server.json by which a registry of agent (MCP) servers lists this version.

It names an image that you have pushed, the settings that a user may give it, and with --url
a public server. The official registry requires a public image, with the
label io.modelcontextprotocol.server.name and the same name in it.`,
		Example: "  platen server-json --name io.github.you/platen --image ghcr.io/you/platen:0.1.0 > server.json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.Name == "" || l.Image == "" {
				return cli.UsageError{Err: errors.New("platen server-json needs --name and --image; " +
					"see platen server-json --help")}
			}
			document, err := l.Document()
			if err != nil {
				return err //nolint:wrapcheck // it says what failed
			}
			_, err = cmd.OutOrStdout().Write(document)
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&l.Name, "name", "", "Name in the registry, such as io.github.you/platen.")
	flags.StringVar(&l.Image, "image", "", "Image with registry and tag, such as ghcr.io/you/platen:0.1.0.")
	flags.StringVar(&l.URL, "url", "",
		"Agent endpoint of a server that others can reach, such as https://platen.example/mcp.")
	return cmd
}
