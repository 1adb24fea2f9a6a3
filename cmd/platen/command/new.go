package command

import (
	"github.com/spf13/cobra"

	"platen/client"
	"platen/internal/cli"
)

func newCommand() *cobra.Command {
	var c cli.Creation
	var faults cli.FaultFlags
	var preset, bridge, clock, split string
	var evaluation bool
	var seed int64
	cmd := &cobra.Command{
		Use:        "new",
		SuggestFor: []string{"create", "init", "sandbox", "sandboxes"},
		Short:      "Create a sandbox and print its keys, or write them to a .env file",
		Long: `Create a sandbox and print its keys, or write them to a .env file.

The keys are printed as lines of a .env file, so this puts them into a shell:

  export $(platen new)

If the server requires a proof of work, this finds one; if all places are taken, it
waits in the queue, and says so on standard error. A server that is closed wants its
creation key in PLATEN_CREATION_KEY, of the environment or a .env file. --env writes the lines to a file that
only its owner can read, and leaves the other lines of it as they are.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ordered, err := faults.Input()
			if err != nil {
				return err
			}
			in := client.CreateSandboxInput{Faults: ordered}
			if preset != "" {
				in.Preset = &preset
			}
			if seed >= 0 {
				in.Seed = &seed
			}
			if bridge != "" {
				in.Bridge = new(client.Bridge(bridge))
			}
			if clock != "" {
				in.Clock = new(client.ClockMode(clock))
			}
			if evaluation {
				in.Evaluation = &evaluation
			}
			if split != "" {
				in.Split = new(client.Split(split))
			}
			c.Out, c.Notes = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return c.Run(cmd.Context(), in)
		},
	}
	serverFlag(cmd, &c.Server)
	flags := cmd.Flags()
	flags.StringVar(&preset, "preset", "", "The preset of the sandbox; starter when empty.")
	flags.Int64Var(&seed, "seed", -1, "Makes the world repeatable; at random when negative.")
	flags.StringVar(&bridge, "bridge", "", "auto or manual; the preset's own when empty.")
	flags.StringVar(&clock, "clock", "", "realtime or manual; the preset's own when empty.")
	flags.BoolVar(&evaluation, "evaluation", false,
		"Make an evaluation: a third key judges, and the others see no seed and try nothing out.")
	flags.StringVar(&split, "split", "", "The worlds of an evaluation: train, dev or test; train when empty.")
	faultFlags(cmd, &faults)
	handoverFlags(cmd, &c.Handover)
	return cmd
}
