package command

import (
	"errors"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/cmd/platen/cli"
)

func integrationCommand() *cobra.Command {
	var target cli.Target
	var demands cli.Demands
	var asJSON, settle bool
	cmd := &cobra.Command{
		Use:        "integration",
		SuggestFor: []string{"bridge", "score"},
		Short:      "Show the exactly-once score, and the records that lowered it",
		Long: "Show how your integration carried its records in a sandbox with a manual bridge: exactly once, late,\n" +
			"twice, wrongly or never, and how many of the requests that an injected fault hit your program\n" +
			"recovered itself.\n\n" +
			"In a test, run your program until it has nothing left to do, and then:\n\n" +
			"  platen integration --require 1\n\n" +
			"It judges everything that was due by now, in a fork in which time passes, and fails with exit\n" +
			"status 1 below the score, or where nothing has been proven. In an evaluation it takes the grading key.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := demanded(cmd, &demands); err != nil {
				return err
			}
			c, err := target.Connect()
			if err != nil {
				return err
			}
			if settle || demands.Any() {
				return showSettled(cmd, c, &demands, asJSON)
			}
			score, err := cli.ReadIntegration(cmd.Context(), c, true)
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), score)
			}
			return cli.WriteIntegration(cmd.OutOrStdout(), score)
		},
	}
	targetFlags(cmd, &target)
	f := cmd.Flags()
	f.BoolVar(&settle, "settle", false, "Judge everything that was due by now: in a fork, in which four days pass.")
	demandFlags(cmd, &demands, "Fail if one of both scores is less: exactly once, and where the "+
		"sandbox was asked for faults, also that of your program. Implies --settle.")
	f.Float64Var(&demands.Manners, mannersFlag, 0, "Fail if a smaller part of the requests was without a harmless "+
		"mistake: an early request, a rejected write, a read of unchanged data.")
	f.BoolVar(&asJSON, "json", false,
		"Print one JSON object: the data of GET /sandbox/integration, and failures; null if the sandbox has no score.")
	return cmd
}

// showSettled shows the score of everything that was due by now, and fails below the demands.
func showSettled(cmd *cobra.Command, c *client.Client, demands *cli.Demands, asJSON bool) error {
	settled, err := cli.Settlement(cmd.Context(), c)
	if err != nil {
		return err
	}
	score := &cli.Integration{Integration: settled.Integration, Failures: settled.Failures()}
	if asJSON {
		err = cli.WriteJSON(cmd.OutOrStdout(), score)
	} else {
		err = cli.WriteIntegration(cmd.OutOrStdout(), score)
	}
	return errors.Join(err, demands.Judge(settled))
}
