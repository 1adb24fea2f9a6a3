package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"platen/client"
)

// Creation creates a sandbox and prints its keys, or writes them to a .env file.
type Creation struct {
	Server string
	// Env is the file to write the keys to, none when empty.
	Env string
	// JSON prints one object.
	JSON bool
	// Out gets the keys, Notes the progress.
	Out, Notes io.Writer
}

// Run creates the sandbox. It solves a proof of work and waits in the queue if it
// has to, for as long as ctx lasts.
func (c *Creation) Run(ctx context.Context, in client.CreateSandboxInput) error {
	target := Target{Server: c.Server}
	origin, err := target.Origin()
	if err != nil {
		return err
	}
	if c.Env != "" {
		if c.JSON {
			return UsageError{errors.New("--env writes a file and --json prints; give one of them")}
		}
		if err := writable(c.Env); err != nil {
			return err
		}
	}
	s, err := connect(origin, client.Keys{}, client.OnWait(progress(c.Notes))).CreateSandbox(ctx, in)
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	if c.JSON {
		return WriteJSON(c.Out, s.NewSandbox)
	}
	lines := []string{
		urlVariable + "=" + origin + client.BasePath, officeVariable + "=" + s.OfficeKey,
		factoryVariable + "=" + s.FactoryKey,
	}
	fmt.Fprintf(c.Notes, "%s  %s, until %s\n",
		paintFor(c.Notes).in(bold, s.PublicName), s.SandboxID, s.ExpiresAt.Local().Format(time.TimeOnly))
	if c.Env == "" {
		fmt.Fprintln(c.Out, strings.Join(lines, "\n"))
		return nil
	}
	if err := writeEnv(c.Env, lines); err != nil {
		fmt.Fprintln(c.Out, strings.Join(lines, "\n")) // the server shows them once
		return err
	}
	fmt.Fprintf(c.Notes, "The keys are in %s. Look around with: platen status\n", c.Env)
	return nil
}

// progress returns a function that reports the queue and proofs of work, and
// repeats no line.
func progress(notes io.Writer) func(client.Wait) {
	last := ""
	return func(w client.Wait) {
		line := last
		switch {
		case w.Ticket != nil:
			line = fmt.Sprintf("All places are taken. Waiting: number %d in the queue, about %d s.",
				w.Ticket.Position, w.Ticket.EtaS)
		case w.Difficulty > 0:
			line = fmt.Sprintf("The server asks for a proof of work (%d bits, about %d hashes). Working on it.",
				w.Difficulty, 1<<min(w.Difficulty, 40))
		}
		if line != last {
			fmt.Fprintln(notes, line)
			last = line
		}
	}
}
