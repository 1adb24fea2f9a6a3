package prose

import (
	"fmt"
	"html"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// labels are the headings above code of a language.
var labels = map[string]string{ //nolint:gochecknoglobals // read only
	"sh": "Shell", "output": "Output", "json": "JSON", "http": "HTTP", "go": "Go",
	"python": "Python", "javascript": "JavaScript", "php": "PHP", "ruby": "Ruby", "java": "Java", "yaml": "YAML",
	"toml": "TOML", "text": "",
}

// fenceInfo is the text behind the backticks of a code block: the language, and then
// words of which these mean something to a page. The others are for tests.
type fenceInfo struct {
	language, file string
	// only is the language that has to be chosen on the page for the block to be seen,
	// empty for any.
	only string
	// added are the lines that are new, from 1 on; nil where none is marked.
	added []int
}

func parseInfo(info string) fenceInfo {
	language, rest, _ := strings.Cut(info, " ")
	f := fenceInfo{language: language}
	for word := range strings.FieldsSeq(rest) {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "file":
			f.file = value
		case "only":
			f.only = value
		case "new":
			f.added = lineNumbers(value)
		}
	}
	return f
}

// lineNumbers reads ranges of lines such as 3-9,12.
func lineNumbers(ranges string) []int {
	var all []int
	for part := range strings.SplitSeq(ranges, ",") {
		first, last, ok := strings.Cut(part, "-")
		if !ok {
			last = first
		}
		from, err := strconv.Atoi(first)
		if err != nil {
			continue
		}
		to, err := strconv.Atoi(last)
		if err != nil {
			continue
		}
		for line := from; line <= to; line++ {
			all = append(all, line)
		}
	}
	return all
}

// Code renders a block of code. Info is the language, and perhaps file=NAME for its
// heading, only=LANGUAGE for a block that is seen when that language is chosen, and
// new=3-9,12 for the lines to mark.
func Code(info, text string) string {
	f := parseInfo(info)
	label := labels[f.language]
	if f.file != "" {
		label = f.file
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<div class="code %s`, html.EscapeString(f.language))
	if f.only != "" {
		fmt.Fprintf(&b, ` only %s`, html.EscapeString(f.only))
	}
	b.WriteString(`">`)
	if label != "" {
		fmt.Fprintf(&b, `<p class="label">%s</p>`, html.EscapeString(label))
	}
	if f.added == nil {
		b.WriteString(`<pre tabindex="0"><code>`)
		b.WriteString(strings.Join(coloured(f.language, text), "\n"))
		b.WriteString("</code></pre></div>\n")
		return b.String()
	}
	folded(&b, coloured(f.language, text), f.added)
	b.WriteString("</div>\n")
	return b.String()
}

// coloured are the lines of a code as HTML.
func coloured(language, text string) []string {
	lines := []string{""}
	for _, piece := range Pieces(language, text) {
		for i, part := range strings.Split(piece.Text, "\n") {
			if i > 0 {
				lines = append(lines, "")
			}
			if part == "" {
				continue
			}
			part = html.EscapeString(part)
			if piece.Class != "" {
				part = fmt.Sprintf(`<span class="%s">%s</span>`, piece.Class, part)
			}
			lines[len(lines)-1] += part
		}
	}
	return lines
}

// Lines that are as before are folded away where there are many of them.
const (
	minFolded = 8
	context   = 2
)

// folded writes lines in parts: those near a new line are open, the others wait for the
// reader to open them. All of them together are the code.
func folded(b *strings.Builder, lines []string, added []int) {
	if len(lines) > 0 && lines[len(lines)-1] == "" { // behind the last newline
		lines = lines[:len(lines)-1]
	}
	near := make([]bool, len(lines))
	for _, line := range added {
		for at := max(0, line-1-context); at < min(len(lines), line+context); at++ {
			near[at] = true
		}
	}
	for from, to := range stretches(near) { // too short to be worth a fold
		if to-from < minFolded {
			for at := from; at < to; at++ {
				near[at] = true
			}
		}
	}
	for from, to := range stretches(near) {
		if near[from] {
			part(b, lines, added, from, to)
			continue
		}
		fmt.Fprintf(b, `<details><summary><span class="label">%d lines as before</span></summary>`, to-from)
		part(b, lines, added, from, to)
		b.WriteString("</details>")
	}
}

// stretches are the parts of a list whose values are alike, by their ends.
func stretches(values []bool) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := 0; from < len(values); {
			to := from + 1
			for to < len(values) && values[to] == values[from] {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// part writes the lines from one to another.
func part(b *strings.Builder, lines []string, added []int, from, to int) {
	b.WriteString(`<pre tabindex="0"><code>`)
	for at := from; at < to; at++ {
		if slices.Contains(added, at+1) {
			fmt.Fprintf(b, `<span class="added">%s</span>`, lines[at])
		} else {
			b.WriteString(lines[at])
		}
		b.WriteString("\n")
	}
	b.WriteString("</code></pre>")
}
