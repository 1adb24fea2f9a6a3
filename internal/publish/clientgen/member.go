package main

import (
	"strings"

	"platen/internal/words/jsonfield"
)

// tagOf is the struct tag of a field: its name and the option that omits it.
func tagOf(f *jsonfield.Field, goType string) string {
	switch {
	case !f.Omits:
		return f.JSON
	case strings.HasPrefix(goType, "[]"), strings.HasPrefix(goType, "map["):
		return f.JSON + ",omitempty"
	default:
		return f.JSON + ",omitzero"
	}
}

// docOf is the documentation of a field from its tags.
func docOf(f *jsonfield.Field, input bool) string {
	var sentences []string
	if f.Doc() != "" {
		sentences = append(sentences, f.Doc())
	}
	if input {
		if f.Required() {
			sentences = append(sentences, "Required.")
		}
		for _, limit := range f.Limits() {
			sentences = append(sentences, strings.ToUpper(limit[:1])+limit[1:]+".")
		}
		if f.Example() != "" {
			sentences = append(sentences, "Such as "+f.Example()+".")
		}
	}
	return strings.Join(sentences, " ")
}
