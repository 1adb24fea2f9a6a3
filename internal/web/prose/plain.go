package prose

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// FromHTML writes a page that was made from tables as Markdown. It knows the
// elements that our templates use, and takes only HTML that is closed like XML.
func FromHTML(page string) (string, error) {
	d := xml.NewDecoder(strings.NewReader("<main>" + page + "</main>"))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	w := &plainWriter{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.TrimSpace(blankLines.ReplaceAllString(w.String(), "\n\n")) + "\n", nil
		}
		if err != nil {
			return "", fmt.Errorf("read a page's HTML: %w", err)
		}
		w.token(token)
	}
}

var (
	blankLines = regexp.MustCompile(`\n(?:[ \t]*\n)+`)
	spaces     = regexp.MustCompile(`\s+`)
)

// plainWriter collects the Markdown.
type plainWriter struct {
	bytes.Buffer
	// skipped counts the elements around that are not written.
	skipped int
	// pre is set inside of code blocks, language is theirs.
	pre      bool
	language string
	// depth counts the lists around.
	depth int
	hrefs []string
	cells int
	// spans counts the rows that the cell at spanFrom still stands in, with the
	// text spanned. Markdown has it in each of them.
	spans, spanFrom int
	spanned         string
	// ended is the element within a line that ended just now, empty where
	// something else came since.
	ended string
}

func (w *plainWriter) token(token xml.Token) {
	switch token := token.(type) {
	case xml.StartElement:
		if w.skipped > 0 || unwritten(token) {
			w.skipped++
			return
		}
		w.part(token)
		w.open(token)
		w.ended = ""
	case xml.EndElement:
		if w.skipped > 0 {
			w.skipped--
			return
		}
		w.end(token.Name.Local)
		w.ended = token.Name.Local
	case xml.CharData:
		if w.skipped > 0 || len(token) == 0 {
			return
		}
		w.ended = ""
		if w.pre {
			w.Write(token)
			return
		}
		text := spaces.ReplaceAllString(string(token), " ")
		if s := w.Bytes(); len(s) == 0 || bytes.HasSuffix(s, []byte("\n")) || bytes.HasSuffix(s, []byte(" ")) {
			text = strings.TrimLeft(text, " ")
		}
		w.WriteString(text)
	}
}

// lay writes the end of a line or of a part of it, without the space before it.
func (w *plainWriter) lay(text string) {
	if !w.pre {
		w.Truncate(len(bytes.TrimRight(w.Bytes(), " ")))
	}
	w.WriteString(text)
}

// part writes the separator of two elements of a line that have nothing between
// them, and that a style sheet keeps apart.
func (w *plainWriter) part(e xml.StartElement) {
	inline := func(name string) bool {
		return slices.Contains([]string{"a", "b", "code", "em", "span", "strong"}, name)
	}
	switch {
	case w.pre || !inline(w.ended) || !inline(e.Name.Local):
	case slices.Contains(strings.Fields(attribute(e, "class")), "badge"):
		w.lay(", ")
	case w.ended == "a" && e.Name.Local == "span":
		w.lay(": ")
	default:
		w.WriteByte(' ')
	}
}

// unwritten reports whether an element is for eyes only.
func unwritten(e xml.StartElement) bool {
	switch e.Name.Local {
	case "svg", "script", "form", "fieldset":
		return true
	}
	class := attribute(e, "class")
	return class == "vh" || class == "label" || class == "jump"
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (w *plainWriter) open(e xml.StartElement) {
	switch name := e.Name.Local; name {
	case "h1", "h2", "h3", "h4":
		w.lay("\n\n" + strings.Repeat("#", int(name[1]-'0')) + " ")
	case "p", "summary", "table", "figure", "blockquote":
		if w.depth == 0 {
			w.lay("\n\n")
		} else {
			w.WriteString(" ")
		}
	case "div":
		w.language = ""
		if class := attribute(e, "class"); strings.HasPrefix(class, "code ") {
			w.language = strings.TrimPrefix(class, "code ")
		}
	case "pre":
		w.lay("\n\n```" + w.language + "\n")
		w.pre = true
	case "code":
		if !w.pre {
			w.WriteByte('`')
		}
	case "strong":
		w.WriteString("**")
	case "a":
		href := attribute(e, "href")
		if strings.HasPrefix(href, "#") {
			href = ""
		}
		w.hrefs = append(w.hrefs, href)
		if href != "" {
			w.WriteByte('[')
		}
	case "ul", "ol", "dl":
		w.depth++
		w.lay("\n")
		if w.depth == 1 {
			w.lay("\n")
		}
	case "li", "dt":
		w.lay("\n" + strings.Repeat("  ", max(0, w.depth-1)) + "- ")
	case "dd":
		w.lay(": ")
	case "tr":
		w.lay("\n|")
		w.cells = 0
		if w.spans > 0 {
			w.spans--
			w.WriteString(" " + w.spanned + " |")
		}
	case "td", "th":
		w.WriteString(" ")
		w.cells++
		if rows, err := strconv.Atoi(attribute(e, "rowspan")); err == nil {
			w.spans, w.spanFrom = rows-1, w.Len()
		}
	}
}

func (w *plainWriter) end(name string) {
	switch name {
	case "h1", "h2", "h3", "h4", "table":
		w.lay("\n\n")
	case "pre":
		w.lay("\n```\n\n")
		w.pre, w.language = false, ""
	case "code":
		if !w.pre {
			w.WriteByte('`')
		}
	case "strong":
		w.WriteString("**")
	case "a":
		last := len(w.hrefs) - 1
		if w.hrefs[last] != "" {
			fmt.Fprintf(w, "](%s)", w.hrefs[last])
		}
		w.hrefs = w.hrefs[:last]
	case "ul", "ol", "dl":
		w.depth--
		w.lay("\n")
	case "td", "th":
		if w.spanFrom > 0 {
			w.spanned, w.spanFrom = string(w.Bytes()[w.spanFrom:]), 0
		}
		w.lay(" |")
	case "thead":
		w.lay("\n|" + strings.Repeat(" --- |", w.cells))
	}
}
