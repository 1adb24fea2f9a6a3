package task

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"platen/client"
	"platen/internal/cursor"
)

// row is a record as the API returns it. Numbers are json.Number.
type row map[string]any

// world reads the records of one sandbox, each list once.
type world struct {
	base  string
	keys  client.Keys
	lists map[string][]row
	// it is the row of the innermost each of a prelude.
	it row
	// named are the values of let.
	named map[string]string
	// judged is the grading key of the sandbox of which this one is a fork, "" for none: what has
	// ids of its own in each fork, and what a fork does not have, is read there.
	judged string
}

func newWorld(s *client.Sandbox, base string) *world {
	return &world{base: base, keys: s.Keys(), lists: map[string][]row{}, named: map[string]string{}}
}

// forget lets lists be read anew.
func (w *world) forget() { w.lists = map[string][]row{} }

// patientClient is shared by all worlds, so that connections are used again.
var patientClient = &http.Client{Timeout: patience} //nolint:gochecknoglobals // it keeps connections, and nothing else

const (
	// patience is how long a request may take.
	patience = time.Minute
	// maxResponse bounds a response, in bytes.
	maxResponse = 64 << 20
	pageLimit   = "100"
)

// key is the key with which a path is asked for. What only judges needs the grading key.
func (w *world) key(method, path string) string {
	switch {
	case w.judged != "" && (path == "/events" || path == "/sandbox/faults"):
		return w.judged
	case strings.HasPrefix(path, "/office"):
		return w.keys.Office
	case strings.HasPrefix(path, "/factory"):
		return w.keys.Factory
	case w.keys.Grading != "" && (method != http.MethodGet || strings.HasPrefix(path, "/sandbox")) &&
		path != "/sandbox/tick" && !strings.HasPrefix(path, "/webhooks"):
		return w.keys.Grading
	default:
		return w.keys.Office
	}
}

