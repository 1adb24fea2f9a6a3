package admission

import (
	"context"
	"errors"
	"time"

	"platen/internal/edge/admission/pow"
	"platen/internal/store"
	"platen/internal/words/problem"
)

// proofKept is how long a used proof is remembered beyond its challenge, in
// case the clock steps back.
const proofKept = 10 * time.Minute

// PowDetails are the details of pow_required.
type PowDetails struct {
	// Challenge and Difficulty are the task.
	Challenge  string `json:"challenge"`
	Difficulty int    `json:"difficulty"`
	// Reason is the fault of the proof that was sent, if one was.
	Reason string `json:"reason,omitempty"`
}

// powRequired is the error with a fresh challenge.
func (c *Controller) powRequired(now time.Time, reason pow.Reason) error {
	message := map[pow.Reason]string{
		"":        "This server asks for a proof of work with each creation.",
		pow.Wrong: "The proof of work does not solve a challenge of this server.",
		pow.Stale: "The proof of work comes too late: its challenge has ended.",
		pow.Used:  "The proof of work has been used for another creation.",
	}[reason]
	difficulty := c.options.Difficulty
	return problem.New(problem.PowRequired, "%s", message).
		With(PowDetails{
			Challenge: c.challenges.Challenge(now, difficulty), Difficulty: difficulty, Reason: string(reason),
		})
}

// prove checks the header Sim-PoW and holds the proof, so that no other
// creation can use it meanwhile; the caller lets go of it. It returns the record
// that uses the proof up, or nil when none is asked for.
func (c *Controller) prove(ctx context.Context, sent []string, now time.Time) (*store.Record, error) {
	if c.options.Difficulty == 0 {
		return nil, nil //nolint:nilnil // no proof, no record
	}
	if len(sent) == 0 {
		return nil, c.powRequired(now, "")
	}
	name, ends, reason := c.challenges.Check(sent, now, c.options.Difficulty)
	if reason != "" {
		return nil, c.powRequired(now, reason)
	}
	if !c.hold(c.proofs, name) {
		return nil, c.powRequired(now, pow.Used)
	}
	_, err := c.store.Find(ctx, kindProof, name)
	if errors.Is(err, store.ErrNotFound) {
		return &store.Record{Kind: kindProof, Key: name, EndsAt: ends.Add(proofKept)}, nil
	}
	c.release(c.proofs, name)
	if err == nil {
		return nil, c.powRequired(now, pow.Used)
	}
	return nil, err //nolint:wrapcheck // the error names the record
}
