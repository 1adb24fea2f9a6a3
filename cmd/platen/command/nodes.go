package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
	"platen/internal/config"
	"platen/internal/server"
)

func nodesCommand() *cobra.Command {
	c := config.Default()
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "nodes",
		Short: "List the servers that share a PostgreSQL database",
		Long: "List the servers that share a PostgreSQL database, how many sandboxes each one owns, and\n" +
			"which one admits new sandboxes. Read-only.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := databaseOf(cmd, c); err != nil {
				return err
			}
			survey, err := server.Look(cmd.Context(), c)
			if errors.Is(err, server.ErrNoNodes) {
				return cli.UsageError{Err: err}
			}
			if err != nil {
				return err //nolint:wrapcheck // the error names the failed step
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), survey) //nolint:wrapcheck // it is the output's
			}
			return printNodes(cmd.OutOrStdout(), &survey)
		},
	}
	cmd.Flags().StringVar(&c.Database, "database", c.Database,
		"The PostgreSQL database. Defaults to PLATEN_DATABASE.")
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object.")
	return cmd
}

func printNodes(out io.Writer, s *server.Survey) error {
	if len(s.Servers) == 0 {
		fmt.Fprintln(out, "no server runs on it")
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range s.Servers {
		if i == 0 {
			fmt.Fprintln(table, "SERVER\tADDRESS\tENGINE\tJOINED\tSANDBOXES\t")
		}
		n := &s.Servers[i]
		fmt.Fprintf(table, "%s\t%s\t%d\t%s ago\t%d\t%s\n", n.Name, cmp.Or(n.Address, "alone"), n.Engine,
			s.At.Sub(n.JoinedAt).Round(time.Second), n.Sandboxes, noteOf(n, s.At))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d sandboxes have no owner until their next request\n", s.Free)
	return nil
}

// noteOf is the remark about a server.
func noteOf(n *server.SurveyedServer, at time.Time) string {
	over := at.Sub(n.LivesUntil)
	switch {
	case over > 0:
		return "considered dead since " + over.Round(time.Second).String()
	case n.Admits:
		return "admits sandboxes"
	}
	return ""
}
