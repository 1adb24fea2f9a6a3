package prose

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
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
	strings.Builder
	// skipped counts the elements around that are not written.
	skipped int
	// pre is set inside of code blocks, language is theirs.
	pre      bool
	language string
	// depth counts the lists around.
	depth int
	hrefs []string
	cells int
}

func (w *plainWriter) token(token xml.Token) {
	switch token := token.(type) {
	case xml.StartElement:
		if w.skipped > 0 || unwritten(token) {
			w.skipped++
			return
		}
		w.open(token)
	case xml.EndElement:
		if w.skipped > 0 {
			w.skipped--
			return
		}
		w.end(token.Name.Local)
	case xml.CharData:
		if w.skipped > 0 {
			return
		}
		if w.pre {
			w.Write(token)
			return
		}
		text := spaces.ReplaceAllString(string(token), " ")
		if s := w.String(); s == "" || strings.HasSuffix(s, "\n") || strings.HasSuffix(s, " ") {
			text = strings.TrimLeft(text, " ")
		}
		w.WriteString(text)
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
		w.WriteString("\n\n" + strings.Repeat("#", int(name[1]-'0')) + " ")
	case "p", "summary", "table", "figure", "blockquote":
		if w.depth == 0 {
			w.WriteString("\n\n")
		} else {
			w.WriteString(" ")
		}
	case "div":
		w.language = ""
		if class := attribute(e, "class"); strings.HasPrefix(class, "code ") {
			w.language = strings.TrimPrefix(class, "code ")
		}
	case "pre":
		w.WriteString("\n\n```" + w.language + "\n")
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
		w.WriteString("\n")
		if w.depth == 1 {
			w.WriteString("\n")
		}
	case "li", "dt":
		w.WriteString("\n" + strings.Repeat("  ", max(0, w.depth-1)) + "- ")
	case "dd":
		w.WriteString(": ")
	case "tr":
		w.WriteString("\n|")
		w.cells = 0
	case "td", "th":
		w.WriteString(" ")
		w.cells++
	}
}

func (w *plainWriter) end(name string) {
	switch name {
	case "h1", "h2", "h3", "h4", "table":
		w.WriteString("\n\n")
	case "pre":
		w.WriteString("\n```\n\n")
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
		w.WriteString("\n")
	case "td", "th":
		w.WriteString(" |")
	case "thead":
		w.WriteString("\n|" + strings.Repeat(" --- |", w.cells))
	}
}
