package command

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/cmd/platen/cli"
	"platen/eval"
	"platen/eval/task"
)

// chosenWorlds are the flags that choose the worlds in which tasks are played.
type chosenWorlds struct {
	splitFlags

	seeds, resume string
	first         int
}

func (c *chosenWorlds) add(cmd *cobra.Command) {
	c.splitFlags.add(cmd)
	cmd.Flags().StringVar(&c.seeds, "seeds", "",
		"Worlds to play: 1..20, or 3,8. Defaults to the published five, 1..5.")
	cmd.Flags().IntVar(&c.first, "worlds", 0, "How many of them to play. 0 plays all.")
	cmd.Flags().StringVar(&c.resume, "resume", "",
		"Save each try to this file, for platen tasks report, and skip the tries that it has.")
}

// tasks sets the tasks of a run: those of some names, or all.
func (*chosenWorlds) tasks(r *task.Run, names []string) error {
	var err error
	r.Tasks, err = tasksNamed(names)
	return err
}

// tasksNamed are the tasks of some names, or all but the companies.
func tasksNamed(names []string) ([]*task.Task, error) {
	all, err := task.All()
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the task
	}
	for _, name := range names {
		if _, err := taskNamed(name); err != nil {
			return nil, err
		}
	}
	if len(names) > 0 {
		all = slices.DeleteFunc(append(all, task.Companies()...), func(t *task.Task) bool {
			return !slices.Contains(names, t.Name)
		})
	}
	return all, nil
}

// worlds sets the worlds of a run, and returns the secret that they follow from, "" for none.
func (c *chosenWorlds) worlds(cmd *cobra.Command, r *task.Run) (secret string, err error) {
	if c.first < 0 || r.Tries < 0 || r.Timeout <= 0 {
		return "", cli.UsageError{
			Err: errors.New("--worlds and --tries must not be negative, and --timeout must be positive"),
		}
	}
	seeds, err := seedsOf(c.seeds)
	if err != nil {
		return "", err
	}
	if c.first > 0 {
		seeds = seeds[:min(c.first, len(seeds))]
	}
	if r.FreshSecret, err = c.draw(); err != nil {
		return "", err
	}
	if c.resume != "" {
		if err := r.Resume(c.resume, client.Split(c.split)); err != nil {
			return "", err //nolint:wrapcheck // it names the flag
		}
	}
	if secret, err = c.secret(cmd, r.FreshSecret); err != nil {
		return "", err
	}
	for _, seed := range seeds {
		r.Worlds = append(r.Worlds, task.World{Split: client.Split(c.split), Seed: seed, Secret: secret})
	}
	return secret, nil
}

// seedsOf are the seeds that a text names, the published ones for "".
func seedsOf(text string) ([]uint64, error) {
	if text == "" {
		return task.Published(), nil
	}
	return eval.ParseSeeds(text) //nolint:wrapcheck // it names the flag
}

// world is the world of one seed, and the secret of fresh worlds, "" for others.
func (s *splitFlags) world(cmd *cobra.Command, seed uint64) (at task.World, fresh string, err error) {
	if fresh, err = s.draw(); err != nil {
		return at, "", err
	}
	secret, err := s.secret(cmd, fresh)
	return task.World{Split: client.Split(s.split), Seed: seed, Secret: secret}, fresh, err
}

// printFresh says how anybody can play fresh worlds now.
func printFresh(cmd *cobra.Command, secret string) error {
	if secret == "" {
		return nil
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "\nThese worlds were drawn for this run. To play them again:\n"+
		"  --split test --secret-file <(echo %s)\n", secret)
	return err //nolint:wrapcheck // the root says where it writes
}
