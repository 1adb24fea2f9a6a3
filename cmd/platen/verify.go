package main

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

	"github.com/spf13/cobra"

	"platen/internal/config"
	"platen/internal/webhook/diagnosis"
)

// maxCaptured is far more than a delivery has.
const maxCaptured = 1 << 20

var (
	errNotVerified = errors.New("not verified")
	errNoSecret    = errors.New("there is no secret: give it with --secret, in PLATEN_WEBHOOK_SECRET or in a .env file")
)

// verifyOptions are the flags of verify.
type verifyOptions struct {
	body, headersFile           string
	headers                     []string
	secret, oldSecret, computed string
	at                          string
	json                        bool
}

func verifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Verify a captured webhook, and find out why its signature does not fit",
		Long: `Verify a captured webhook, and find out why its signature does not fit.

Give the raw body, in a file or on standard input, the three headers that begin with
webhook-, and the secret that your program uses. With --computed, the signature that
your program computes for it, it also names the mistake of your program.

The exit status is 0 when a correct receiver accepts the request and 1 when not.`,
		Example: "  platen verify --body body.json --headers headers.txt\n  platen verify --header 'webhook-id: " +
			"evt_…' --header 'webhook-timestamp: …' \\\n    --header 'webhook-signature: v1,…' < body.json",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return verify(&o, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.body, "body", "-", "File with the raw body; - is standard input.")
	flags.StringArrayVar(&o.headers, "header", nil, "A header, as \"name: value\"; may be repeated.")
	flags.StringVar(&o.headersFile, "headers", "", "File with headers, one to a line.")
	flags.StringVar(&o.secret, "secret", "", "Secret that the receiver uses.")
	flags.StringVar(&o.oldSecret, "old-secret", "", "Secret from before a rotation.")
	flags.StringVar(&o.computed, "computed", "", "Signature that the receiver's own code computes.")
	flags.StringVar(&o.at, "at", "",
		"When the request came by the receiver's clock, such as 2026-11-21T12:00:00Z; now when left out.")
	flags.BoolVar(&o.json, "json", false, "Print one JSON object.")
	return cmd
}

func verify(o *verifyOptions, in io.Reader, out io.Writer) error {
	c, err := captured(o, in)
	if err != nil {
		return err
	}
	r := diagnosis.Examine(c)
	if o.json {
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
		fmt.Fprintln(out, "Verified: a signature fits, and the timestamp is near enough.")
	case r.Genuine:
		fmt.Fprintln(out, "Not verified: a signature fits, but not the time.")
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

// captured gathers the values that the flags name.
func captured(o *verifyOptions, in io.Reader) (*diagnosis.Capture, error) {
	c := &diagnosis.Capture{Header: http.Header{}, OldSecret: o.oldSecret, Computed: o.computed, Now: time.Now()}
	var err error
	if c.Secret, err = config.Secret(o.secret, secretVariable); err != nil {
		return nil, err
	}
	if c.Secret == "" {
		return nil, usageError{errNoSecret}
	}
	if o.at != "" {
		if c.Now, err = time.Parse(time.RFC3339, o.at); err != nil {
			return nil, usageError{fmt.Errorf("--at must be a time such as 2026-11-21T12:00:00Z, not %q", o.at)}
		}
	}
	lines := o.headers
	if o.headersFile != "" {
		text, err := os.ReadFile(o.headersFile)
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
	if o.body != "-" {
		file, err := os.Open(o.body)
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
