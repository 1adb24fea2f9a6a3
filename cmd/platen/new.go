package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"platen/client"
)

// newOptions are the flags of new.
type newOptions struct {
	place

	preset, bridge, clock, env string
	seed                       int64
	json                       bool
}

func newCommand() *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Create a sandbox and print its keys, or write them to a .env file",
		Long: `Create a sandbox and print its keys, or write them to a .env file.

The keys are printed as lines of a .env file, so this puts them into a shell:

  export $(platen new)

If the server requires a proof of work, this finds one; if all places are taken, it
waits in the queue, and says so on standard error. --env writes the lines to a file that
only its owner can read, and leaves the other lines of it as they are.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	o.flags(cmd, false)
	flags := cmd.Flags()
	flags.StringVar(&o.preset, "preset", "", "The preset of the sandbox; starter when empty.")
	flags.Int64Var(&o.seed, "seed", -1, "Makes the world repeatable; at random when negative.")
	flags.StringVar(&o.bridge, "bridge", "", "auto or manual; the preset's own when empty.")
	flags.StringVar(&o.clock, "clock", "", "realtime or manual; the preset's own when empty.")
	flags.StringVar(&o.env, "env", "", "File to write the keys to, instead of printing them.")
	flags.BoolVar(&o.json, "json", false, "Print one JSON object.")
	return cmd
}

func (o *newOptions) run(cmd *cobra.Command) error {
	origin, err := o.origin()
	if err != nil {
		return err
	}
	if o.env != "" {
		if o.json {
			return usageError{errors.New("--env writes a file and --json prints; give one of them")}
		}
		if err := writable(o.env); err != nil {
			return err
		}
	}
	in := client.CreateSandboxInput{}
	if o.preset != "" {
		in.Preset = &o.preset
	}
	if o.seed >= 0 {
		in.Seed = &o.seed
	}
	if o.bridge != "" {
		in.Bridge = new(client.Bridge(o.bridge))
	}
	if o.clock != "" {
		in.Clock = new(client.ClockMode(o.clock))
	}
	notes := cmd.ErrOrStderr()
	watching := &http.Client{Timeout: pollTimeout, Transport: &watcher{notes: notes, base: http.DefaultTransport}}
	s, err := client.CreateSandbox(cmd.Context(), origin+client.BasePath, in, client.HTTPClient(watching),
		client.UserAgent("platen-cli"))
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	if o.json {
		encoder := json.NewEncoder(cmd.OutOrStdout())
		encoder.SetIndent("", "  ")
		return encoder.Encode(s.NewSandbox)
	}
	lines := []string{
		urlVariable + "=" + origin + client.BasePath, officeVariable + "=" + s.OfficeKey,
		factoryVariable + "=" + s.FactoryKey,
	}
	colour := paintFor(notes)
	fmt.Fprintf(notes, "%s  %s, until %s\n",
		colour.in(bold, s.PublicName), s.SandboxID, s.ExpiresAt.Local().Format(time.TimeOnly))
	if o.env == "" {
		fmt.Fprintln(cmd.OutOrStdout(), strings.Join(lines, "\n"))
		return nil
	}
	if err := writeEnv(o.env, lines); err != nil {
		fmt.Fprintln(cmd.OutOrStdout(), strings.Join(lines, "\n")) // they are shown once
		return err
	}
	fmt.Fprintf(notes, "The keys are in %s. Look around with: platen status\n", o.env)
	return nil
}

// writable returns the error that writeEnv would meet, before there are keys
// that could be lost.
func writable(name string) error {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write %s: it is no regular file", name)
	}
	temporary, err := os.CreateTemp(filepath.Dir(name), ".env-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return errors.Join(temporary.Close(), os.Remove(temporary.Name()))
}

// writeEnv puts variables into a file that only its owner can read. Its other
// lines stay.
func writeEnv(name string, lines []string) error {
	old, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read %s: %w", name, err)
	}
	var kept []string
	for line := range strings.Lines(string(old)) {
		variable, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if !slices.ContainsFunc(lines, func(l string) bool {
			return strings.HasPrefix(l, strings.TrimSpace(variable)+"=")
		}) {
			kept = append(kept, strings.TrimRight(line, "\r\n"))
		}
	}
	text := strings.Join(append(kept, lines...), "\n") + "\n"
	temporary, err := os.CreateTemp(filepath.Dir(name), ".env-*") // readable by its owner alone
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // when it has not got its name
	if _, err := temporary.WriteString(text); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := temporary.Close(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.Rename(temporary.Name(), name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// watcher reports the progress of a creation that has to wait.
type watcher struct {
	notes io.Writer
	base  http.RoundTripper
	last  string
}

// RoundTrip implements http.RoundTripper.
func (w *watcher) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := w.base.RoundTrip(r)
	if err != nil || answer.StatusCode != http.StatusAccepted && answer.StatusCode != http.StatusPreconditionRequired {
		return answer, err //nolint:wrapcheck // the client names the failed operation
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxFeedPage))
	if err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	var envelope struct {
		Data  client.QueueTicket `json:"data"`
		Error struct {
			Details struct {
				Difficulty int `json:"difficulty"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &envelope) != nil {
		return answer, nil
	}
	told := fmt.Sprintf("All places are taken. Waiting: number %d in the queue, about %d s.",
		envelope.Data.Position, envelope.Data.EtaS)
	if answer.StatusCode == http.StatusPreconditionRequired {
		told = fmt.Sprintf("The server asks for a proof of work (%d bits, about %d hashes). Working on it.",
			envelope.Error.Details.Difficulty, 1<<min(envelope.Error.Details.Difficulty, 40))
	}
	if told != w.last {
		fmt.Fprintln(w.notes, told)
		w.last = told
	}
	return answer, nil
}
