package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// caller talks to a server as any client would.
type caller struct {
	base string
	http *http.Client
	// heard is called after each call.
	heard func(call)
}

// call is one request and its result.
type call struct {
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	System   string          `json:"system,omitempty"`
	Request  json.RawMessage `json:"request,omitempty"`
	Status   int             `json:"status"`
	Took     time.Duration   `json:"-"`
	Millis   float64         `json:"milliseconds"`
	Response json.RawMessage `json:"response"`
	// Note is the purpose of the call.
	Note string `json:"note"`
}

// refusal is an error envelope.
type refusal struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	Details struct {
		Allowed []string `json:"allowed"`
	} `json:"details"`
}

// Error implements error.
func (r *refusal) Error() string { return fmt.Sprintf("%s: %s %s", r.Code, r.Message, r.Hint) }

// request holds the parts of a request to send.
type request struct {
	method, path, system, key, note string
	body                            any
}

// do sends a request and decodes the data of the response into out. Writes
// carry an Idempotency-Key of their own.
func (c *caller) do(ctx context.Context, q request, out any) error {
	var body []byte
	if q.body != nil {
		var err error
		if body, err = json.Marshal(q.body); err != nil {
			return fmt.Errorf("encode body: %w", err)
		}
	}
	r, err := http.NewRequestWithContext(ctx, q.method, c.base+q.path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%s %s: %w", q.method, q.path, err)
	}
	if q.key != "" {
		r.Header.Set("Authorization", "Bearer "+q.key)
	}
	if q.method == http.MethodPost {
		r.Header.Set("Idempotency-Key", rand.Text())
		if body != nil {
			r.Header.Set("Content-Type", "application/json")
		}
	}
	began := time.Now()
	response, err := c.http.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	const most = 4 << 20
	raw, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	took := time.Since(began)
	var envelope struct {
		Data  json.RawMessage `json:"data"`
		Error *refusal        `json:"error"`
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return fmt.Errorf("the response to %s %s, with status %d, is not an envelope",
			q.method, q.path, response.StatusCode)
	}
	c.heard(call{
		Method: q.method, Path: q.path, System: q.system, Request: body, Status: response.StatusCode, Took: took,
		Millis: float64(took.Microseconds()) / 1000, Response: raw, Note: q.note,
	})
	if envelope.Error != nil {
		return envelope.Error
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(envelope.Data, out); err != nil {
		return fmt.Errorf("decode the response to %s %s: %w", q.method, q.path, err)
	}
	return nil
}
