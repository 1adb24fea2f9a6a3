package main

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"platen/internal/operation"
	"platen/internal/words/jsonfield"
)

// ownCommands are the operations that have a command of the terminal for themselves.
var ownCommands = map[string]string{ //nolint:gochecknoglobals // the table itself
	"create_sandbox": "new", "poll_ticket": "new", "get_sandbox": "status", "update_sandbox": "clock",
	"extend_sandbox": "extend", "delete_sandbox": "delete", "advance_time": "tick", "create_checkpoint": "checkpoint",
	"fork_sandbox": "fork", "get_triggers": "trigger", "pull_trigger": "trigger", "list_faults": "faults",
	"inject_fault": "faults", "get_integration": "integration", "list_integration_findings": "integration",
	"get_report": "api", "get_series": "api", "list_missions": "missions", "get_mission": "missions",
	"list_requests": "requests", "get_request": "requests", "list_events": "events", "poll_events": "events",
	"get_event": "events",
}

// ownVerbs are those of the terminal that do not follow from the path: another operation has that verb.
var ownVerbs = map[string]string{ //nolint:gochecknoglobals // read only
	"redeliver_failed_events": "redeliver-failed",
}

// verbs renders the operations on records as package resource of the terminal has them.
func verbs(table []operation.Operation) string {
	nouns := map[string]map[operation.System]bool{}
	for i := range table {
		noun, _ := placeOf(&table[i])
		if nouns[noun] == nil {
			nouns[noun] = map[operation.System]bool{}
		}
		nouns[noun][table[i].System] = true
	}
	var b strings.Builder
	b.WriteString("// Table returns the operations on records, in the order of the reference pages.\n" +
		"//\n//nolint:funlen,lll,maintidx // the table itself\nfunc Table() []Operation {\nreturn []Operation{\n")
	for i := range table {
		op := &table[i]
		if ownCommands[op.ID] != "" {
			continue
		}
		noun, verb := placeOf(op)
		if nouns[noun][operation.Office] && nouns[noun][operation.Factory] {
			noun = string(op.System) + "-" + noun
		}
		fmt.Fprintf(&b, "{ID: %q, Resource: %q, Verb: %q, System: %q, Method: %q, Path: %q, Summary: %q,\n"+
			"Description: %q", op.ID, noun, verb, op.System, op.Method, op.Path, op.Summary, op.Description)
		if op.TakesIfMatch() {
			b.WriteString(", IfMatch: true")
		}
		if op.Kind == operation.List {
			b.WriteString(", Paged: true, Fields: []Field{")
			for _, p := range op.Query() {
				if p.Filter {
					fmt.Fprintf(&b, "\n{Name: %q, Kind: Text, Doc: %q%s},", p.Name, p.Doc, values(p.Values))
				}
			}
			b.WriteString("}")
		} else if op.In != nil {
			b.WriteString(", Fields: []Field{" + inputs(op.In) + "}")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n}\n")
	return b.String()
}

// placeOf is the noun of the terminal for what an operation is about, and its verb.
func placeOf(op *operation.Operation) (noun, verb string) {
	var literals []string
	behind := "" // the last literal, where a record is named before it
	for part := range strings.SplitSeq(strings.Trim(op.Path, "/"), "/") {
		if strings.HasPrefix(part, "{") {
			behind = "{}"
			continue
		}
		if behind != "" {
			behind = part
			continue
		}
		literals = append(literals, part)
	}
	if len(literals) > 1 { // the first is the system, or the sandbox
		literals = literals[1:]
	}
	noun = strings.Join(literals, "-")
	switch {
	case ownVerbs[op.ID] != "":
		return noun, ownVerbs[op.ID]
	case behind != "" && behind != "{}":
		return noun, behind
	case op.Kind == operation.List:
		return noun, "list"
	case op.Method == http.MethodGet:
		return noun, "get"
	default:
		verb, _, _ = strings.Cut(op.ID, "_")
		return noun, verb
	}
}

// inputs renders the fields of a body.
func inputs(t reflect.Type) string {
	var b strings.Builder
	for _, f := range jsonfield.Of(t) {
		kind, of := "Text", ""
		base := jsonfield.Base(f.Type)
		switch base.Kind() {
		case reflect.Bool:
			kind = "Boolean"
		case reflect.Int, reflect.Int64:
			kind = "Integer"
		case reflect.Slice:
			kind = "Texts"
			if element := jsonfield.Base(base.Elem()); element.Kind() == reflect.Struct {
				kind, of = "Objects", ", Fields: []Field{"+inputs(element)+"}"
			}
		default: // texts, which may have a type of their own
		}
		fmt.Fprintf(&b, "\n{Name: %q, Kind: %s, Doc: %q", f.JSON, kind, docOf(&f, true))
		if f.Required() {
			b.WriteString(", Required: true")
		}
		b.WriteString(values(f.Enum()) + of + "},")
	}
	return b.String()
}

func values(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = fmt.Sprintf("%q", text)
	}
	return ", Values: []string{" + strings.Join(quoted, ", ") + "}"
}
