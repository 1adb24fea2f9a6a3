package cli

import (
	"context"
	"fmt"
	"io"

	"platen/client"
	"platen/internal/config"
)

// Creation creates a sandbox and hands over its keys.
type Creation struct {
	Handover

	Server string
}

// Run creates the sandbox. It solves a proof of work and waits in the queue if it
// has to, for as long as ctx lasts.
func (c *Creation) Run(ctx context.Context, in client.CreateSandboxInput) error {
	target := Target{Server: c.Server}
	origin, err := target.Origin()
	if err != nil {
		return err
	}
	if err := c.ready(); err != nil {
		return err
	}
	creation, err := CreationKey()
	if err != nil {
		return err //nolint:wrapcheck // the error names the variable
	}
	s, err := connect(origin, client.Keys{}, client.OnWait(progress(c.Notes)), client.CreationKey(creation)).
		CreateSandbox(ctx, in)
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	return c.hand(s, origin)
}

// progress returns a function that reports the queue and proofs of work, and
// repeats no line.
func progress(notes io.Writer) func(client.Wait) {
	last := ""
	return func(w client.Wait) {
		line := last
		switch {
		case w.Ticket != nil:
			line = fmt.Sprintf("The server is full. Waiting: number %d in the queue, about %d s.",
				w.Ticket.Position, w.Ticket.EtaS)
		case w.Difficulty > 0:
			line = fmt.Sprintf("The server requires a proof of work (%d bits, about %d hashes). Computing it.",
				w.Difficulty, 1<<min(w.Difficulty, 40))
		}
		if line != last {
			fmt.Fprintln(notes, line)
			last = line
		}
	}
}

// EvaluationSecret returns the secret of the worlds of a split, "" for one that has none.
func EvaluationSecret(split string) (string, error) {
	if split != string(client.SplitTest) {
		return "", nil
	}
	secret, err := config.Secret("", "PLATEN_EVALUATION_SECRET")
	if err == nil && len(secret) < config.SecretLeast {
		err = usagef("--split test requires PLATEN_EVALUATION_SECRET, of %d characters or more: its "+
			"worlds derive from it",
			config.SecretLeast)
	}
	return secret, err //nolint:wrapcheck // the error names the variable
}

// CreationKey returns the key without which a closed server makes no sandbox, "" where none
// is set.
func CreationKey() (string, error) {
	return config.Secret("", creationVariable) //nolint:wrapcheck // the error names the variable
}

// GradingKey returns the key that judges a sandbox, "" where none is set.
func GradingKey() (string, error) {
	return config.Secret("", gradingVariable) //nolint:wrapcheck // the error names the variable
}
