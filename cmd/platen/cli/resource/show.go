package resource

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"platen/cmd/platen/cli"
	"platen/internal/words/money"
)

const (
	// none is shown for null.
	none = "-"
	// tableWidth is the width of a table in characters.
	tableWidth = 118
	gap        = 2
)

// member is a field of an object that the server sent, in the server's order.
type member struct {
	name  string
	value json.RawMessage
}

func members(object json.RawMessage) ([]member, error) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil, fmt.Errorf("read a record: %w", err)
	}
	var all []member
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, fmt.Errorf("read a record: %w", err)
		}
		m := member{name: fmt.Sprint(name)}
		if err := decoder.Decode(&m.value); err != nil {
			return nil, fmt.Errorf("read a record: %w", err)
		}
		all = append(all, m)
	}
	return all, nil
}

// title is the name of a field for people: amounts are shown in whole units.
func (m *member) title() string { return strings.TrimSuffix(m.name, "_minor") }

// text is the value of a field for people.
func (m *member) text() string {
	var value any
	if json.Unmarshal(m.value, &value) != nil {
		return string(m.value)
	}
	switch v := value.(type) {
	case nil:
		return none
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case string:
		return v
	case float64:
		if n, err := strconv.ParseInt(string(m.value), 10, 64); err == nil && strings.HasSuffix(m.name, "_minor") {
			return money.Minor(n).String()
		}
		return string(m.value)
	case []any:
		if len(v) == 0 {
			return "none"
		}
	}
	return string(m.value)
}

// cell is the value of a field in a table, which has no room for fractions of seconds.
func (m *member) cell() string {
	if at, err := time.Parse(time.RFC3339, m.text()); err == nil && strings.HasSuffix(m.name, "_at") {
		return at.Local().Format(time.DateTime)
	}
	return m.text()
}

// nested reports whether a value has parts of its own.
func (m *member) nested() bool { return len(m.value) > 0 && (m.value[0] == '{' || m.value[0] == '[') }

// list is the rows in a field of a record, nil for a field of another form.
func (m *member) list() []json.RawMessage {
	var rows []json.RawMessage
	if json.Unmarshal(m.value, &rows) != nil || len(rows) == 0 || rows[0][0] != '{' {
		return nil
	}
	return rows
}

// flat are the fields of an object, those of an object in it with its name before a dot.
func flat(object json.RawMessage, before string) ([]member, error) {
	all, err := members(object)
	if err != nil {
		return nil, err
	}
	var fields []member
	for _, m := range all {
		m.name = before + m.name
		if m.value[0] != '{' || string(m.value) == "{}" {
			fields = append(fields, m)
			continue
		}
		within, err := flat(m.value, m.name+".")
		if err != nil {
			return nil, err
		}
		fields = append(fields, within...)
	}
	return fields, nil
}

