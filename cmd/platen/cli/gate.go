package cli

import (
	"context"
	"fmt"

	"platen/client"
)

// Demands of platen integration.
type Demands struct {
	client.Gate

	// Require is the least of both scores; client counts only where the sandbox was asked for faults.
	Require float64
}

// Any reports whether anything is demanded.
func (d *Demands) Any() bool { return d.Require > 0 || d.Gate != (client.Gate{}) }

// Validate refuses demands that nothing could meet.
func (d *Demands) Validate() error {
	for _, score := range []float64{d.Require, d.Carried, d.Client, d.Manners} {
		if score < 0 || score > 1 || score != score {
			return usagef("a score is between 0 and 1, not %v", score)
		}
	}
	if d.MinDue < 0 || d.MinHit < 0 {
		return usagef("--min-due and --min-hit are not negative")
	}
	return nil
}

// Judge returns an error unless an integration meets the demands.
func (d *Demands) Judge(s *client.Settlement) error {
	g := d.Gate
	g.Carried = max(g.Carried, d.Require)
	if s.Faulty {
		g.Client = max(g.Client, d.Require)
	}
	return g.Check(s) //nolint:wrapcheck // it speaks for itself
}

// Settlement reads the score of everything that was due by now. The error is one of usage where nothing is judged.
func Settlement(ctx context.Context, c *client.Client) (*client.Settlement, error) {
	status, err := c.GetSandbox(ctx)
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // the error of a request speaks for itself
	case status.Evaluation && status.Seed == nil: // only the grading key reads the seed
		return nil, usagef("the grading key judges an evaluation: set PLATEN_GRADING_KEY, or pass it as --key")
	case status.Bridge != client.BridgeManual:
		return nil, usagef("the automatic bridge carries the records of this sandbox: create one with --bridge manual")
	}
	s, err := client.SettleIntegration(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("settle: %w", err)
	}
	return s, nil
}
