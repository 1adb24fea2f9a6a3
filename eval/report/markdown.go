package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Markdown writes the page as Markdown.
func (p *Page) Markdown(out io.Writer) error {
	var w strings.Builder
	fmt.Fprintf(&w, "# %s\n\n", plain(p.Title))
	for _, sentence := range p.Verdict {
		fmt.Fprintf(&w, "**%s**\n\n", plain(sentence))
	}
	facts := make([]string, len(p.Facts))
	for i, f := range p.Facts {
		facts[i] = plain(f.Name + " " + f.Value)
	}
	fmt.Fprintf(&w, "%s\n\n", strings.Join(facts, " · "))
	for i := range p.Sections {
		s := &p.Sections[i]
		fmt.Fprintf(&w, "## %s\n\n", plain(s.Title))
		for _, text := range s.Text {
			fmt.Fprintf(&w, "%s\n\n", plain(text))
		}
		for _, chart := range s.Charts {
			if t := chart.table(); t != nil {
				t.markdown(&w)
			}
		}
		for j := range s.Tables {
			s.Tables[j].markdown(&w)
		}
	}
	if _, err := io.WriteString(out, visible(strings.TrimRight(w.String(), "\n")+"\n")); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func (t *Table) markdown(w *strings.Builder) {
	if t.Title != "" {
		fmt.Fprintf(w, "### %s\n\n", plain(t.Title))
	}
	row := func(cells []string) {
		for _, c := range cells {
			fmt.Fprintf(w, "| %s ", plain(c))
		}
		fmt.Fprint(w, "|\n")
	}
	row(t.Head)
	for i := range t.Head {
		if t.Right(i) {
			fmt.Fprint(w, "| ---: ")
		} else {
			fmt.Fprint(w, "| --- ")
		}
	}
	fmt.Fprint(w, "|\n")
	for _, cells := range t.Rows {
		row(cells)
	}
	fmt.Fprint(w, "\n")
	if t.Note != "" {
		fmt.Fprintf(w, "%s\n\n", plain(t.Note))
	}
}

// marks mean something in Markdown.
var marks = regexp.MustCompile("[\\\\`*\\[\\]|~#]")

// loose are underscores that are not inside a word: those inside mean nothing.
var loose = regexp.MustCompile(`(^|[^\pL\pN])_|_($|[^\pL\pN])`)

// plain is a text in which Markdown and HTML find nothing of theirs.
func plain(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	text = marks.ReplaceAllString(text, `\$0`)
	text = loose.ReplaceAllString(text, `$1\_$2`)
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}
