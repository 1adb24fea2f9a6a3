package command

import (
	"errors"

	"github.com/spf13/cobra"

	"platen/cmd/platen/cli"
)

// requireFlag is the demand of every gate.
const requireFlag = "require"

// mannersFlag is the demand of platen integration alone: a player that is graded is not judged by it.
const mannersFlag = "require-manners"

// demandFlags are the demands of a gate on an integration.
func demandFlags(cmd *cobra.Command, d *cli.Demands, require string) {
	f := cmd.Flags()
	f.Float64Var(&d.Require, requireFlag, 0, require)
	f.Float64Var(&d.Carried, "require-carried", 0, "Fail if the exactly-once score is less.")
	f.Float64Var(&d.Client, "require-client", 0, "Fail if your program recovered less, or if no fault hit it.")
	f.Int64Var(&d.MinDue, "min-due", 0, "Fail if fewer obligations were due.")
	f.Int64Var(&d.MinHit, "min-hit", 0, "Fail if faults hit fewer writes.")
}

// demanded refuses demands that nothing could meet, or that everything meets.
func demanded(cmd *cobra.Command, d *cli.Demands) error {
	f := cmd.Flags()
	if f.Changed(requireFlag) && d.Require == 0 || f.Changed("require-carried") && d.Carried == 0 ||
		f.Changed("require-client") && d.Client == 0 || f.Changed(mannersFlag) && d.Manners == 0 {
		return cli.UsageError{Err: errors.New("a score of 0 requires nothing: leave the flag out")}
	}
	return d.Validate() //nolint:wrapcheck // it names the flag
}
