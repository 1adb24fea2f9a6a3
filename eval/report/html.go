package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html.tmpl
var pageText string

// pageTemplate escapes every text of a page for its place.
//
//nolint:gochecknoglobals // read only
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"draw":  drawn,
	"title": func(c Chart) string { return c.title() },
	"table": func(c Chart) *Table { return c.table() },
	"legend": func(c Chart) []Series {
		if l, ok := c.(interface{ Legend() []Series }); ok {
			return l.Legend()
		}
		return nil
	},
	"class": class,
	"mark":  mark,
}).Parse(pageText))

// labelled is a drawing of a chart for screens of a width.
type labelled struct {
	drawing

	Class, Label string
}

func drawn(screen string, c Chart) labelled {
	width := float64(wide)
	if screen == "narrow" {
		width = narrow
	}
	return labelled{c.draw(width), screen, c.title()}
}

// HTML writes the page as one file.
func (p *Page) HTML(out io.Writer) error {
	page := struct {
		*Page

		Colours []struct{}
	}{p, make([]struct{}, colours)}
	var text strings.Builder
	err := pageTemplate.Execute(&text, page)
	if err == nil {
		_, err = io.WriteString(out, visible(text.String()))
	}
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
