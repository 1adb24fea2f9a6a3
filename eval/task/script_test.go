package task

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"platen/client"
	"platen/eval/oracle"
)

// script is a program that sends what an oracle sends, with one habit of careless programs. Of the tasks that few of
// them solve, more is asked than to know what to do.
type script struct {
	Name string
	// Habit says what it does otherwise than the oracle, as the guide does.
	Habit string
	// options are those of its client beside the oracle's.
	options []client.Option
	spoil   func(http.RoundTripper) http.RoundTripper
	// defect is the habit in a program that a task asks for, "" for none.
	defect string
	// solve is its own way to a solution, nil for that of the oracle.
	solve func(context.Context, *Task, *oracle.Player) ([]byte, error)
}

// scripts are the oracle itself and four careless ones.
func scripts() []script {
	return []script{
		{Name: "careful", Habit: "is the oracle", spoil: unspoilt},
		{Name: "new keys", Habit: "draws another idempotency key for each attempt of a write",
			spoil:  func(next http.RoundTripper) http.RoundTripper { return newKeys{next} },
			defect: "keys"},
		{Name: "no retries", Habit: "ends at the first request that fails or gets no response",
			options: []client.Option{client.MaxRetries(0)},
			spoil:   func(next http.RoundTripper) http.RoundTripper { return &oneFailure{next: next} },
			defect:  "once"},
		{Name: "first page", Habit: "reads the first ten rows of a list and takes them for all",
			spoil:  func(next http.RoundTripper) http.RoundTripper { return firstPage{next} },
			defect: "page"},
		{Name: "roughly", Habit: "counts money in whole units, and reads lists without their filters",
			spoil:  func(next http.RoundTripper) http.RoundTripper { return roughly{next} },
			defect: "unit"},
	}
}

// unspoilt sends everything.
func unspoilt(next http.RoundTripper) http.RoundTripper { return next }

// player is the oracle with the habit of a script. It ends ctx after too many requests.
func (s script) player(ctx context.Context, baseURL string, p *Prepared) (context.Context, *oracle.Player) {
	ctx, end := context.WithCancelCause(ctx)
	sent := &limited{next: s.spoil(http.DefaultTransport), end: end}
	options := append([]client.Option{client.HTTPClient(&http.Client{Transport: sent})}, s.options...)
	keys := client.Keys{Office: p.OfficeKey, Factory: p.FactoryKey}
	return ctx, oracle.NewPlayer(baseURL, keys, p.Files, options...)
}

// try has a script try a task. One that crashes, since it takes a part of a list for the whole, has tried.
func (s script) try(ctx context.Context, k *Task, p *oracle.Player) (filed []byte, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = fmt.Errorf("it crashed: %v", crash)
		}
	}()
	switch {
	case s.solve != nil:
		return s.solve(ctx, k, p)
	case s.defect != "" && k.Program != nil:
		answer, err := oracle.Repaired(p, s.defect)
		if err != nil {
			return nil, err
		}
		return json.Marshal(answer)
	}
	return Solve(ctx, k, p)
}

// limited ends a script that goes round in circles.
type limited struct {
	next http.RoundTripper
	end  context.CancelCauseFunc
	sent int
}

var errCircles = errors.New("too many requests were sent")

// RoundTrip implements http.RoundTripper.
func (b *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	const most = 6_000
	if b.sent++; b.sent > most {
		b.end(errCircles)
		return nil, errCircles
	}
	return b.next.RoundTrip(r) //nolint:wrapcheck // it is one itself
}

// newKeys sends each attempt of a write with another idempotency key.
type newKeys struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (n newKeys) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.Method != http.MethodGet {
		r.Header.Set("Idempotency-Key", rand.Text())
	}
	return n.next.RoundTrip(r) //nolint:wrapcheck // it is one itself
}

// oneFailure lets no request pass after one that failed.
type oneFailure struct {
	next  http.RoundTripper
	ended bool
}

var errEnded = errors.New("an earlier request failed")

// RoundTrip implements http.RoundTripper.
func (o *oneFailure) RoundTrip(r *http.Request) (*http.Response, error) {
	if o.ended {
		return nil, errEnded
	}
	response, err := o.next.RoundTrip(r)
	o.ended = err != nil || response.StatusCode >= http.StatusBadRequest
	return response, err //nolint:wrapcheck // it is one itself
}

// firstPage cuts lists off behind ten rows.
type firstPage struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (f firstPage) RoundTrip(r *http.Request) (*http.Response, error) {
	const rows = 10
	return edited(f.next, r, func(text []byte) []byte {
		var body struct {
			Meta json.RawMessage            `json:"meta"`
			Data map[string]json.RawMessage `json:"data"`
		}
		var items []json.RawMessage
		if json.Unmarshal(text, &body) != nil || json.Unmarshal(body.Data["items"], &items) != nil || items == nil {
			return text
		}
		page, err := json.Marshal(items[:min(rows, len(items))])
		if err != nil {
			return text
		}
		body.Data["items"], body.Data["next_cursor"] = page, json.RawMessage("null")
		if cut, err := json.Marshal(body); err == nil {
			return cut
		}
		return text
	})
}

// roughly drops the last two digits of amounts of money, and the filters of lists.
type roughly struct{ next http.RoundTripper }

var minor = regexp.MustCompile(`"[a-z_]+_minor":-?\d+[,}]`)

// RoundTrip implements http.RoundTripper.
func (o roughly) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	kept := url.Values{}
	for name, values := range r.URL.Query() {
		if slices.Contains([]string{"cursor", "limit", "after_seq"}, name) {
			kept[name] = values
		}
	}
	r.URL.RawQuery = kept.Encode()
	return edited(o.next, r, func(text []byte) []byte {
		return minor.ReplaceAllFunc(text, func(amount []byte) []byte {
			name, digits, _ := strings.Cut(string(amount[:len(amount)-1]), ":")
			return fmt.Appendf(nil, "%s:%s%c", name, wholeUnits(digits), amount[len(amount)-1])
		})
	})
}

// wholeUnits are the digits of an amount without its hundredths.
func wholeUnits(digits string) string {
	if len(strings.TrimPrefix(digits, "-")) < len("100") {
		return "0"
	}
	return digits[:len(digits)-len("00")] + "00"
}

// edited sends a request and changes the body of a response that is good.
func edited(next http.RoundTripper, r *http.Request, edit func([]byte) []byte) (*http.Response, error) {
	response, err := next.RoundTrip(r)
	if err != nil || response.StatusCode != http.StatusOK {
		return response, err //nolint:wrapcheck // it is one itself
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the response: %w", err)
	}
	text = edit(text)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	response.Header.Del("Content-Length")
	return response, nil
}
