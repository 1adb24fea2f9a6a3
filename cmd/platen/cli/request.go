package cli

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"

	"platen/client"
)

// maxBody is the largest body that is read from standard input, in bytes, far more
// than any request may have.
const maxBody = 16 << 20

// Request sends one request with the key that its path requires, and prints the
// response.
type Request struct {
	Target

	// Data is the body, or @ and the name of a file with it, @- for In.
	Data string
	// IdempotencyKey of a write; one is made and shown when it is empty.
	IdempotencyKey string
	// Headers are of the form "name: value".
	Headers []string
	// Include prints the status and the headers, too; Raw prints the body as it
	// came.
	Include, Raw bool

	In         io.Reader
	Out, Notes io.Writer
}

// Run sends the request once. It returns the error of the response, if there is one.
func (r *Request) Run(ctx context.Context, method, path string) error {
	origin, err := r.Origin()
	if err != nil {
		return err
	}
	path = strings.TrimPrefix("/"+strings.TrimPrefix(path, "/"), client.BasePath)
	request, err := r.request(ctx, method, path)
	if err != nil {
		return err
	}
	keys, keysErr := r.Keys()
	// Where the right key is missing another is sent: the error of the server names the
	// one it wants.
	keys.Office, keys.Factory = cmp.Or(keys.Office, keys.Factory, keys.Grading),
		cmp.Or(keys.Factory, keys.Office, keys.Grading)
	response, err := connect(origin, keys).Do(request)
	switch {
	case errors.Is(err, client.ErrNoKey):
		return keysErr
	case err != nil:
		return Brief(err)
	}
	defer response.Body.Close()
	return r.show(response)
}

func (r *Request) request(ctx context.Context, method, path string) (*http.Request, error) {
	body, err := r.body()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return nil, usagef("%s %s cannot be requested: %w", method, path, err)
	}
	if method != http.MethodGet && method != http.MethodHead {
		key := r.IdempotencyKey
		if key == "" {
			key = rand.Text()
			fmt.Fprintf(r.Notes, "Idempotency-Key: %s\n", key)
		}
		request.Header.Set("Idempotency-Key", key)
	}
	given := http.Header{} // one that is given twice is sent twice, and takes the place of a default
	for _, header := range r.Headers {
		name, value, ok := strings.Cut(header, ":")
		if !ok || strings.TrimSpace(name) == "" {
			return nil, usagef("--header must be a name, a colon and a value, not %q", header)
		}
		given.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	maps.Copy(request.Header, given)
	return request, nil
}

func (r *Request) body() ([]byte, error) {
	name, isFile := strings.CutPrefix(r.Data, "@")
	var body []byte
	var err error
	switch {
	case !isFile:
		return []byte(r.Data), nil
	case name == "-":
		body, err = io.ReadAll(io.LimitReader(r.In, maxBody))
	default:
		body, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, fmt.Errorf("read the body: %w", err)
	}
	return body, nil
}

// show prints a response, and returns its error.
func (r *Request) show(response *http.Response) error {
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	if r.Include {
		fmt.Fprintf(r.Out, "%s %s\n", response.Proto, response.Status)
		if err := response.Header.Write(r.Out); err != nil {
			return fmt.Errorf("print: %w", err)
		}
		fmt.Fprintln(r.Out)
	}
	shown := bytes.Buffer{}
	if r.Raw || json.Indent(&shown, body, "", "  ") != nil {
		shown = *bytes.NewBuffer(body)
	} else if len(body) > 0 {
		shown.WriteByte('\n')
	}
	if _, err := r.Out.Write(shown.Bytes()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if response.StatusCode < http.StatusBadRequest {
		return nil
	}
	rejected := rejection(response, body)
	if known, ok := errors.AsType[*client.Error](rejected); ok {
		return shownError{known}
	}
	return rejected
}

// rejection is the error of a response that is no success.
func rejection(response *http.Response, body []byte) error {
	var envelope struct {
		Error *struct{ Code, Message, Hint string } `json:"error"`
	}
	if json.Unmarshal(body, &envelope) == nil && envelope.Error != nil {
		e := envelope.Error
		return &client.Error{Status: response.StatusCode, Code: e.Code, Message: e.Message, Hint: e.Hint}
	}
	return fmt.Errorf("the response is %s", response.Status)
}
