package command

import (
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/cmd/platen/cli"
)

// freshWorlds names worlds that are drawn for one evaluation.
const freshWorlds = "fresh"

// splitFlags say which set of worlds the seeds count, and where its secret comes from.
type splitFlags struct{ split, secretFile string }

func (s *splitFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.split, "split", "",
		"The set of worlds: train, dev, test or fresh. Defaults to train.")
	cmd.Flags().StringVar(&s.secretFile, "secret-file", "",
		"The secret of the worlds of test, as a pipe: <(pass show platen), or /dev/stdin.")
}

// draw draws a secret for fresh worlds, which are those of the split test by it; "" for others.
func (s *splitFlags) draw() (fresh string, err error) {
	known := []string{"", string(client.SplitTrain), string(client.SplitDev), string(client.SplitTest), freshWorlds}
	if !slices.Contains(known, s.split) {
		return "", cli.UsageError{Err: fmt.Errorf("--split is train, dev, test or fresh, not %q", s.split)}
	}
	if s.split != freshWorlds {
		return "", nil
	}
	s.split = string(client.SplitTest)
	return rand.Text() + rand.Text(), nil
}

// secret hides this process and returns the secret of the worlds: fresh where it was drawn, "" for a split without one.
func (s *splitFlags) secret(cmd *cobra.Command, fresh string) (string, error) {
	return secretOf(cmd, fresh, s.split, s.secretFile)
}
