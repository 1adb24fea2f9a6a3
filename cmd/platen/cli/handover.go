package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"platen/client"
)

// Handover says where the keys of a new sandbox go.
type Handover struct {
	// Env is the file to write them to, none when empty.
	Env string
	// JSON prints one object.
	JSON bool
	// Out gets the keys, Notes the progress.
	Out, Notes io.Writer
}

// ready returns the error that handing keys over would meet, before there are keys that
// could be lost.
func (h *Handover) ready() error {
	if h.Env == "" {
		return nil
	}
	if h.JSON {
		return UsageError{errors.New("use --env or --json, not both")}
	}
	return writable(h.Env)
}

// hand hands over the keys of a sandbox on a server.
func (h *Handover) hand(s *client.Sandbox, origin string) error {
	if h.JSON {
		if s.ForkedFrom == nil {
			return WriteJSON(h.Out, s.NewSandbox)
		}
		return WriteJSON(h.Out, struct {
			client.NewSandbox

			ForkedFrom *client.ForkedFrom `json:"forked_from"`
		}{s.NewSandbox, s.ForkedFrom})
	}
	lines := []string{
		urlVariable + "=" + origin + client.BasePath, officeVariable + "=" + s.OfficeKey,
		factoryVariable + "=" + s.FactoryKey,
	}
	if s.GradingKey != "" {
		lines = append(lines, gradingVariable+"="+s.GradingKey)
	}
	fmt.Fprintf(h.Notes, "%s  %s, until %s\n",
		paintFor(h.Notes).in(bold, s.PublicName), s.SandboxID, moment(s.ExpiresAt, time.Now()))
	if s.ForkedFrom != nil {
		fmt.Fprintln(h.Notes, forkOf(s.ForkedFrom))
	}
	if h.Env == "" {
		return printLines(h.Out, lines)
	}
	if err := writeEnv(h.Env, lines); err != nil {
		return errors.Join(printLines(h.Out, lines), err) // the server shows them once
	}
	fmt.Fprintf(h.Notes, "The keys are in %s. Next: platen status\n", h.Env)
	return nil
}

func printLines(out io.Writer, lines []string) error {
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}