// writeRecord writes the fields of one record, and below them a table for each list of objects.
func writeRecord(out io.Writer, object json.RawMessage) error {
	all, err := flat(object, "")
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, gap, ' ', 0)
	for _, m := range all {
		if m.list() == nil {
			fmt.Fprintf(w, "%s\t%s\n", m.title(), m.text())
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	for _, m := range all {
		if rows := m.list(); rows != nil {
			fmt.Fprintf(out, "\n%s\n", m.name)
			if err := writeRows(out, rows, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// column is a column of a table.
type column struct {
	title string
	cells []string
	width int
}

// empty reports whether no row has a value.
func (c *column) empty() bool {
	return !slices.ContainsFunc(c.cells, func(cell string) bool { return cell != none })
}

// writeRows writes records as a table: the columns that were chosen, or else number and status first, and then as
// many fields as there is room for.
func writeRows(out io.Writer, rows []json.RawMessage, chosen []string) error {
	columns, err := columnsOf(rows, chosen)
	if err != nil {
		return err
	}
	if len(columns) == 0 {
		fmt.Fprintln(out, "none")
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, gap, ' ', 0)
	shown := columns
	if len(chosen) == 0 {
		shown = fitting(columns)
	}
	line := func(cell func(c *column) string) {
		texts := make([]string, len(shown))
		for i := range shown {
			texts[i] = cell(&shown[i])
		}
		fmt.Fprintln(w, strings.Join(texts, "\t"))
	}
	line(func(c *column) string { return strings.ToUpper(c.title) })
	for i := range rows {
		line(func(c *column) string { return c.cells[i] })
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// fitting are the columns for which there is room: those without a value come last and stay where they are.
func fitting(columns []column) []column {
	fits, used := make([]bool, len(columns)), 0
	for _, empty := range []bool{false, true} {
		for i, c := range columns {
			if c.empty() == empty && (used+c.width+gap <= tableWidth || i == 0) {
				fits[i], used = true, used+c.width+gap
			}
		}
	}
	var shown []column
	for i, c := range columns {
		if fits[i] {
			shown = append(shown, c)
		}
	}
	return shown
}

// writeCSV writes the fields of records that hold one value, as the server has them, or those that were chosen.
func writeCSV(out io.Writer, rows []json.RawMessage, chosen []string) error {
	w := csv.NewWriter(out)
	names := chosen
	for i, row := range rows {
		all, err := members(row)
		if err != nil {
			return err
		}
		if i == 0 {
			for _, m := range all {
				if len(chosen) == 0 && !m.nested() {
					names = append(names, m.name)
				}
			}
			if err := w.Write(names); err != nil {
				return fmt.Errorf("print: %w", err)
			}
		}
		record := make([]string, len(names))
		for at, name := range names {
			m, err := memberNamed(all, name)
			if err != nil {
				return err
			}
			record[at] = m.plain()
		}
		if err := w.Write(record); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	w.Flush()
	return w.Error() //nolint:wrapcheck // the error of standard output is enough
}

// memberNamed is a field of a record, or a usage error that names those that it has.
func memberNamed(all []member, name string) (*member, error) {
	names := make([]string, len(all))
	for i := range all {
		if names[i] = all[i].name; names[i] == name {
			return &all[i], nil
		}
	}
	return nil, cli.UsageError{
		Err: fmt.Errorf("--columns: there is no field %q; the fields are %s", name, strings.Join(names, ", ")),
	}
}

// plain is the value of a field as the server has it, without quotes, "" for null.
func (m *member) plain() string {
	var text string
	if json.Unmarshal(m.value, &text) == nil {
		return text
	}
	return string(m.value)
}

// columnsOf returns the columns of a table: those that were chosen, or else the most telling first.
func columnsOf(rows []json.RawMessage, chosen []string) ([]column, error) {
	var columns []column
	var ranks []int
	for i, row := range rows {
		all, err := members(row)
		if err != nil {
			return nil, err
		}
		for _, name := range chosen {
			if _, err := memberNamed(all, name); err != nil {
				return nil, err
			}
		}
		for at, m := range all {
			place := rank(&m, all)
			if len(chosen) > 0 {
				place = slices.Index(chosen, m.name)
			}
			if i == 0 && place >= 0 {
				columns = append(columns, column{
					title: m.title(), cells: make([]string, len(rows)), width: utf8.RuneCountInString(m.title()),
				})
				ranks = append(ranks, place*len(all)+at)
			}
			for c := range columns {
				if columns[c].title == m.title() {
					columns[c].cells[i] = m.cell()
					columns[c].width = max(columns[c].width, utf8.RuneCountInString(m.cell()))
				}
			}
		}
	}
	order := make([]int, len(columns))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return ranks[a] - ranks[b] })
	sorted := make([]column, len(columns))
	for i, c := range order {
		sorted[i] = columns[c]
	}
	if len(chosen) > 0 {
		return sorted, nil
	}
	return slices.DeleteFunc(slices.Clone(sorted), func(c column) bool {
		return c.title == "created_on" && slices.ContainsFunc(sorted, func(o column) bool {
			return o.title != c.title && strings.HasSuffix(o.title, "_on") && slices.Equal(o.cells, c.cells)
		})
	}), nil
}

// telling are the fields that decide what to do next.
func telling() []string {
	return []string{
		"customer_name", "supplier_name", "sku", "quantity", "total_minor", "amount_minor", "balance_minor",
		"billed_minor", "due_date", "deliver_by", "answer_by", "expected_on",
	}
}

// rank says how early a field comes in a table, -1 for never.
func rank(m *member, all []member) int {
	hasNumber := slices.ContainsFunc(all, func(o member) bool { return o.name == "number" })
	switch {
	case m.name == "number" || m.name == "id" && !hasNumber:
		return 0
	case m.name == "status":
		return 1
	// Of deliveries: their only date, and why one failed.
	case m.name == "sent_at" || m.name == "status_code" || m.name == "error_class":
		return 2
	case m.name == "reference_id": // of the ledger: what was paid
		return 3
	case m.name == "currency": // amounts have it
		return -1
	case m.nested() || m.name == "id" || m.name == "resource" || m.name == "simulation" ||
		strings.HasSuffix(m.name, "_at"):
		return -1
	case strings.HasSuffix(m.name, "_id") || strings.HasSuffix(m.name, "_ref"):
		return 4
	case slices.Contains(telling(), m.name):
		return 2
	default:
		return 3
	}
}