// send sends a request and returns the data of its response. What goes wrong on purpose in the
// sandbox of a task goes wrong for its graders, too: they ask again, with the same key.
func (w *world) send(ctx context.Context, method, path string, body []byte) (json.RawMessage, error) {
	key := "task-" + rand.Text()
	for attempt := 1; ; attempt++ {
		data, again, err := w.attempt(ctx, method, path, key, body)
		if err == nil || !again || attempt == maxAttempts {
			if err != nil {
				err = fmt.Errorf("%s %s: %w", method, path, err)
			}
			return data, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%s %s: %w", method, path, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

// A request is sent so many times at the most, with a pause before each further one.
const (
	maxAttempts = 60
	pause       = 5 * time.Millisecond
)

// attempt sends a request once, and says whether it is worth sending again.
func (w *world) attempt(
	ctx context.Context, method, path, key string, body []byte,
) (data json.RawMessage, again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, false, err //nolint:wrapcheck // send says which request
	}
	bare, _, _ := strings.Cut(path, "?")
	req.Header.Set("Authorization", "Bearer "+w.key(method, bare))
	if method != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := patientClient.Do(req)
	if err != nil {
		return nil, true, err //nolint:wrapcheck // send says which request
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return nil, true, err
	}
	var envelope struct {
		Data  json.RawMessage `json:"data"`
		Error *struct {
			Code      string `json:"code"`
			Message   string `json:"message"`
			Retryable bool   `json:"retryable"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &envelope); err != nil {
		return nil, resp.StatusCode >= http.StatusInternalServerError, fmt.Errorf("the response is no JSON: %w", err)
	}
	if e := envelope.Error; e != nil {
		passing := e.Retryable && resp.StatusCode != http.StatusConflict
		if e.Code == client.CodeInvalidCursor {
			return nil, false, fmt.Errorf("%w: %s", errForgotten, e.Message)
		}
		return nil, passing, fmt.Errorf("%s: %s", e.Code, e.Message)
	}
	return envelope.Data, false, nil
}

// object reads one object.
func (w *world) object(ctx context.Context, path string) (row, error) {
	data, err := w.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return decode(data)
}

func decode(data []byte) (row, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var r row
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("read a record: %w", err)
	}
	return r, nil
}

// errForgotten is a cursor that the server no longer knows, as an injected fault may have it.
var errForgotten = errors.New("invalid_cursor")

// list reads all rows of a list, oldest first, from its beginning again where the server has forgotten a cursor.
func (w *world) list(ctx context.Context, path string) ([]row, error) {
	if rows, ok := w.lists[path]; ok {
		return rows, nil
	}
	var rows []row
	for walk := (cursor.Walk{}); ; {
		query := url.Values{"limit": {pageLimit}}
		if walk.Cursor != "" {
			query.Set("cursor", walk.Cursor)
		} else if path == "/events" {
			query.Set("after_seq", "0")
		}
		data, err := w.send(ctx, http.MethodGet, path+"?"+query.Encode(), nil)
		if walk.Anew(errors.Is(err, errForgotten)) {
			rows = nil
			continue
		}
		if err != nil {
			return nil, err
		}
		var page struct {
			Items      []json.RawMessage `json:"items"`
			NextCursor *string           `json:"next_cursor"`
		}
		if err := json.Unmarshal(data, &page); err != nil {
			return nil, fmt.Errorf("read a page of %s: %w", path, err)
		}
		for _, item := range page.Items {
			r, err := decode(item)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r)
		}
		if page.NextCursor == nil {
			break
		}
		walk.Cursor = *page.NextCursor
	}
	if path != "/events" { // which alone is in the order of time
		slices.Reverse(rows)
	}
	w.lists[path] = rows
	return rows, nil
}

// fits reports whether a value is one of those that an address names, or lies below or from
// a bound on.
func fits(value, wanted string) bool {
	if bound, ok := strings.CutPrefix(wanted, "<"); ok {
		return value != "" && order(value, bound) == -1
	}
	if bound, ok := strings.CutPrefix(wanted, ">="); ok {
		return value != "" && slices.Contains([]int{0, 1}, order(value, bound))
	}
	return slices.Contains(strings.Split(wanted, ","), value)
}

// pick returns the rows of an address: a list, and fields with the values that they must
// have, as in /office/sales-orders?status=received,accepted&rush=true&quantity=<20.
func (w *world) pick(ctx context.Context, address string) ([]row, error) {
	path, text, _ := strings.Cut(address, "?")
	where, err := url.ParseQuery(text)
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", address, err)
	}
	all, err := w.list(ctx, path)
	if err != nil {
		return nil, err
	}
	var found []row
next:
	for _, r := range all {
		for field := range where {
			if !fits(textOf(r, field), where.Get(field)) {
				continue next
			}
		}
		found = append(found, r)
	}
	return found, nil
}

// textOf is the value of a field, or of a field in an object in it, as text; "" for null.
func textOf(r row, field string) string {
	first, rest, nested := strings.Cut(field, ".")
	switch v := r[first].(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case map[string]any:
		if nested {
			return textOf(v, rest)
		}
	}
	b, err := json.Marshal(r[first])
	if err != nil {
		return ""
	}
	return string(b)
}

// expression is ${...}: it.FIELD, vary.FIELD, a name of let, or address|index|field. An index may
// be negative, for rows from the newest on, or count, sum, list (the texts sorted) or row (the
// texts in the order of the rows).
var expression = regexp.MustCompile(`\$\{((?:[^{}]|\{[a-z_.]+\})*)\}`)

// inner is {NAME} in an address, for the value of a name.
var inner = regexp.MustCompile(`\{[a-z_.]+\}`)

// fill replaces the expressions in a text by their values.
func (w *world) fill(ctx context.Context, text string) (string, error) {
	var failed error
	filled := expression.ReplaceAllStringFunc(text, func(e string) string {
		value, err := w.value(ctx, expression.FindStringSubmatch(e)[1])
		failed = errors.Join(failed, err)
		return value
	})
	return filled, failed
}

func (w *world) value(ctx context.Context, e string) (string, error) {
	if field, ok := strings.CutPrefix(e, "it."); ok {
		return textOf(w.it, field), nil
	}
	if v, ok := w.named[e]; ok {
		return v, nil
	}
	e = inner.ReplaceAllStringFunc(e, func(name string) string { return w.named[name[1:len(name)-1]] })
	parts := strings.Split(e, "|")
	const address, index, field, all = 0, 1, 2, 3
	if len(parts) != all {
		return "", fmt.Errorf("%q is no name and no address|index|field", e)
	}
	rows, err := w.pick(ctx, parts[address])
	if err != nil {
		return "", err
	}
	switch parts[index] {
	case "count":
		return strconv.Itoa(len(rows)), nil
	case "sum":
		return sum(rows, parts[field])
	case "list":
		texts := textsOf(rows, parts[field])
		slices.Sort(texts)
		return array(texts)
	case "row":
		return array(textsOf(rows, parts[field]))
	}
	i, err := strconv.Atoi(parts[index])
	if err != nil {
		return "", fmt.Errorf("the index of %q is no number", e)
	}
	if i < 0 {
		i += len(rows)
	}
	if i < 0 || i >= len(rows) {
		return "", fmt.Errorf("%s has %d rows, and not the one of %q", parts[address], len(rows), e)
	}
	return textOf(rows[i], parts[field]), nil
}

// sum adds a field of rows up.
func sum(rows []row, field string) (string, error) {
	total := new(big.Rat)
	for _, r := range rows {
		n, ok := number(textOf(r, field))
		if !ok {
			return "", fmt.Errorf("%s of the row %s is no number", field, textOf(r, "id"))
		}
		total.Add(total, n)
	}
	return total.RatString(), nil
}

// textsOf are the texts in a field of rows.
func textsOf(rows []row, field string) []string {
	texts := make([]string, len(rows))
	for i, r := range rows {
		texts[i] = textOf(r, field)
	}
	return texts
}

// array is the JSON array of texts.
func array(texts []string) (string, error) {
	b, err := json.Marshal(texts)
	if err != nil {
		return "", fmt.Errorf("list texts: %w", err)
	}
	return string(b), nil
}

// let gives the names of a task their values.
func (w *world) let(ctx context.Context, all []Let) error {
	for _, l := range all {
		value, err := w.fill(ctx, l.Be)
		if err != nil {
			return fmt.Errorf("let %s: %w", l.Name, err)
		}
		w.named[l.Name] = value
	}
	return nil
}
