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
	// spans counts the rows that the cell at spanFrom still covers, with the
	// text spanned. Markdown has it in each of them.
	spans, spanFrom int
	spanned         string
	// ended is the element within a line that ended just now, empty where
	// something else came since.
	ended string
}

func (p *plainWriter) token(token xml.Token) {
	switch token := token.(type) {
	case xml.StartElement:
		if p.skipped > 0 || unwritten(token) {
			p.skipped++
			return
		}
		p.part(token)
		p.open(token)
		p.ended = ""
	case xml.EndElement:
		if p.skipped > 0 {
			p.skipped--
			return
		}
		p.end(token.Name.Local)
		p.ended = token.Name.Local
	case xml.CharData:
		if p.skipped > 0 || len(token) == 0 {
			return
		}
		p.ended = ""
		if p.pre {
			p.Write(token)
			return
		}
		text := spaces.ReplaceAllString(string(token), " ")
		if s := p.Bytes(); len(s) == 0 || bytes.HasSuffix(s, []byte("\n")) || bytes.HasSuffix(s, []byte(" ")) {
			text = strings.TrimLeft(text, " ")
		}
		p.WriteString(text)
	}
}

// lay writes the end of a line or of a part of it, without the space before it.
func (p *plainWriter) lay(text string) {
	if !p.pre {
		p.Truncate(len(bytes.TrimRight(p.Bytes(), " ")))
	}
	p.WriteString(text)
}

// part writes the separator of two elements of a line that have nothing between
// them, and that a style sheet keeps apart.
func (p *plainWriter) part(e xml.StartElement) {
	inline := func(name string) bool {
		return slices.Contains([]string{"a", "b", "code", "em", "span", "strong"}, name)
	}
	switch {
	case p.pre || !inline(p.ended) || !inline(e.Name.Local):
	case slices.Contains(strings.Fields(attribute(e, "class")), "badge"):
		p.lay(", ")
	case p.ended == "a" && e.Name.Local == "span":
		p.lay(": ")
	default:
		p.WriteByte(' ')
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

func (p *plainWriter) open(e xml.StartElement) {
	switch name := e.Name.Local; name {
	case "h1", "h2", "h3", "h4":
		p.lay("\n\n" + strings.Repeat("#", int(name[1]-'0')) + " ")
	case "p", "summary", "table", "figure", "blockquote":
		if p.depth == 0 {
			p.lay("\n\n")
		} else {
			p.WriteString(" ")
		}
	case "div":
		p.language = ""
		if class := attribute(e, "class"); strings.HasPrefix(class, "code ") {
			p.language = strings.TrimPrefix(class, "code ")
		}
	case "pre":
		p.lay("\n\n```" + p.language + "\n")
		p.pre = true
	case "code":
		if !p.pre {
			p.WriteByte('`')
		}
	case "strong":
		p.WriteString("**")
	case "a":
		href := attribute(e, "href")
		if strings.HasPrefix(href, "#") {
			href = ""
		}
		p.hrefs = append(p.hrefs, href)
		if href != "" {
			p.WriteByte('[')
		}
	case "ul", "ol", "dl":
		p.depth++
		p.lay("\n")
		if p.depth == 1 {
			p.lay("\n")
		}
	case "li", "dt":
		p.lay("\n" + strings.Repeat("  ", max(0, p.depth-1)) + "- ")
	case "dd":
		p.lay(": ")
	case "tr":
		p.lay("\n|")
		p.cells = 0
		if p.spans > 0 {
			p.spans--
			p.WriteString(" " + p.spanned + " |")
		}
	case "td", "th":
		p.WriteString(" ")
		p.cells++
		if rows, err := strconv.Atoi(attribute(e, "rowspan")); err == nil {
			p.spans, p.spanFrom = rows-1, p.Len()
		}
	}
}

func (p *plainWriter) end(name string) {
	switch name {
	case "h1", "h2", "h3", "h4", "table":
		p.lay("\n\n")
	case "pre":
		p.lay("\n```\n\n")
		p.pre, p.language = false, ""
	case "code":
		if !p.pre {
			p.WriteByte('`')
		}
	case "strong":
		p.WriteString("**")
	case "a":
		last := len(p.hrefs) - 1
		if p.hrefs[last] != "" {
			fmt.Fprintf(p, "](%s)", p.hrefs[last])
		}
		p.hrefs = p.hrefs[:last]
	case "ul", "ol", "dl":
		p.depth--
		p.lay("\n")
	case "td", "th":
		if p.spanFrom > 0 {
			p.spanned, p.spanFrom = string(p.Bytes()[p.spanFrom:]), 0
		}
		p.lay(" |")
	case "thead":
		p.lay("\n|" + strings.Repeat(" --- |", p.cells))
	}
}
