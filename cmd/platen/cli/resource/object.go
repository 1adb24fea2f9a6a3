package resource

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"platen/cmd/platen/cli"
)

// Object reads one of Objects from a text such as material_id=mat_coated,quantity=3000.
func (f *Field) Object(text string) (map[string]any, error) {
	object := map[string]any{}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		i := slices.IndexFunc(f.Fields, func(part Field) bool { return part.Name == name })
		if !ok || i < 0 {
			return nil, cli.UsageError{
				Err: fmt.Errorf("--%s takes %s, not %q", f.Flag(), f.Form(), text),
			}
		}
		switch f.Fields[i].Kind {
		case Integer:
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return nil, cli.UsageError{
					Err: fmt.Errorf("%s of --%s must be a whole number, not %q", name, f.Flag(), value),
				}
			}
			object[name] = n
		case Boolean:
			object[name] = value == "true" || value == "yes"
		case Text, Texts, Objects:
			object[name] = value
		}
	}
	return object, nil
}

// Form says how one of Objects is written.
func (f *Field) Form() string {
	parts := make([]string, len(f.Fields))
	for i, part := range f.Fields {
		parts[i] = part.Name + "=…"
	}
	return strings.Join(parts, ",")
}
