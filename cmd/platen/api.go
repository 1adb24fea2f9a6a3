package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"platen/client"
)

// maxAnswer is the largest response that is read, in bytes, far more than any
// response has.
const maxAnswer = 16 << 20

// apiOptions are the flags of api.
type apiOptions struct {
	place

	data, idempotencyKey string
	headers              []string
	include, raw         bool
}

func apiCommand() *cobra.Command {
	var o apiOptions
	cmd := &cobra.Command{
		Use:   "api METHOD PATH",
		Short: "Send one request with the right key",
		Long: `Send one request with the right key.

The path is that of the docs, with its query: /office/sales-orders?status=received. It
decides the key. Writes are sent with an Idempotency-Key, which is shown on standard
error, for sending the same request again. The body comes from --data, as text, from a file
(@order.json) or from standard input (@-).

  platen api GET /office/cash
  platen api POST /office/sales-orders/so_1x8e10d1t6ymg/accept
  platen api POST /sandbox/tick --data '{"minutes":60}'`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usageError{
					errors.New("platen api takes a method and a path, such as: platen api GET /office/cash"),
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, strings.ToUpper(args[0]), args[1])
		},
	}
	o.flags(cmd, true)
	flags := cmd.Flags()
	flags.StringVarP(&o.data, "data", "d", "", "Body: JSON, @ and a file, or @- for standard input.")
	flags.StringVar(&o.idempotencyKey, "idempotency-key", "", "Idempotency-Key of a write; made when empty.")
	flags.StringArrayVarP(&o.headers, "header", "H", nil, "Another header, such as 'If-None-Match: \"1f\"'.")
	flags.BoolVarP(&o.include, "include", "i", false, "Print the status and the headers, too.")
	flags.BoolVar(&o.raw, "raw", false, "Print the response as it came, byte for byte.")
	return cmd
}

func (o *apiOptions) run(cmd *cobra.Command, method, path string) error {
	origin, err := o.origin()
	if err != nil {
		return err
	}
	path = strings.TrimPrefix("/"+strings.TrimPrefix(path, "/"), client.BasePath)
	r, err := o.request(cmd, method, origin+client.BasePath+path)
	if err != nil {
		return err
	}
	if path != "/sandboxes" && !strings.HasPrefix(path, "/queue/") {
		keys, err := o.keys()
		if err != nil {
			return err
		}
		// Where the right key is missing the other is sent: the server's
		// refusal names the one it wants.
		key := cmp.Or(keys.Office, keys.Factory)
		if strings.HasPrefix(path, "/factory/") {
			key = cmp.Or(keys.Factory, keys.Office)
		}
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for _, header := range o.headers {
		name, value, ok := strings.Cut(header, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return usageError{fmt.Errorf("--header must be a name, a colon and a value, not %q", header)}
		}
		r.Header.Set(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	answer, err := (&http.Client{Timeout: pollTimeout}).Do(r)
	if err != nil {
		return err //nolint:wrapcheck // the error names the address
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	return o.show(cmd.OutOrStdout(), answer, body)
}

// request is the call without its key.
func (o *apiOptions) request(cmd *cobra.Command, method, url string) (*http.Request, error) {
	body, err := o.body(cmd.InOrStdin())
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(cmd.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		return nil, usageError{fmt.Errorf("%s %s cannot be requested: %w", method, url, err)}
	}
	r.Header.Set("User-Agent", "platen-cli")
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	if method == http.MethodGet || method == http.MethodHead {
		return r, nil
	}
	key := o.idempotencyKey
	if key == "" {
		key = rand.Text()
		fmt.Fprintf(cmd.ErrOrStderr(), "Idempotency-Key: %s\n", key)
	}
	r.Header.Set("Idempotency-Key", key)
	return r, nil
}

func (o *apiOptions) body(in io.Reader) ([]byte, error) {
	name, isFile := strings.CutPrefix(o.data, "@")
	switch {
	case !isFile:
		return []byte(o.data), nil
	case name == "-":
		body, err := io.ReadAll(io.LimitReader(in, maxAnswer))
		if err != nil {
			return nil, fmt.Errorf("read the body: %w", err)
		}
		return body, nil
	}
	body, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return body, nil
}

// show prints a response, and returns its refusal.
func (o *apiOptions) show(out io.Writer, answer *http.Response, body []byte) error {
	if o.include {
		fmt.Fprintf(out, "%s %s\n", answer.Proto, answer.Status)
		if err := answer.Header.Write(out); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		fmt.Fprintln(out)
	}
	shown := bytes.Buffer{}
	if o.raw || json.Indent(&shown, body, "", "  ") != nil {
		shown = *bytes.NewBuffer(body)
	} else if len(body) > 0 {
		shown.WriteByte('\n')
	}
	if _, err := out.Write(shown.Bytes()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if answer.StatusCode < http.StatusBadRequest {
		return nil
	}
	var envelope struct {
		Error *refusal `json:"error"`
	}
	if json.Unmarshal(body, &envelope) == nil && envelope.Error != nil {
		return envelope.Error
	}
	return fmt.Errorf("the response is %s", answer.Status)
}
