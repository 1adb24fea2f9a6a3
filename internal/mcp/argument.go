package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/schema"
)

// credentials are texts that must not travel in anything but the arguments for
// them: a path or a row would show them.
var credentials = regexp.MustCompile(`(lab_off_|lab_fac_|sbh_)[A-Za-z0-9_-]{43}`)

// arguments are those of a call, by name, as they were sent. None is null.
type arguments map[string]json.RawMessage

// readArguments reads the arguments of a tool and refuses them with every fault
// that they have, in plain words.
func readArguments(t *tool, raw json.RawMessage) (arguments, error) {
	given := arguments{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &given); err != nil {
			return nil, problem.New(problem.ValidationFailed, "The arguments of %s are not a JSON object.", t.Name)
		}
	}
	maps.DeleteFunc(given, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	var faults []problem.Field
	for _, name := range t.input.Required {
		if _, ok := given[name]; !ok {
			faults = append(faults, missing(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		p, ok := t.input.Properties[name]
		if !ok {
			faults = append(faults, problem.Field{Field: name, Rule: "additionalProperties",
				Message: fmt.Sprintf("%.40q is no argument of %s; it takes %s.", name, t.Name, t.input.names())})
			continue
		}
		faults = append(faults, p.faults(name, given[name])...)
		if name != argumentSandbox && credentials.Match(given[name]) {
			faults = append(faults, problem.Field{Field: name, Rule: "credential",
				Message: name + " holds a key or a sandbox handle, which do not belong there."})
		}
	}
	if len(faults) > 0 {
		return nil, refused(t, faults...)
	}
	for name, p := range t.input.Properties {
		if _, ok := given[name]; !ok && p.Default != nil {
			given[name] = p.Default
		}
	}
	return given, nil
}

// refused is the refusal that lists every fault of a call's arguments.
func refused(t *tool, faults ...problem.Field) *problem.Problem {
	faults = faults[:min(len(faults), schema.MaxFields)]
	sentences := make([]string, len(faults))
	for i, f := range faults {
		sentences[i] = f.Message
	}
	return problem.New(problem.ValidationFailed, "%s", strings.Join(sentences, " ")).
		With(problem.FieldDetails{Fields: faults}).
		Hinting("Correct the arguments of %s and call it again; nothing was done.", t.Name)
}

func missing(name string) problem.Field {
	return problem.Field{Field: name, Rule: "required", Message: name + " is missing."}
}

// text is an argument that is a text, "" for none.
func (a arguments) text(name string) string {
	var text string
	if raw, ok := a[name]; ok {
		_ = json.Unmarshal(raw, &text) // checked before
	}
	return text
}

// plain is a scalar argument as a query string has it.
func (a arguments) plain(name string) string {
	if raw := a[name]; len(raw) > 0 && raw[0] != '"' {
		return string(raw)
	}
	return a.text(name)
}

// faults lists the faults of a value.
func (p *property) faults(name string, raw json.RawMessage) []problem.Field {
	fault := func(rule, format string, values ...any) []problem.Field {
		return []problem.Field{{Field: name, Rule: rule, Message: name + " " + fmt.Sprintf(format, values...)}}
	}
	switch p.Type {
	case typeString:
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return fault("type", "must be a text.")
		}
		if len(p.Enum) > 0 && !slices.Contains(p.Enum, text) {
			return fault("enum", "must be one of %s.", strings.Join(p.Enum, ", "))
		}
		if text == "" && p.filled {
			return fault("minLength", "must not be empty.")
		}
	case typeInteger:
		n, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil {
			return fault("type", "must be a whole number.")
		}
		if p.Minimum != nil && n < *p.Minimum {
			return fault("minimum", "must be at least %d.", *p.Minimum)
		}
		if p.Maximum != nil && n > *p.Maximum {
			return fault("maximum", "must be at most %d.", *p.Maximum)
		}
	case typeBoolean:
		if s := string(raw); s != "true" && s != "false" {
			return fault("type", "must be true or false.")
		}
	case typeArray:
		var elements []json.RawMessage
		if json.Unmarshal(raw, &elements) != nil {
			return fault("type", "must be a list.")
		}
		var faults []problem.Field
		for i, element := range elements {
			faults = append(faults, p.Items.faultsOf(fmt.Sprintf("%s[%d]", name, i), element)...)
		}
		return faults
	}
	return nil
}

// faultsOf lists the faults of an element of a list.
func (e *element) faultsOf(name string, raw json.RawMessage) []problem.Field {
	if e.Type != typeObject {
		return (&property{Type: e.Type}).faults(name, raw)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return []problem.Field{{Field: name, Rule: "type", Message: name + " must be an object."}}
	}
	var faults []problem.Field
	for _, required := range e.Required {
		if _, ok := members[required]; !ok {
			faults = append(faults, problem.Field{
				Field: name + "." + required, Rule: "required", Message: name + "." + required + " is missing.",
			})
		}
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		p, ok := e.Properties[member]
		if !ok {
			faults = append(faults, problem.Field{Field: name + "." + member, Rule: "additionalProperties",
				Message: fmt.Sprintf("%s has no %.40q.", name, member)})
			continue
		}
		faults = append(faults, p.faults(name+"."+member, members[member])...)
	}
	return faults
}

// pathOf is the path of an operation with its ids in place.
func pathOf(op *operation.Operation, places map[string]string) string {
	path := op.Path
	for name, id := range places {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(id))
	}
	return path
}
