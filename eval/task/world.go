package task

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"platen/client"
	"platen/eval/player"
)

// row is a record as the API returns it. Numbers are json.Number.
type row map[string]any

// world reads the records of one sandbox, each list once.
type world struct {
	// player has the two keys of the player, grader the grading key. judged has the grading key of
	// the sandbox of which this one is a fork, nil for none: what a fork lacks, or gives ids of its
	// own, is read there.
	player, grader, judged *client.Client
	// base is the base URL of the API.
	base string

	lists map[string][]row
	// it is the row of the innermost each of a prelude.
	it row
	// named are the values of let.
	named map[string]string
	// split, seed and given are the world: given its number where only a secret tells it.
	split       string
	seed, given uint64
}

func newWorld(s *client.Sandbox, base string) *world {
	w := &world{base: base, lists: map[string][]row{}, named: map[string]string{}}
	w.player = patientClient(base, client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey})
	if s.GradingKey != "" {
		w.grader = patientClient(base, client.Keys{Grading: s.GradingKey})
	}
	return w
}

// forget lets lists be read anew.
func (w *world) forget() { w.lists = map[string][]row{} }

// patientClient returns a client that repeats what an injected fault stops: the faults of a task
// meet its graders too. It hardly waits, since nothing else limits them.
func patientClient(base string, keys client.Keys) *client.Client {
	const maxRetries, pause, forever = 60, 5 * time.Millisecond, time.Hour
	return client.New(base, keys, client.MaxRetries(maxRetries), client.MaxElapsed(forever),
		client.Clock(time.Now, func(ctx context.Context, _ time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err() //nolint:wrapcheck // the client names the request
			case <-time.After(pause):
				return nil
			}
		}))
}

// patience is how long something may take that is waited for.
const patience = time.Minute

// client returns the client for a path, with the grading key for what judges alone may do.
func (w *world) client(method, path string) *client.Client {
	path, _, _ = strings.Cut(path, "?")
	switch {
	case w.judged != nil && (path == "/events" || path == "/sandbox/faults"):
		return w.judged
	case w.grader == nil, strings.HasPrefix(path, "/office"), strings.HasPrefix(path, "/factory"),
		strings.HasPrefix(path, "/webhooks"), path == "/sandbox/tick":
		return w.player
	case method != http.MethodGet, strings.HasPrefix(path, "/sandbox"):
		return w.grader
	default:
		return w.player
	}
}

