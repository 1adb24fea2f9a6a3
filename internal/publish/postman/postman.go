// Package postman writes a collection for Postman, whose requests succeed from the first to the last. It reads the
// table of operations, and the bodies and keys that the docs show.
package postman

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"platen/internal/operation"
	"platen/internal/publish/specimen"
	"platen/internal/words/wire"
)

// Variables of the collection.
const (
	officeKey  = "office_key"
	factoryKey = "factory_key"
	forkKey    = "fork_office_key"
	webhookURL = "webhook_url"
)

// writer makes the requests of a table, and collects the variables that they keep.
type writer struct {
	table  []operation.Operation
	origin string
	kept   []string
}

// Collection returns the collection of a table for a server with an origin, as JSON.
func Collection(table []operation.Operation, origin string) ([]byte, error) {
	w := &writer{table: table, origin: origin, kept: []string{officeKey, factoryKey}}
	c := collection{Auth: noAuth()}
	c.Info.Name, c.Info.Schema = "Platen", format
	c.Info.Description = "A simulated printing company with two systems that share no data: Head Office and the " +
		"Factory. Run the collection, or send single requests after the first, which creates a sandbox and keeps " +
		"its keys. " + origin + "/docs/clients#postman says more."
	sent := map[string]bool{}
	for _, chapter := range chapters {
		folder := item{Name: chapter.name, Description: chapter.about}
		for _, s := range chapter.steps {
			op, err := w.operation(s.operation)
			if err != nil {
				return nil, err
			}
			if s.key == "" {
				s.key = keyOf(op)
			}
			folder.Item = append(folder.Item, w.item(op, &s))
			sent[op.ID] = true
		}
		c.Item = append(c.Item, folder)
	}
	for _, system := range []struct {
		name, key string
		of        operation.System
	}{
		{"Sandbox", officeKey, operation.Shared}, {"Head Office", officeKey, operation.Office},
		{"Factory", factoryKey, operation.Factory},
	} {
		folder := item{Name: system.name, Auth: bearer(system.key)}
		for _, op := range inOrder(table, system.of) {
			if absent[op.ID] != "" || sent[op.ID] && op.Method != http.MethodGet && particular[op.ID] == nil {
				continue
			}
			folder.Item = append(folder.Item, w.operationItems(op)...)
		}
		c.Item = append(c.Item, folder)
	}
	c.Variable = []variable{
		{"base_url", origin + wire.BasePath, "string"}, {webhookURL, "https://hooks.example.com/platen", "string"},
	}
	for _, name := range w.kept {
		c.Variable = append(c.Variable, variable{name, "", "string"})
	}
	return encode(c)
}

// encode leaves the characters of addresses and scripts as they are.
func encode(c collection) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		return nil, fmt.Errorf("encode the collection: %w", err)
	}
	return b.Bytes(), nil
}

func (w *writer) operation(id string) (*operation.Operation, error) {
	for i := range w.table {
		if w.table[i].ID == id {
			return &w.table[i], nil
		}
	}
	return nil, fmt.Errorf("the table has no operation %s", id)
}

// keyOf is the variable with the key that an operation takes, "" for none.
func keyOf(op *operation.Operation) string {
	switch op.System {
	case operation.Open:
		return ""
	case operation.Factory:
		return factoryKey
	default:
		return officeKey
	}
}

// inOrder are the operations of a system: those of a record together, from its creation to its deletion.
func inOrder(table []operation.Operation, system operation.System) []*operation.Operation {
	var all []*operation.Operation
	place := map[string]int{}
	for i := range table {
		if op := &table[i]; op.System == system {
			all = append(all, op)
			if _, ok := place[recordPath(op)]; !ok {
				place[recordPath(op)] = len(place)
			}
		}
	}
	place["/sandbox#delete"] = len(place)
	slices.SortStableFunc(all, func(a, b *operation.Operation) int {
		if n := place[recordPath(a)] - place[recordPath(b)]; n != 0 {
			return n
		}
		return stage(a) - stage(b)
	})
	return all
}

// recordPath is the path of the list that an operation's record is in. Forks are deleted last.
func recordPath(op *operation.Operation) string {
	if op.Kind == operation.Deletion {
		return op.Path + "#delete"
	}
	path, _, _ := strings.Cut(op.Path, "/{")
	return path
}

// stage is when in a record's life an operation is sent.
func stage(op *operation.Operation) int {
	switch {
	case op.Method == http.MethodPost && !op.HasID():
		return 0
	case op.Kind == operation.List && !op.HasID():
		return 1
	case op.Method == http.MethodGet:
		return 2
	case op.Method == http.MethodDelete:
		return 4
	default:
		return 3
	}
}

// operationItems are the requests of an operation in the folder of its system.
func (w *writer) operationItems(op *operation.Operation) []item {
	steps := particular[op.ID]
	if len(steps) == 0 {
		steps = []step{{}}
	}
	items := make([]item, len(steps))
	for i, s := range steps {
		if row := w.row(op.Path + "/{id}"); op.Paged() && op.Kind != operation.Poll && len(s.keep) == 0 && row != "" {
			s.keep = []string{row + "=items[0].id"}
		}
		items[i] = w.item(op, &s)
	}
	return items
}

