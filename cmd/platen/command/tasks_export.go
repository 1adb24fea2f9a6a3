package command

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
	"platen/eval/harness"
	"platen/eval/task"
)

// everySeed asks for all worlds of a task.
const everySeed = "all"

func tasksExport() *cobra.Command {
	h := &harness.Harbor{}
	var seed string
	cmd := &cobra.Command{
		Use:   "export --harbor DIR [TASK...]",
		Short: "Write tasks as folders that a harness runs",
		Long: "Write all tasks, or the named ones, as folders that a harness runs.\n\n" +
			"--harbor writes a folder for each task in the layout of Harbor, to be run with Docker Compose: the\n" +
			"agent in one container, and platen tasks serve in another, from the image that --image names. The\n" +
			"folder has the instruction, the agent endpoint as an MCP server, a judge, and a solution that has the\n" +
			"task solved by its oracle. It holds two tokens, new in each export: keep agents from it.\n\n" +
			"With --judge separate, the company's container grades the try, and a third one without a network turns\n" +
			"the grade into the reward: an agent cannot forge it. With --judge shared, a test in the agent's\n" +
			"container asks for the score, which an agent that is root can forge; some readers of the layout run no\n" +
			"commands in other containers than the agent's.\n\n" +
			"An earlier export is replaced.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if h.Judge != harness.Separate && h.Judge != harness.Shared {
				return cli.UsageError{Err: fmt.Errorf("--judge is separate or shared, not %q", h.Judge)}
			}
			if h.Folder == "" {
				return cli.UsageError{Err: errors.New("name the harness: --harbor DIR is the only one that there is")}
			}
			var err error
			if h.Worlds, err = worlds(args, seed); err != nil {
				return err
			}
			written, err := h.Write()
			for _, folder := range written {
				fmt.Fprintln(cmd.OutOrStdout(), folder)
			}
			if errors.Is(err, harness.ErrForeign) || errors.Is(err, harness.ErrImage) {
				return cli.UsageError{Err: err}
			}
			return err //nolint:wrapcheck // it names the folder
		},
	}
	cmd.Flags().StringVar((*string)(&h.Judge), "judge", string(harness.Separate),
		"separate: in its own container; shared: in the agent's.")
	cmd.Flags().StringVar(&h.Folder, "harbor", "", "Write folders for Harbor below this one.")
	cmd.Flags().StringVar(&seed, "seed", "", "The world of each task, or all. Defaults to the first world.")
	cmd.Flags().StringVar(&h.Image, "image", "platen",
		"The container image of Platen, best with its digest; PLATEN_IMAGE replaces it.")
	return cmd
}

// worlds are the tasks of some names, or all, in the worlds that --seed asks for.
func worlds(names []string, seed string) ([]harness.World, error) {
	r := &task.Run{Timeout: 1}
	if err := chosen(r, names, ""); err != nil {
		return nil, err
	}
	var all []harness.World
	for _, t := range r.Tasks {
		seeds := t.Seeds[:1]
		switch seed {
		case "":
		case everySeed:
			seeds = t.Seeds
		default:
			one, err := strconv.ParseUint(seed, 10, 63)
			if err != nil {
				return nil, cli.UsageError{Err: fmt.Errorf("--seed is a number or %s, not %q", everySeed, seed)}
			}
			seeds = []uint64{one}
		}
		for _, s := range seeds {
			all = append(all, harness.World{Task: t, Seed: s})
		}
	}
	return all, nil
}