// send sends a request and returns the data of its response.
func (w *world) send(ctx context.Context, method, path string, body []byte) (json.RawMessage, error) {
	return w.client(method, path).Send(ctx, method, path, body) //nolint:wrapcheck // the client names the request
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

// list reads all rows of a list, oldest first.
func (w *world) list(ctx context.Context, path string) ([]row, error) {
	if rows, ok := w.lists[path]; ok {
		return rows, nil
	}
	var query url.Values
	if path == "/events" {
		query = url.Values{"after_seq": {"0"}}
	}
	var rows []row
	for text, err := range w.client(http.MethodGet, path).Rows(ctx, path, query) {
		if err != nil {
			return nil, err //nolint:wrapcheck // the client names the request
		}
		r, err := decode(text)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	if path != "/events" { // which alone is in the order of time
		slices.Reverse(rows)
	}
	w.lists[path] = rows
	return rows, nil
}

// fits reports whether a value is one of those that an address names, or none of them behind a !, or lies below or
// from a bound on.
func fits(value, wanted string) bool {
	if others, ok := strings.CutPrefix(wanted, "!"); ok {
		return !fits(value, others)
	}
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

// textOf is the value of a field as text, or of a field in an object or in a list of objects in it, such as
// lines.0.sku; "" for null.
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
	case []any:
		place, name, _ := strings.Cut(rest, ".")
		if i, err := strconv.Atoi(place); err == nil && i >= 0 && i < len(v) {
			line, _ := v[i].(map[string]any)
			return textOf(line, name)
		}
	}
	b, err := json.Marshal(r[first])
	if err != nil {
		return ""
	}
	return string(b)
}

// expression is ${...}: it.FIELD, vary.FIELD, a name of let, or address|index|field. An index may
// be negative, for rows from the newest on, or count, sum, list (the texts sorted), row (the texts in the order of
// the rows), all (these behind commas), or most N FIELD: the texts of the N rows with the most in that field, behind
// commas.
var expression = regexp.MustCompile(`\$\{((?:[^{}]|\{[a-z_.]+\})*)\}`)

// inner is {NAME} or {it.FIELD} in an address, for the value.
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
	e = inner.ReplaceAllStringFunc(e, func(name string) string {
		name = name[1 : len(name)-1]
		if field, ok := strings.CutPrefix(name, "it."); ok {
			return textOf(w.it, field)
		}
		return w.named[name]
	})
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
	case "all":
		return strings.Join(textsOf(rows, parts[field]), ","), nil
	}
	if by, ok := strings.CutPrefix(parts[index], "most "); ok {
		return most(rows, by, parts[field])
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

// most are the texts in a field of the rows that have the most by "N FIELD". Of two that are alike the older one comes
// first.
func most(rows []row, by, field string) (string, error) {
	count, name, _ := strings.Cut(by, " ")
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 || n > len(rows) {
		return "", fmt.Errorf("there are no %s of %d rows", count, len(rows))
	}
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b row) int { return order(textOf(b, name), textOf(a, name)) })
	return strings.Join(textsOf(sorted[:n], field), ","), nil
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
func (w *world) let(ctx context.Context, t *Task) error {
	for i := range t.Let {
		l := &t.Let[i]
		var value string
		var err error
		switch {
		case l.Signals != nil:
			value, err = w.signalled(ctx, l.Signals)
		case l.Best != "":
			value, err = w.best(ctx, l, t.Budget.Minutes)
		case l.Skill != nil:
			value, err = w.worthOfSkill(t, *l.Skill, l.Day)
		case l.Plays != "" || l.Carries != "":
			var o player.Outcome
			o, err = w.played(ctx, t, l.Plays+l.Carries, l.Day)
			value = strconv.FormatInt(int64(o.NetWorthMinor), 10)
			if l.Carries != "" {
				value = strconv.FormatInt(o.Due, 10)
			}
		default:
			value, err = w.valueOf(ctx, l)
		}
		if err != nil {
			return fmt.Errorf("let %s: %w", l.Name, err)
		}
		w.named[l.Name] = value
	}
	return nil
}

// valueOf is the value of a let that needs the sandbox alone.
func (w *world) valueOf(ctx context.Context, l *Let) (string, error) {
	switch {
	case l.Audit != "":
		return w.audited(ctx, l.Audit)
	case l.Lots != "":
		return w.lotsWorthTheirPaper(ctx)
	}
	value, err := w.fill(ctx, l.Be)
	switch {
	case err != nil:
		return "", err
	case l.Times != 0 || l.Plus != "":
		return w.reckoned(ctx, l, value)
	case l.Cases == nil:
		return value, nil
	}
	text, ok := l.Cases[value]
	if !ok {
		return "", fmt.Errorf("there is no case of %s", quoted(value))
	}
	return w.fill(ctx, text)
}

// reckoned is a number times Times, and Plus.
func (w *world) reckoned(ctx context.Context, l *Let, value string) (string, error) {
	more, err := w.fill(ctx, cmp.Or(l.Plus, "0"))
	if err != nil {
		return "", err
	}
	a, ok := number(value)
	b, ok2 := number(more)
	if !ok || !ok2 {
		return "", fmt.Errorf("%s and %s are no numbers", quoted(value), quoted(more))
	}
	a.Mul(a, new(big.Rat).SetInt64(cmp.Or(l.Times, 1)))
	return a.Add(a, b).RatString(), nil
}
