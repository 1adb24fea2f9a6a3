package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"platen/client"
	"platen/internal/config"
)

const (
	// maxSkew is the largest difference of two clocks before receivers of
	// webhooks begin to turn deliveries away that take a while (contract:
	// SIG.RECEIVER.TOLERANCE allows 300 seconds).
	maxSkew = 30 * time.Second
	// minLease is the least rest of a sandbox's time that is no finding.
	minLease = 5 * time.Minute
	// doctorTimeout is the time limit of one check.
	doctorTimeout = 10 * time.Second
)

// errNotWell is the error of a failed check, whose finding has been printed
// already.
var errNotWell = errors.New("a check failed")

// finding is the result of one check.
type finding struct {
	Check string `json:"check"`
	// Verdict is ok, note or bad.
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
	Hint    string `json:"hint,omitempty"`
}

// Doctor checks whether a client on this machine can work. It changes nothing.
type Doctor struct {
	Target

	// Version is the version of this program.
	Version string
	// JSON prints one array.
	JSON bool
	// Storage, when set, is examined in the place of everything else: it returns
	// a sentence about what is well, and one for each damage.
	Storage func(context.Context) (well string, damages []string, err error)

	findings []finding
}

// Run prints the findings. It returns an error when one of them is bad.
func (d *Doctor) Run(ctx context.Context, out io.Writer) error {
	d.examine(ctx)
	if d.JSON {
		if err := WriteJSON(out, d.findings); err != nil {
			return err
		}
	} else {
		d.print(out)
	}
	for _, f := range d.findings {
		if f.Verdict == "bad" {
			return errNotWell
		}
	}
	return nil
}

func (d *Doctor) found(check, verdict, text, hint string) {
	d.findings = append(d.findings, finding{Check: check, Verdict: verdict, Text: text, Hint: hint})
}

