package player

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"platen/client"
	"platen/internal/company"
	"platen/internal/cursor"
	"platen/internal/operation"
	"platen/internal/problem"
)

// PlayRemote lets a policy play a sandbox over HTTP, whose clock is moved by hand, for so many
// working days from the morning on. It ends early if the company does. Blind replay and the
// oracle play other companies first, and so cannot play one that they are only shown.
func (p *Policy) PlayRemote(ctx context.Context, c *client.Client, days int) error {
	if p.kind == blind || p.kind == foreseeing {
		return fmt.Errorf("%s cannot play over HTTP", p.Name)
	}
	pl, err := newPlayer(&remote{ctx: ctx, client: c, table: newTable()}, *p)
	if err != nil {
		return err
	}
	for day := 1; day <= days; day++ {
		alive, err := pl.day()
		if err != nil {
			return fmt.Errorf("play as %s on day %d: %w", p.Name, day, err)
		}
		if !alive {
			break
		}
	}
	return nil
}

// remote is a door that leads through HTTP, as programs have it.
type remote struct {
	ctx    context.Context //nolint:containedctx // of the one game for which the door is opened
	client *client.Client
	table  *table
}

// maxSends bounds how often a request is sent that is turned away for a moment, as a second
// tick within a second is.
const maxSends = 60

// send sends a request and decodes the data of its response, unless data is nil. A refusal is
// the problem that the response names.
func (d *remote) send(method, path string, body []byte, data any) error {
	key := rand.Text()
	for n := 1; ; n++ {
		wait, err := d.attempt(method, path, key, body, data)
		if err != nil {
			err = fmt.Errorf("%s %s: %w", method, path, err)
		}
		if wait == 0 || n == maxSends {
			return err
		}
		select {
		case <-d.ctx.Done():
			return context.Cause(d.ctx) //nolint:wrapcheck // whoever ended the game knows why
		case <-time.After(wait):
		}
	}
}

// attempt sends a request once, and says how long to wait before it is sent again, 0 for never.
func (d *remote) attempt(method, path, key string, body []byte, data any) (wait time.Duration, err error) {
	in, err := http.NewRequestWithContext(d.ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return 0, err //nolint:wrapcheck // send names the request
	}
	if method == http.MethodPost {
		in.Header.Set("Idempotency-Key", key)
	}
	resp, err := d.client.Do(in) //nolint:bodyclose // the client has read it and closed it
	if err != nil {
		return 0, err //nolint:wrapcheck // send names the request
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err //nolint:wrapcheck // send names the request
	}
	var envelope struct {
		Data  jsontext.Value `json:"data"`
		Error *struct {
			Code      problem.Code `json:"code"`
			Message   string       `json:"message"`
			Retryable bool         `json:"retryable"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &envelope); err != nil {
		return 0, fmt.Errorf("decode the response: %w", err)
	}
	if e := envelope.Error; e != nil {
		if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && e.Retryable {
			wait = max(time.Duration(seconds)*time.Second, time.Millisecond)
		}
		return wait, problem.New(e.Code, "%s", e.Message)
	}
	if data == nil {
		return 0, nil
	}
	return 0, json.Unmarshal(envelope.Data, data) //nolint:wrapcheck // send names the request
}

func (d *remote) list(operationID string, decode func(raw []byte) any, filters ...string) ([]any, error) {
	query := url.Values{"limit": {"100"}}
	for i := 0; i < len(filters); i += 2 {
		query.Set(filters[i], filters[i+1])
	}
	var rows []any
	for walk := (cursor.Walk{}); ; {
		var page struct {
			Items      []jsontext.Value `json:"items"`
			NextCursor string           `json:"next_cursor"`
		}
		query.Del("cursor")
		if walk.Cursor != "" {
			query.Set("cursor", walk.Cursor)
		}
		path := d.table.operation(operationID).Path + "?" + query.Encode()
		err := d.send(http.MethodGet, path, nil, &page)
		rejected, ok := errors.AsType[*problem.Problem](err)
		if walk.Anew(ok && rejected.Code == problem.InvalidCursor) {
			rows = nil
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			rows = append(rows, decode(item))
		}
		if page.NextCursor == "" {
			return rows, nil
		}
		walk.Cursor = page.NextCursor
	}
}

func (d *remote) series() ([]*company.SeriesPoint, error) {
	var data struct {
		Points []*company.SeriesPoint `json:"points"`
	}
	err := d.send(http.MethodGet, "/sandbox/series", nil, &data)
	return data.Points, err
}

func (d *remote) glance() (operation.SandboxStatus, error) {
	var data operation.SandboxStatus
	err := d.send(http.MethodGet, "/sandbox", nil, &data)
	return data, err
}

func (d *remote) call(operationID, id string, body any) error {
	o := d.table.operation(operationID)
	raw := []byte("{}")
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return fmt.Errorf("encode the body of %s: %w", operationID, err)
		}
	}
	return d.send(o.Method, strings.Replace(o.Path, "{id}", id, 1), raw, nil)
}
