package cli

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"platen/client"
	"platen/internal/config"
)

// startCheckpoint is the label of the checkpoint that each sandbox begins with.
const startCheckpoint = "start"

// WriteCheckpoint writes one checkpoint, for a person.
func WriteCheckpoint(out io.Writer, c *client.Checkpoint) {
	fmt.Fprintf(out, "%s  %s %s, %s, after event %d\n",
		paintFor(out).in(bold, c.Label), c.SimDate, c.SimTime, workingDay(c.DayNumber), c.Seq)
}

// WriteCheckpoints writes all checkpoints, the newest first, for a person.
func WriteCheckpoints(out io.Writer, checkpoints []client.Checkpoint) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i := range checkpoints {
		c := &checkpoints[i]
		fmt.Fprintf(w, "%s %s\t%s\tafter event %d\t%s\n", c.SimDate, c.SimTime, workingDay(c.DayNumber), c.Seq, c.Label)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Checkpoints reads all checkpoints of a sandbox.
func Checkpoints(ctx context.Context, c *client.Client) ([]client.Checkpoint, error) {
	var all []client.Checkpoint
	for checkpoint, err := range c.Checkpoints(ctx, client.ListCheckpointsParams{}) {
		if err != nil {
			return nil, err //nolint:wrapcheck // the client names the failed operation
		}
		all = append(all, checkpoint)
	}
	return all, nil
}

// Fork forks the sandbox of a target, and hands over the keys of the new one.
func Fork(ctx context.Context, t *Target, in client.ForkSandboxInput, h Handover) error {
	origin, err := t.Origin()
	if err != nil {
		return err
	}
	keys, err := t.Keys()
	if err != nil {
		return err
	}
	if err := h.ready(); err != nil {
		return err
	}
	s, err := connect(origin, keys, client.OnWait(progress(h.Notes))).ForkSandbox(ctx, in)
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	return h.hand(s, origin)
}

// Reset lets the sandbox of a target begin again: it forks the first morning, hands over
// the keys of the new sandbox, and deletes the old one. Without a file to write to, the
// one that had the keys gets the new ones.
func Reset(ctx context.Context, t *Target, h Handover) error {
	kept, err := t.kept()
	if err != nil {
		return err
	}
	if h.Env == "" && !h.JSON && kept {
		h.Env = config.DotEnv
	}
	origin, err := t.Origin()
	if err != nil {
		return err
	}
	old, err := t.Connect()
	if err != nil {
		return err
	}
	if err := h.ready(); err != nil {
		return err
	}
	s, err := old.ForkSandbox(ctx, client.ForkSandboxInput{Checkpoint: new(startCheckpoint)})
	if err != nil {
		return err //nolint:wrapcheck // as above
	}
	if err := h.hand(s, origin); err != nil {
		return err
	}
	if _, err := old.DeleteSandbox(ctx); err != nil {
		return fmt.Errorf("the new sandbox is created; the old one is not deleted: %w", err)
	}
	return nil
}