func (d *Doctor) print(out io.Writer) {
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

func (d *Doctor) examine(ctx context.Context) {
	d.found("program", "ok", "platen "+d.Version, "")
	if d.Storage != nil {
		d.storage(ctx)
		return
	}
	d.dotEnv()
	origin, err := d.Origin()
	if err != nil {
		d.found("server", "bad", err.Error(), "Set --server or PLATEN_URL.")
		return
	}
	if !d.server(ctx, origin) {
		return
	}
	keys, err := d.Keys()
	if err != nil && !errors.Is(err, errNoKeys) {
		d.found("keys", "bad", err.Error(), "")
		return
	}
	if err != nil {
		d.found("keys", "note", "No keys to check.",
			"platen new --env .env creates a sandbox and writes its keys.")
		return
	}
	d.sandbox(ctx, origin, keys)
}

// storage checks a database.
func (d *Doctor) storage(ctx context.Context) {
	well, damages, err := d.Storage(ctx)
	if err != nil {
		d.found("database", "bad", err.Error(), "")
		return
	}
	d.found("database", "ok", well, "")
	for _, damage := range damages {
		d.found("sandbox", "bad", damage, "")
	}
}

// dotEnv checks which users can read the keys.
func (d *Doctor) dotEnv() {
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

// server reports whether the server responds. Its probe of readiness is no part of the
// API, so it needs no client of the API.
func (d *Doctor) server(ctx context.Context, origin string) bool {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, origin+"/readyz", http.NoBody)
	if err != nil {
		d.found("server", "bad", err.Error(), "")
		return false
	}
	began := time.Now()
	response, err := (&http.Client{Timeout: doctorTimeout}).Do(r)
	if err != nil {
		d.found("server", "bad", Brief(err).Error(), "")
		return false
	}
	response.Body.Close()
	took := time.Since(began)
	if response.StatusCode != http.StatusOK {
		d.found("server", "bad", fmt.Sprintf("%s responds but is not ready: %s", origin, response.Status),
			"See its log.")
		return false
	}
	d.found("server", "ok", fmt.Sprintf("%s is ready, and responded in %d ms.", origin, took.Milliseconds()), "")
	if at, err := http.ParseTime(response.Header.Get("Date")); err == nil {
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
func (d *Doctor) sandbox(ctx context.Context, origin string, keys client.Keys) {
	ids := map[string]bool{}
	for _, k := range []struct{ system, prefix, key string }{
		{"office", "lab_off_", keys.Office}, {"factory", "lab_fac_", keys.Factory},
		{"grading", "lab_grd_", keys.Grading},
	} {
		if k.key == "" && k.system == "grading" {
			continue // only evaluations have one
		}
		if k.key == "" {
			d.found(k.system, "note", "No key.", "Connecting the systems requires both keys.")
			continue
		}
		if !strings.HasPrefix(k.key, k.prefix) {
			d.found(k.system, "bad", "The key does not begin with "+k.prefix+".", "Are the two keys swapped?")
			continue
		}
		s, err := connect(origin, keysOf(k.key), client.MaxRetries(0)).GetSandbox(ctx)
		if err != nil {
			d.found(k.system, "bad", Brief(err).Error(), "platen new creates another sandbox.")
			continue
		}
		d.found(k.system, "ok", fmt.Sprintf("The key opens %s (%s).", s.PublicName, s.SandboxID), "")
		if len(ids) == 0 {
			d.lease(s)
		}
		ids[s.SandboxID] = true
	}
	if len(ids) > 1 {
		d.found("keys", "bad", "The keys belong to two sandboxes.", "Take all keys from the same response.")
	}
	if len(ids) == 1 && keys.Office+keys.Factory != "" {
		d.webhooks(ctx, connect(origin, keys, client.MaxRetries(0)))
	}
}

// webhooks looks for subscriptions that get nothing, or soon will.
func (d *Doctor) webhooks(ctx context.Context, c *client.Client) {
	const check = "webhooks"
	page, err := c.ListWebhooks(ctx, client.ListWebhooksParams{})
	if err != nil {
		d.found(check, "note", Brief(err).Error(), "")
		return
	}
	well := int64(0)
	for i := range page.Items {
		s := &page.Items[i]
		failed := fmt.Sprintf("%s in a row failed, the last with %s", count(s.ConsecutiveFailures, "attempt"),
			s.LastErrorClass)
		switch {
		case s.Status == client.SubscriptionStatusPendingVerification:
			d.found(check, "note", fmt.Sprintf("%s to %s gets nothing before its test.", s.ID, s.URLHost),
				"platen webhooks test "+s.ID)
		case s.Status == client.SubscriptionStatusDisabled && s.ConsecutiveFailures == 0:
			d.found(check, "note", fmt.Sprintf("%s to %s is disabled.", s.ID, s.URLHost), enabling(s.ID))
		case s.Status == client.SubscriptionStatusDisabled:
			d.found(check, "note", fmt.Sprintf("%s to %s is disabled: %s.", s.ID, s.URLHost, failed), enabling(s.ID))
		case s.ConsecutiveFailures > 0:
			d.found(check, "note", fmt.Sprintf("%s to %s: %s. The fifth disables it.", s.ID, s.URLHost, failed),
				"platen webhooks deliveries "+s.ID)
		default:
			well++
		}
	}
	if well > 0 {
		d.found(check, "ok", count(well, "subscription")+" without a failure.", "")
	}
}

// enabling are the commands that recover a subscription, with the events that it missed.
func enabling(id string) string {
	return fmt.Sprintf("platen webhooks update %s, then platen webhooks redeliver-failed %[1]s --since 1", id)
}

func (d *Doctor) lease(s *client.SandboxStatus) {
	left := time.Duration(s.ExpiresInS) * time.Second
	switch {
	case s.Status != "active":
		d.found("sandbox", "bad", fmt.Sprintf("It is %s and read-only.", s.Status),
			"platen new creates another sandbox.")
	case left < minLease:
		d.found("sandbox", "note", fmt.Sprintf("It ends in %s.", span(left)),
			fmt.Sprintf("It can be extended %s: platen extend", count(s.ExtensionsLeft, "time")))
	default:
		d.found("sandbox", "ok", fmt.Sprintf("It lasts for another %s.", span(left)), "")
	}
}
