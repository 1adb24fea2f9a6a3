package api

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/jsonfield"
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

// cell renders one value. Text that a spreadsheet would take for a formula
// gets an apostrophe in front, also with the signs of full width that some read as the others.
func cell(v jsontext.Value) string {
	switch v.Kind() {
	case 'n', 0:
		return ""
	case '"':
		text, err := jsontext.AppendUnquote(nil, v)
		if err != nil {
			return ""
		}
		if first, _ := utf8.DecodeRune(text); len(text) > 0 && strings.ContainsRune("=+-@\t\r＝＋－＠", first) {
			return "'" + string(text)
		}
		return string(text)
	default:
		return string(v)
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