// row is the variable with the id of the record at a path, "" where no operation reads one there.
func (w *writer) row(path string) string {
	for i := range w.table {
		if op := &w.table[i]; op.Method == http.MethodGet && op.Path == path {
			return strings.TrimPrefix(op.ID, "get_") + "_id"
		}
	}
	return ""
}

func (w *writer) item(op *operation.Operation, s *step) item {
	i := item{Name: op.Summary, Event: []script{w.script(op, s)}, Request: w.request(op, s)}
	if s.name != "" {
		i.Name = s.name
	}
	return i
}

// responseData is how a script begins a path. A variable of its own would still be there in the next script.
const responseData = "pm.response.json().data."

// script tests a response, and keeps what later requests need of it.
func (w *writer) script(op *operation.Operation, s *step) script {
	lines := []string{fmt.Sprintf("pm.test('responds with %d', () => pm.response.to.have.status(%d));",
		op.Status, op.Status)}
	for _, expected := range s.expect {
		path, value, _ := strings.Cut(expected, "=")
		lines = append(lines, fmt.Sprintf("pm.test('%s is %s', () => pm.expect(%s%s).to.equal('%s'));",
			path, value, responseData, path, value))
	}
	for _, kept := range s.keep {
		name, path, _ := strings.Cut(kept, "=")
		lines = append(lines, fmt.Sprintf("pm.collectionVariables.set('%s', %s%s);", name, responseData, path))
		if !slices.Contains(w.kept, name) {
			w.kept = append(w.kept, name)
		}
	}
	var out script
	out.Listen, out.Script.Type, out.Script.Exec = "test", "text/javascript", lines
	return out
}

func (w *writer) request(op *operation.Operation, s *step) *request {
	r := &request{Method: op.Method, Header: w.headers(op, s)}
	r.Description = strings.TrimSpace(op.Description + "\n\n" + w.origin + "/docs/api/" + op.ID)
	if s.key != "" {
		r.Auth = bearer(s.key)
	}
	r.URL = address{Host: []string{"{{base_url}}"}}
	path := w.fill(op, s, op.Path)
	r.URL.Path = strings.Split(strings.TrimPrefix(path, "/"), "/")
	var sent []string
	for _, p := range op.Query() {
		q := parameter{Key: p.Name, Value: possible(&p), Description: p.Doc, Disabled: true}
		for _, given := range s.query {
			if name, value, _ := strings.Cut(given, "="); name == p.Name {
				q.Value, q.Disabled = value, false
				sent = append(sent, given)
			}
		}
		r.URL.Query = append(r.URL.Query, q)
	}
	r.URL.Raw = "{{base_url}}" + path
	if len(sent) > 0 {
		r.URL.Raw += "?" + strings.Join(sent, "&")
	}
	text := s.body
	if text == "" {
		text = w.fill(op, s, specimen.Body(op))
	}
	if text != "" {
		r.Body = jsonBody(text)
	}
	return r
}

// possible is a value that an optional parameter can have, "" where only the reader knows one.
func possible(p *operation.Parameter) string {
	switch {
	case len(p.Values) > 0:
		return p.Values[0]
	case p.Default != nil:
		return strconv.FormatInt(*p.Default, 10)
	default:
		return ""
	}
}

// headers are the optional headers of an operation, off, and the idempotency key of a write.
func (w *writer) headers(op *operation.Operation, s *step) []parameter {
	headers := []parameter{}
	for _, p := range op.Parameters() {
		switch {
		case p.In != operation.InHeader, p.Name == wire.HeaderVersion:
		case p.Name == wire.HeaderIdempotencyKey:
			if op.Method != http.MethodPatch {
				headers = append(headers, parameter{Key: p.Name, Value: w.idempotencyKey(op, s), Description: p.Doc})
			}
		default:
			headers = append(headers, parameter{Key: p.Name, Description: p.Doc, Disabled: true})
		}
	}
	return headers
}

// idempotencyKey is named for the record where a step happens to it once, and new with each request elsewhere: never
// a text that two people send.
func (w *writer) idempotencyKey(op *operation.Operation, s *step) string {
	if key, ok := specimen.KeyOf(op); ok && key.Again == "" {
		if text := w.fill(op, s, key.Text); strings.Contains(text, "{{") {
			return text
		}
	}
	return "{{$guid}}"
}

// fill puts variables of the collection in the place of those that a text has in braces.
func (w *writer) fill(op *operation.Operation, s *step, text string) string {
	key, _ := specimen.KeyOf(op)
	for name, from := range key.From {
		value := from
		if row := w.row(from); row != "" {
			value = "{{" + row + "}}"
		}
		text = strings.ReplaceAll(text, "{"+name+"}", value)
	}
	id := s.id
	if before, _, found := strings.Cut(op.Path, "/{id}"); found && id == "" {
		id = w.row(before + "/{id}")
	}
	return strings.ReplaceAll(text, "{id}", "{{"+id+"}}")
}
