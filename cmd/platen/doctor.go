package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/internal/config"
	"platen/internal/server"
)

const (
	// maxSkew is the largest difference of two clocks before receivers of
	// webhooks begin to turn deliveries away that take a while (contract:
	// SIG.RECEIVER.TOLERANCE allows 300 seconds).
	maxSkew = 30 * time.Second
	// leaseLeast is the least rest of a sandbox's time that is no finding.
	leaseLeast = 5 * time.Minute
	// doctorTimeout is the time limit of one check.
	doctorTimeout = 10 * time.Second
)

// errNotWell is the error of a failed check, whose finding has been printed
// already.
var errNotWell = errors.New("something is not well")

// finding is the result of one check.
type finding struct {
	Check string `json:"check"`
	// Verdict is ok, note or bad.
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
	Hint    string `json:"hint,omitempty"`
}

// doctor looks whether a client on this machine can work.
type doctor struct {
	place

	findings []finding
}

func doctorCommand() *cobra.Command {
	var d doctor
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check server, keys and clock",
		Long: "Check server, keys and clock: whether the server responds " +
			"and is ready, whether the clocks agree, whether the keys are valid and belong together, how much time\n" +
			"the sandbox has left, and who can read the .env file. It changes nothing.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			d.examine(cmd.Context())
			if asJSON {
				if err := printJSON(cmd.OutOrStdout(), d.findings); err != nil {
					return err
				}
			} else {
				d.print(cmd.OutOrStdout())
			}
			for _, f := range d.findings {
				if f.Verdict == "bad" {
					return errNotWell
				}
			}
			return nil
		},
	}
	d.flags(cmd, true)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON array with the findings.")
	return cmd
}

func (d *doctor) found(check, verdict, text, hint string) {
	d.findings = append(d.findings, finding{Check: check, Verdict: verdict, Text: text, Hint: hint})
}

func (d *doctor) print(out io.Writer) {
	p := paintFor(out)
	for _, f := range d.findings {
		mark := map[string]string{
			"ok": p.in(green, "ok  "), "note": p.in(yellow, "note"), "bad": p.in(red, "bad "),
		}[f.Verdict]
		fmt.Fprintf(out, "%s  %-8s %s\n", mark, f.Check, f.Text)
		if f.Hint != "" {
			fmt.Fprintf(out, "%15s%s\n", "", p.in(faint, f.Hint))
		}
	}
}

func (d *doctor) examine(ctx context.Context) {
	d.found("program", "ok", "platen "+server.Version(), "")
	d.dotEnv()
	origin, err := d.origin()
	if err != nil {
		d.found("server", "bad", err.Error(), "Give it with --server, or set PLATEN_URL.")
		return
	}
	if !d.server(ctx, origin) {
		return
	}
	keys, err := d.keys()
	if err != nil {
		d.found("keys", "note", "There are no keys to check.",
			"platen new --env .env creates a sandbox and writes its keys.")
		return
	}
	d.sandbox(ctx, origin, keys)
}

// dotEnv checks which users can read the keys.
func (d *doctor) dotEnv() {
	info, err := os.Stat(config.DotEnv)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return
	case err != nil:
		d.found(config.DotEnv, "bad", err.Error(), "")
	case info.Mode().Perm()&0o077 != 0:
		d.found(config.DotEnv, "note", fmt.Sprintf("Others can read it: its mode is %04o.", info.Mode().Perm()),
			"chmod 600 .env")
	default:
		d.found(config.DotEnv, "ok", "Only its owner can read it.", "")
	}
}

// server reports whether the server responds.
func (d *doctor) server(ctx context.Context, origin string) bool {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/readyz", http.NoBody)
	if err != nil {
		d.found("server", "bad", err.Error(), "")
		return false
	}
	began := time.Now()
	answer, err := (&http.Client{Timeout: doctorTimeout}).Do(r)
	if err != nil {
		d.found("server", "bad", fmt.Sprintf("%s does not respond: %v", origin, err), "Start one with: platen serve")
		return false
	}
	answer.Body.Close()
	took := time.Since(began)
	if answer.StatusCode != http.StatusOK {
		d.found("server", "bad", fmt.Sprintf("%s responds, and is not ready: %s", origin, answer.Status),
			"Its log says why.")
		return false
	}
	d.found("server", "ok", fmt.Sprintf("%s is ready, and responded in %d ms.", origin, took.Milliseconds()), "")
	if at, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		// The header has whole seconds, and the response took its time.
		skew := time.Until(at).Abs().Truncate(time.Second)
		if skew > maxSkew+took {
			d.found("clock", "bad", fmt.Sprintf("This machine's clock and the server's are %s apart.", skew),
				"Receivers reject signatures of webhooks when clocks are 300 seconds apart. Set the clock.")
		} else {
			d.found("clock", "ok", "This machine's clock and the server's agree.", "")
		}
	}
	return true
}

// sandbox looks whether the keys work, and belong together.
func (d *doctor) sandbox(ctx context.Context, origin string, keys client.Keys) {
	ids := map[string]bool{}
	for _, k := range []struct{ system, key string }{{"office", keys.Office}, {"factory", keys.Factory}} {
		if k.key == "" {
			d.found(k.system, "note", "There is no key for it.", "Both systems are needed to connect them.")
			continue
		}
		if !strings.HasPrefix(k.key, "lab_"+k.system[:3]+"_") {
			d.found(k.system, "bad", "The key does not begin with lab_"+k.system[:3]+"_.", "Are the two keys swapped?")
			continue
		}
		s, err := client.New(origin+client.BasePath, keysOf(k.key), client.MaxRetries(0)).GetSandbox(ctx)
		if err != nil {
			d.found(k.system, "bad", refused(err), "platen new creates another sandbox.")
			continue
		}
		d.found(k.system, "ok", fmt.Sprintf("The key opens %s (%s).", s.PublicName, s.SandboxID), "")
		if len(ids) == 0 {
			d.lease(s)
		}
		ids[s.SandboxID] = true
	}
	if len(ids) > 1 {
		d.found("keys", "bad", "The two keys belong to two sandboxes.", "Take both keys from the same response.")
	}
}

func (d *doctor) lease(s *client.SandboxStatus) {
	left := (time.Duration(s.ExpiresInS) * time.Second).String()
	switch {
	case s.Status != "active":
		d.found("sandbox", "bad", fmt.Sprintf("It is %s, and can only be read.", s.Status),
			"platen new creates another sandbox.")
	case time.Duration(s.ExpiresInS)*time.Second < leaseLeast:
		d.found("sandbox", "note", "It ends in "+left+".",
			fmt.Sprintf("It can be extended %d times: platen api POST /sandbox/extend", s.ExtensionsLeft))
	default:
		d.found("sandbox", "ok", "It lasts for another "+left+".", "")
	}
}

// refused is an error without the parts that are of no use to the reader.
func refused(err error) string {
	if e, ok := errors.AsType[*client.Error](err); ok && e.Message != "" {
		return e.Message
	}
	if _, ok := errors.AsType[*json.SyntaxError](err); ok {
		return "The response is not JSON: is this a Platen server?"
	}
	return err.Error()
}
