package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"platen/internal/operation"
	"platen/internal/operation/schema"
	"platen/internal/words/problem"
)

// commandForm is how a command of one operation is written.
type commandForm struct {
	operation *operation.Operation
	// fields are the ids of the path, the parameters of the query and the fields of the body,
	// by their names.
	fields map[string]schema.Argument
	// rules check them.
	rules *schema.Arguments
}

// commandForms are the operations that commands may name. Left out are those that call_operation
// does not reach, and those that may take long: a call of many commands has to end.
func (b *builder) commandForms() (map[string]*commandForm, error) {
	forms := map[string]*commandForm{}
	for i := range b.endpoint.options.Operations {
		op := &b.endpoint.options.Operations[i]
		if op.System == operation.Open || op.Kind == operation.Deletion || op.Kind == operation.Fork ||
			op.Kind == operation.Poll || op.Calls {
			continue
		}
		var err error
		if forms[op.ID], err = b.commandForm(op); err != nil {
			return nil, err
		}
	}
	return forms, nil
}

func (b *builder) commandForm(op *operation.Operation) (*commandForm, error) {
	var arguments []schema.Argument
	for _, place := range op.PathParamNames() {
		arguments = append(arguments, schema.Argument{Name: place, Required: true, Filled: true})
	}
	switch {
	case op.ID == advanceOperation:
		arguments = append(arguments, advancing()...)
	case op.In != nil && op.In.NumField() > 0:
		in, err := schema.NewInput(b.registry, op.In)
		if err != nil {
			return nil, fmt.Errorf("read the body of %s: %w", op.ID, err)
		}
		arguments = append(arguments, in.Arguments()...)
	default:
		arguments = append(arguments, query(op)...)
		for _, name := range op.Filters {
			arguments = append(arguments, schema.Argument{Name: name, Filled: true})
		}
	}
	form := &commandForm{operation: op, fields: map[string]schema.Argument{}}
	for _, a := range arguments {
		form.fields[a.Name] = a
	}
	var err error
	if form.rules, err = schema.NewArguments(arguments...); err != nil {
		return nil, fmt.Errorf("compile the fields of %s: %w", op.ID, err)
	}
	return form, nil
}

// command is one line of a call of do, understood.
type command struct {
	form  *commandForm
	given arguments
}

// fieldName is the form of the name of a field.
var fieldName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// readCommand reads a line: the id of an operation, for one whose path has an id that id, and
// fields as name=value. A value that begins with a quote, a bracket or a brace is JSON, any
// other one ends at the next space. A word that begins with # begins a comment.
func readCommand(forms map[string]*commandForm, line string) (command, []string) {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	form := forms[name]
	if form == nil {
		if name == "" {
			return command{}, []string{"it is empty; it must begin with the id of an operation."}
		}
		return command{}, []string{fmt.Sprintf("%q is no operation that do performs; search_operations names them. "+
			"Tools, waiting for events and whatever reaches out of the sandbox have calls of their own.", cut(name))}
	}
	c := command{form: form, given: arguments{}}
	var faults []string
	for at := 0; ; at++ {
		if rest = strings.TrimLeft(rest, " "); rest == "" || rest[0] == '#' {
			break
		}
		word, value, assigned := strings.Cut(rest, "=")
		if !assigned || strings.ContainsAny(word, ` "[{`) {
			word, rest, _ = strings.Cut(rest, " ")
			if _, has := form.fields["id"]; at > 0 || !has {
				return c, append(faults, fmt.Sprintf("%q is no field; fields are written name=value.", cut(word)))
			}
			c.given["id"] = quoted(word)
			continue
		}
		raw, left, fault := readValue(form, word, value)
		rest = left
		_, twice := c.given[word]
		switch {
		case fault != "":
			return c, append(faults, fault)
		case !fieldName.MatchString(word):
			return c, append(faults, fmt.Sprintf("%q is no name of a field.", cut(word)))
		case twice:
			faults = append(faults, word+" stands twice.")
		}
		c.given[word] = raw
	}
	return c, append(faults, c.check()...)
}

// readValue reads the value of a field, and returns what is left of the line.
func readValue(form *commandForm, name, text string) (raw json.RawMessage, rest, fault string) {
	if text == "" || !strings.ContainsRune(`"[{`, rune(text[0])) {
		value, rest, _ := strings.Cut(text, " ")
		field := form.fields[name]
		return field.Spelled(value), rest, ""
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&raw); err != nil {
		return nil, "", name + " begins like JSON and is none: close its quotes, brackets and braces."
	}
	rest = text[decoder.InputOffset():]
	if rest != "" && rest[0] != ' ' {
		return nil, "", name + " has more after its value; divide fields by spaces."
	}
	return raw, rest, ""
}

// check names the fields that break the rules of the operation.
func (c *command) check() []string {
	whole := map[string]json.RawMessage{}
	maps.Copy(whole, c.given)
	raw, err := json.Marshal(whole)
	if err != nil {
		return []string{"it cannot be read."}
	}
	given, faults, err := c.form.rules.Read(raw)
	if err != nil {
		if p, ok := errors.AsType[*problem.Problem](err); ok {
			return []string{p.Message}
		}
		return []string{"it cannot be read."}
	}
	c.given = given
	said := make([]string, len(faults))
	for i, f := range faults {
		said[i] = f.Message
	}
	return said
}

// request is the command's request to the API.
func (c *command) request(key string) (toolRequest, []problem.Field) {
	op := c.form.operation
	in := toolRequest{operation: op, places: map[string]string{}, query: url.Values{}, key: key}
	for _, place := range op.PathParamNames() {
		in.places[place] = c.given.text(place)
	}
	if op.ID == advanceOperation {
		body, faults := tickBody(c.given, true)
		in.body = body
		return in, faults
	}
	in.body = map[string]json.RawMessage{}
	for name, value := range c.given {
		switch {
		case slices.Contains(op.PathParamNames(), name):
		case op.Method == http.MethodGet:
			in.query.Set(name, c.given.plain(name))
		default:
			in.body[name] = value
		}
	}
	if op.Paged() && !in.query.Has(operation.ParameterLimit) {
		in.query.Set(operation.ParameterLimit, strconv.Itoa(pageDefault))
	}
	return in, nil
}

// cut shortens a client's text for a message.
func cut(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func quoted(text string) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a text
	return bytes.TrimSpace(b.Bytes())
}
