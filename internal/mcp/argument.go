package mcp

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"platen/internal/operation/schema"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// credentials are texts that must not travel in anything but the arguments for
// them: a path or a row would show them.
var credentials = regexp.MustCompile(`(?:` + strings.Join(wire.Secrets(), "|") + `)[A-Za-z0-9_-]{43}`)

// arguments are those of a call, by name, as they were sent. None is null.
type arguments map[string]json.RawMessage

// readArguments reads the arguments of a tool and refuses them with every fault
// that they have.
func readArguments(t *tool, raw json.RawMessage) (arguments, error) {
	given, faults, err := t.input.Read(raw)
	if err != nil {
		return nil, err //nolint:wrapcheck // a problem, which the model reads
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name != argumentSandbox && credentials.Match(given[name]) {
			faults = append(faults, problem.Field{Field: name, Rule: "credential",
				Message: name + " holds a key or a sandbox handle, which do not belong there."})
		}
	}
	if len(faults) > 0 {
		return nil, refused(t, faults...)
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
	return problem.Field{Field: name, Rule: "required", Message: name + " is required and missing."}
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
