package api

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/words/jsonfield"
)

// csvOf renders rows as CSV: a header of the fields in row order, scalars as
// they are, nested values as JSON text, null as an empty cell.
func csvOf(columns []string, items [][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(columns); err != nil {
		return nil, fmt.Errorf("write header: %w", err)
	}
	cells := make([]string, len(columns))
	for _, item := range items {
		var row map[string]jsontext.Value
		if err := json.Unmarshal(item, &row); err != nil {
			return nil, fmt.Errorf("read row: %w", err)
		}
		for i, name := range columns {
			cells[i] = cell(row[name])
		}
		if err := w.Write(cells); err != nil {
			return nil, fmt.Errorf("write row: %w", err)
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// formula finds the places of a text where a spreadsheet would read a formula: at its beginning, or behind a semicolon,
// at which those of some countries split a line whatever its quotation marks. Some read signs of full width as the
// others, and leave out spaces before them.
var formula = regexp.MustCompile(`(^|;)([\s"]*[=+\-@＝＋－＠]|[\t\r])`)

// cell renders one value. Text that a spreadsheet would take for a formula gets an apostrophe in front. Nested values
// stay the same JSON.
func cell(v jsontext.Value) string {
	switch v.Kind() {
	case 'n', 0:
		return ""
	case '"':
		text, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return ""
		}
		return formula.ReplaceAllString(string(text), "$1'$2")
	default:
		return strings.ReplaceAll(string(v), ";", `\u003b`)
	}
}

// columns are the fields of a row in their order: the header of its CSV.
func columns(t reflect.Type) []string {
	names := []string{}
	for _, field := range jsonfield.Of(t) {
		names = append(names, field.JSON)
	}
	return names
}
