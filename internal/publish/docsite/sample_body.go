package docsite

import (
	"encoding/json"
	"fmt"
	"strings"
)

// bodyWidth is how many characters of a body fit on one line of a sample.
const bodyWidth = 48

// laidOut is a body as the languages write it, all of which take JSON for a
// literal of their own: on one line, or with a line for each field. Tail is
// behind the last field where a language requires that.
func laidOut(text, indent, step, tail string) string {
	if len(text) <= bodyWidth {
		return text
	}
	d := json.NewDecoder(strings.NewReader(text))
	var members []string
	_, err := d.Token()
	for err == nil && d.More() {
		var name json.Token
		var value json.RawMessage
		if name, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		members = append(members, fmt.Sprintf("%s%s%q: %s", indent, step, name, value))
	}
	if err != nil {
		return text
	}
	return "{\n" + strings.Join(members, ",\n") + tail + "\n" + indent + "}"
}
