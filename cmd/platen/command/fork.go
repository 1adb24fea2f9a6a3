package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/cmd/platen/cli"
)

func checkpointCommand() *cobra.Command {
	var target cli.Target
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "checkpoint [LABEL]",
		Short: "Create a checkpoint, or list checkpoints",
		Long: `Create a checkpoint, or list checkpoints.

A checkpoint names this moment of the sandbox. Fork it with platen fork as often as you like.
Each sandbox has a checkpoint called start, on its first morning.

  platen checkpoint "before the rush"
  platen checkpoint`,
		Args: atMostOne("platen checkpoint takes at most one label; without one, it lists checkpoints"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := target.Connect()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listCheckpoints(cmd, c, asJSON)
			}
			made, err := c.CreateCheckpoint(cmd.Context(), client.CreateCheckpointInput{Label: args[0]})
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), made)
			}
			cli.WriteCheckpoint(cmd.OutOrStdout(), made)
			return nil
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object, or an array of all checkpoints.")
	return cmd
}

func listCheckpoints(cmd *cobra.Command, c *client.Client, asJSON bool) error {
	all, err := cli.Checkpoints(cmd.Context(), c)
	if err != nil {
		return err
	}
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), all)
	}
	return cli.WriteCheckpoints(cmd.OutOrStdout(), all)
}

func forkCommand() *cobra.Command {
	var target cli.Target
	var h cli.Handover
	var seq int64
	var date string
	cmd := &cobra.Command{
		Use:   "fork [CHECKPOINT]",
		Short: "Fork the sandbox, now or at an earlier moment, and print the new keys",
		Long: `Fork the sandbox, now or at an earlier moment, and print the new keys.

The fork has the same company and the same history, under a name of its own. From then on the two are independent.
Without CHECKPOINT it begins now; with --seq, after the change that wrote that event; with
--date, at the opening of that working day, also without a checkpoint there.

  platen fork start --env other.env
  set -a; . ./other.env; set +a
  platen fork --date 2026-09-08
  platen fork --seq 120 --json`,
		Args: atMostOne("platen fork takes at most one checkpoint; without one, it begins now"),
		RunE: func(cmd *cobra.Command, args []string) error {
			// What is given but empty, such as a variable that is not set, is not "now".
			var in client.ForkSandboxInput
			if len(args) > 0 {
				in.Checkpoint = &args[0]
			}
			if cmd.Flags().Changed("seq") {
				in.Seq = &seq
			}
			if cmd.Flags().Changed("date") {
				in.SimDate = new(client.Date(date))
			}
			if in.Checkpoint != nil && in.Seq != nil || in.SimDate != nil && (in.Checkpoint != nil || in.Seq != nil) {
				return cli.UsageError{Err: errors.New("name a checkpoint, --seq or --date, only one of them")}
			}
			h.Out, h.Notes = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return cli.Fork(cmd.Context(), &target, in, h)
		},
	}
	targetFlags(cmd, &target)
	handoverFlags(cmd, &h)
	cmd.Flags().StringVar(&date, "date", "", "In-world date at whose opening it begins, such as 2026-09-08.")
	cmd.Flags().Int64Var(&seq, "seq", 0, "Number of the event after which it begins.")
	return cmd
}

func resetCommand() *cobra.Command {
	var target cli.Target
	var h cli.Handover
	cmd := &cobra.Command{
		Use:        "reset",
		SuggestFor: []string{"restart"},
		Short:      "Start over: replace this sandbox with a new one on its first morning",
		Long: `Start over: replace this sandbox with a new one on its first morning.

The same company, with the same seed, on its first morning, without what you did. The old
sandbox is deleted. The new keys are written to the .env file that has the old ones, and
printed where there is none.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h.Out, h.Notes = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return cli.Reset(cmd.Context(), &target, h)
		},
	}
	targetFlags(cmd, &target)
	handoverFlags(cmd, &h)
	return cmd
}

func deleteCommand() *cobra.Command {
	var target cli.Target
	var asJSON bool
	cmd := &cobra.Command{
		Use:        "delete",
		SuggestFor: []string{"rm", "remove", "destroy"},
		Short:      "Delete the sandbox. You cannot undo this",
		Args:       noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := target.Connect()
			if err != nil {
				return err
			}
			deleted, err := c.DeleteSandbox(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), deleted)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s (%s) is deleted\n", deleted.PublicName, deleted.SandboxID)
			return nil
		},
	}
	targetFlags(cmd, &target)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object: the data of DELETE /sandbox.")
	return cmd
}

// atMostOne refuses a second argument.
func atMostOne(message string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return cli.UsageError{Err: errors.New(message)}
		}
		return nil
	}
}

// handoverFlags adds the flags that say where the keys of a new sandbox go.
func handoverFlags(cmd *cobra.Command, h *cli.Handover) {
	cmd.Flags().StringVar(&h.Env, "env", "", "File to write the keys to, instead of printing them.")
	cmd.Flags().BoolVar(&h.JSON, "json", false, "Print one JSON object.")
}
