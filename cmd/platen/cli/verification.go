package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"platen/internal/config"
	"platen/internal/edge/webhook/diagnosis"
)

// maxCaptured is far more than a delivery has, in bytes.
const maxCaptured = 1 << 20

var (
	errNotVerified = errors.New("not verified")
	errNoSecret    = errors.New("no secret: set --secret, or PLATEN_WEBHOOK_SECRET in the environment or a .env file")
)

// Verification examines a captured delivery and finds out why its signature does
// not fit.
type Verification struct {
	// Body is the file with the raw body; - is standard input.
	Body string
	// Headers are of the form "name: value", HeadersFile has more, one to a line.
	Headers     []string
	HeadersFile string
	// Secret is the receiver's, OldSecret that from before a rotation.
	Secret, OldSecret string
	// Computed is the signature that the receiver's own code computes.
	Computed string
	// At is when the delivery came by the receiver's clock, in RFC 3339; now when
	// empty.
	At string
	// JSON prints one object.
	JSON bool
}

// Run prints the result. It returns an error when a correct receiver rejects the
// delivery.
func (v *Verification) Run(in io.Reader, out io.Writer) error {
	c, err := v.capture(in)
	if err != nil {
		return err
	}
	r := diagnosis.Examine(c)
	if v.JSON {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	} else {
		describe(out, &r)
	}
	if !r.Verified {
		return errNotVerified
	}
	return nil
}

func describe(out io.Writer, r *diagnosis.Report) {
	switch {
	case r.Verified:
		fmt.Fprintln(out, "Verified: a signature is valid, and the timestamp is recent.")
	case r.Genuine:
		fmt.Fprintln(out, "Not verified: a signature is valid, but the timestamp is not.")
	default:
		fmt.Fprintln(out, "Not verified.")
	}
	for _, f := range r.Findings {
		sure := ""
		if !f.Certain {
			sure = "Likely: "
		}
		fmt.Fprintf(out, "\n  %s\n  %s%s\n", f.Code, sure, f.Text)
	}
}

// capture gathers the delivery and the receiver's secrets.
func (v *Verification) capture(in io.Reader) (*diagnosis.Capture, error) {
	c := &diagnosis.Capture{Header: http.Header{}, OldSecret: v.OldSecret, Computed: v.Computed, Now: time.Now()}
	var err error
	if c.Secret, err = config.Secret(v.Secret, secretVariable); err != nil {
		return nil, err
	}
	if c.Secret == "" {
		return nil, UsageError{errNoSecret}
	}
	if v.At != "" {
		if c.Now, err = time.Parse(time.RFC3339, v.At); err != nil {
			return nil, usagef("--at must be a time such as 2026-11-21T12:00:00Z, not %q", v.At)
		}
	}
	lines := v.Headers
	if v.HeadersFile != "" {
		text, err := os.ReadFile(v.HeadersFile)
		if err != nil {
			return nil, fmt.Errorf("read the headers: %w", err)
		}
		scanner := bufio.NewScanner(bytes.NewReader(text))
		for scanner.Scan() {
			lines = append(lines, scanner.Text())
		}
	}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if ok { // lines that are no header, such as the request line, are dropped
			c.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	if v.Body != "-" {
		file, err := os.Open(v.Body)
		if err != nil {
			return nil, fmt.Errorf("read the body: %w", err)
		}
		defer file.Close()
		in = file
	}
	if c.Body, err = io.ReadAll(io.LimitReader(in, maxCaptured)); err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return c, nil
}
