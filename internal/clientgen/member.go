package main

import (
	"reflect"
	"strings"
)

// member is a field of a struct's JSON object.
type member struct {
	reflect.StructField
	json, options string
}

// membersOf lists the fields of a struct in their order, those of embedded
// structs in their place.
func membersOf(t reflect.Type) []member {
	var members []member
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			members = append(members, membersOf(f.Type)...)
		case f.IsExported() && name != "" && name != "-":
			members = append(members, member{f, name, options})
		}
	}
	return members
}

func (m *member) optional() bool {
	return strings.Contains(m.options, "omitzero") || strings.Contains(m.options, "omitempty")
}

// tag is the struct tag of the field: its name and the option that omits it.
func (m *member) tag(goType string) string {
	switch {
	case !m.optional():
		return m.json
	case strings.HasPrefix(goType, "[]"), strings.HasPrefix(goType, "map["):
		return m.json + ",omitempty"
	default:
		return m.json + ",omitzero"
	}
}

// doc is the documentation of a field from its tags.
func (m *member) doc(input bool) string {
	sentences := []string{}
	if text := m.Tag.Get("doc"); text != "" {
		sentences = append(sentences, text)
	}
	if input {
		sentences = append(sentences, m.limits()...)
	}
	return strings.Join(sentences, " ")
}

// limits lists the limits of a value in a body.
func (m *member) limits() []string {
	var limits []string
	if m.Tag.Get("required") == "true" {
		limits = append(limits, "Required.")
	}
	for _, l := range []struct{ least, most, of string }{
		{"minimum", "maximum", ""}, {"minLength", "maxLength", " characters"}, {"minItems", "maxItems", " items"},
	} {
		least, most := m.Tag.Get(l.least), m.Tag.Get(l.most)
		switch {
		case least != "" && most != "":
			limits = append(limits, least+" to "+most+l.of+".")
		case most != "":
			limits = append(limits, "At most "+most+l.of+".")
		case least != "":
			limits = append(limits, "At least "+least+l.of+".")
		}
	}
	if example := m.Tag.Get("example"); example != "" {
		limits = append(limits, "Such as "+example+".")
	}
	return limits
}
