// Package report writes what came of evaluations as one page: Markdown for a terminal or a pull request, and HTML that
// needs neither a network nor a script. It knows no run: those who do fill a Page.
package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// MostPlayers is the most players that stand side by side.
const MostPlayers = 12

// Page is a report, ready to be written.
type Page struct {
	Title string
	// Verdict are the sentences that a hurried reader needs.
	Verdict []string
	Facts   []Fact
	// Players are those compared, in the order of their marks.
	Players  []string
	Sections []Section
}

// Fact is a name with its value.
type Fact struct{ Name, Value string }

// Section is a part of a page: text, then charts, then tables. One that has nothing is left out.
type Section struct {
	Title  string
	Text   []string
	Charts []Chart
	Tables []Table
}

// Chart is drawn in HTML. Markdown has its table, if there is one.
type Chart interface {
	draw(width float64) drawing
	table() *Table
	title() string
}

// Table is a table. Align has a letter for each column, l or r, the last one for all that follow.
type Table struct {
	Title string
	Align string
	Head  []string
	Rows  [][]string
	// Note is a sentence below the table.
	Note string
}

// longTable is the number of rows from which on a table is folded in HTML.
const longTable = 24

// Long reports whether a table is folded.
func (t *Table) Long() bool { return len(t.Rows) > longTable }

// Right reports whether a column is of numbers.
func (t *Table) Right(column int) bool {
	return t.Align != "" && t.Align[min(column, len(t.Align)-1)] == 'r'
}

// Add adds a section that has something to say.
func (p *Page) Add(s Section) {
	if len(s.Charts)+len(s.Tables)+len(s.Text) > 0 {
		p.Sections = append(p.Sections, s)
	}
}

const (
	// mostName is how long the name of a player may be, in characters, and mostText another text that was not
	// written here.
	mostName, mostText = 48, 240
)

// Names are those of players: the given ones, or else those of their files. Names that are equal get the
// folders of their files, and then a number.
func Names(files, given []string) []string {
	names := make([]string, len(files))
	for i, file := range files {
		if i < len(given) {
			names[i] = clean(given[i], mostName)
		} else {
			names[i] = clean(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), mostName)
		}
	}
	taken := map[string]int{}
	for _, name := range names {
		taken[name]++
	}
	for i, name := range names {
		if taken[name] > 1 && i >= len(given) {
			names[i] = clean(filepath.ToSlash(files[i]), mostName)
		}
	}
	taken = map[string]int{}
	for i, name := range names {
		if name == "" {
			name = fmt.Sprintf("player %d", i+1)
		}
		taken[name]++
		if taken[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, taken[name])
		}
		names[i] = name
	}
	return names
}

// Clean is a text of a program or a player, fit to be shown in a line.
func Clean(text string) string { return clean(text, mostText) }

func clean(text string, most int) string {
	return shortened(strings.Join(strings.Fields(visible(text)), " "), most)
}

// visible drops what acts on a reader's screen: controls, marks that turn the direction of reading, and bytes that
// are no text. A page is written through it as a whole.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

// shortened is a text of so many characters at most.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
