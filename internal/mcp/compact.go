package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"platen/internal/operation"
	"platen/internal/operation/schema"
	"platen/internal/words/problem"
)

// Arguments that choose what is shown of a response.
const (
	argumentView   = "view"
	argumentFields = "fields"
	viewCompact    = "compact"
	viewFull       = "full"
)

// viewing are the arguments of tools that read.
func viewing() []schema.Argument {
	return []schema.Argument{
		{Name: argumentView, Values: []string{viewFull, viewCompact}, Doc: "compact: a line a row."},
		{Name: argumentFields, Filled: true, Doc: "Its columns: id,status."},
	}
}

// wanted is the part of a response to show; none is the envelope.
type wanted struct {
	layout  *layout
	columns []column
}

// wants reads the fields that a call selects of an operation's response.
func (c *call) wants(op *operation.Operation) (wanted, error) {
	chosen, view := c.arguments.text(argumentFields), c.arguments.text(argumentView)
	if chosen == "" && view != viewCompact && (view == viewFull || !c.few) {
		return wanted{}, nil
	}
	l := c.endpoint.layouts[op.Out]
	if l == nil {
		return wanted{}, fmt.Errorf("the operation %s has no columns", op.ID)
	}
	w := wanted{l, l.columns}
	if chosen == "" {
		return w, nil
	}
	if view == viewFull {
		return w, refused(c.tool, problem.Field{Field: argumentFields, Rule: "dependentRequired",
			Message: "fields chooses the columns of the view compact; leave view out, or fields."})
	}
	var faults []problem.Field
	w.columns = nil
	names := strings.Split(chosen, ",")
	for i, name := range names {
		name = strings.TrimSpace(name)
		column, known := l.fields[name]
		switch {
		case !known:
			faults = append(faults, problem.Field{Field: argumentFields, Rule: "enum",
				Message: fmt.Sprintf("fields names %q, which is no field here; known are: %s.", name,
					strings.Join(l.names, ", "))})
		case slices.ContainsFunc(names[:i], func(n string) bool { return strings.TrimSpace(n) == name }):
			faults = append(faults, problem.Field{Field: argumentFields, Rule: "uniqueItems",
				Message: "fields names " + name + " twice."})
		}
		w.columns = append(w.columns, column)
	}
	if len(faults) > 0 {
		return w, refused(c.tool, faults...)
	}
	return w, nil
}

// show performs a request and shows its response as it is wanted.
func (w wanted) show(r *reply, err error) (*reply, error) {
	if err != nil || w.layout == nil || r.status/100 != 2 {
		return r, err
	}
	text, err := lines(r.body, w.columns)
	return &reply{status: r.status, text: text}, err
}

// row is an object of a response.
type row map[string]json.RawMessage

// lines writes a response as text: a line with the heads of the columns, and one for each row.
func lines(envelope []byte, columns []column) (string, error) {
	var r struct {
		Data json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(envelope, &r); err != nil {
		return "", fmt.Errorf("read a response: %w", err)
	}
	var page struct {
		Items      *[]row  `json:"items"`
		NextCursor *string `json:"next_cursor"`
		LastSeq    *uint64 `json:"last_seq"`
	}
	if err := json.Unmarshal(r.Data, &page); err != nil {
		return "", fmt.Errorf("read a response: %w", err)
	}
	heads := make([]string, len(columns))
	for i, c := range columns {
		heads[i] = c.String()
	}
	all := []string{strings.Join(heads, "|")}
	if page.Items == nil {
		var one row
		if err := json.Unmarshal(r.Data, &one); err != nil {
			return "", fmt.Errorf("read a response: %w", err)
		}
		return all[0] + "\n" + one.line(columns), nil
	}
	for _, one := range *page.Items {
		all = append(all, one.line(columns))
	}
	if len(*page.Items) == 0 {
		all = append(all, "(no rows)")
	}
	if page.NextCursor != nil {
		all = append(all, "next_cursor "+*page.NextCursor)
	} else if page.LastSeq != nil {
		all = append(all, fmt.Sprintf("last_seq %d", *page.LastSeq))
	}
	return strings.Join(all, "\n"), nil
}

func (r row) line(columns []column) string {
	cells := make([]string, len(columns))
	for i, c := range columns {
		cells[i] = c.cell(r)
	}
	return strings.Join(cells, "|")
}

// summary is a row as name and value, without what it does not have.
func (r row) summary(columns []column) string {
	var said []string
	for _, c := range columns {
		if text := c.cell(r); text != nothing {
			said = append(said, c.path[len(c.path)-1]+"="+text)
		}
	}
	return strings.Join(said, " ")
}

// nothing is the text of a null or missing value.
const nothing = "-"

// cell is the text of a column.
func (c column) cell(r row) string {
	for _, name := range c.path[:len(c.path)-1] {
		var inner row
		if json.Unmarshal(r[name], &inner) != nil {
			return nothing
		}
		r = inner
	}
	raw := r[c.path[len(c.path)-1]]
	if len(c.of) == 0 {
		return scalar(raw)
	}
	var many []row
	if json.Unmarshal(raw, &many) != nil {
		var one row
		if json.Unmarshal(raw, &one) != nil || one == nil {
			return nothing
		}
		many = []row{one}
	}
	if len(many) == 0 {
		return nothing
	}
	parts := make([]string, len(many))
	for i, one := range many {
		values := make([]string, len(c.of))
		for at, name := range c.of {
			values[at] = scalar(one[name])
		}
		parts[i] = strings.Join(values, ":")
	}
	return strings.Join(parts, ",")
}

// scalar is a value as text that keeps to its cell.
func scalar(raw json.RawMessage) string {
	var text string
	switch {
	case len(raw) == 0 || string(raw) == "null" || string(raw) == "[]" || string(raw) == `""`:
		return nothing
	case json.Unmarshal(raw, &text) != nil:
		text = string(raw)
	}
	return strings.NewReplacer("\n", " ", "\r", " ", "|", "/").Replace(text)
}

// replied is the reply that is only text.
func replied(text string) *reply { return &reply{status: http.StatusOK, text: text} }
