// Package jsonfield reads the fields of a struct's JSON object from its Go type:
// their names, and the rules that their tags state. Schemas, pages, CSV columns
// and package client are all made from what it returns.
package jsonfield

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Enumeration is implemented by types of texts that have a fixed set of values,
// so that no tag has to list them.
type Enumeration interface {
	// Enum returns the values in the order in which they are shown.
	Enum() []string
}

// Explained is implemented by types of texts whose values say too little by themselves, so that
// no tag has to explain them.
type Explained interface {
	// Meanings explains the values in sentences.
	Meanings() string
}

// About describes the objects of a struct: by the tag doc of its blank field, which is written
//
//	_ struct{} `doc:"A customer's order at Head Office."`
//
// and takes no room as the first field. A struct without any fields needs none.
func About(t reflect.Type) string {
	if t.NumField() == 0 {
		return "An empty object, which may be left out."
	}
	for f := range t.Fields() {
		if f.Name == "_" {
			return f.Tag.Get("doc")
		}
	}
	return ""
}

// Field is a field of a struct's JSON object.
type Field struct {
	reflect.StructField
	// JSON is the name in the object.
	JSON string
	// Omits is set when the zero value is left out of the object.
	Omits bool
}

// Of lists the fields of a struct in the order of their declaration, those of
// embedded structs in their place.
func Of(t reflect.Type) []Field {
	var fields []Field
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch embedded := Base(f.Type); {
		case f.Anonymous && f.Tag.Get("json") == "" && embedded.Kind() == reflect.Struct:
			fields = append(fields, Of(embedded)...)
		case f.IsExported() && name != "-":
			if name == "" {
				name = f.Name
			}
			omits := strings.Contains(options, "omitzero") || strings.Contains(options, "omitempty")
			fields = append(fields, Field{f, name, omits})
		}
	}
	return fields
}

// Base is the type that a pointer points to, and any other type itself.
func Base(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// Required reports whether a body must have the field.
func (f *Field) Required() bool { return f.Tag.Get("required") == "true" }

// Doc describes the field in a sentence or two, and after it the values of an explained type.
func (f *Field) Doc() string {
	doc := f.Tag.Get("doc")
	if e, ok := reflect.TypeAssert[Explained](reflect.Zero(f.element())); ok {
		doc = strings.TrimSpace(doc + " " + e.Meanings())
	}
	return doc
}

// AgentDoc describes the field to agents, whose tools have little room: the tag agent, where it
// stands, in place of the sentences for people, and nothing where that is a dash.
func (f *Field) AgentDoc() string {
	switch words, ok := f.Tag.Lookup("agent"); {
	case !ok:
		return f.Tag.Get("doc")
	case words == "-":
		return ""
	default:
		return words
	}
}

// Example is a value of the field.
func (f *Field) Example() string { return f.Tag.Get("example") }

// Enum lists the texts that the field, or an element of it, can be. It is empty
// for any.
func (f *Field) Enum() []string {
	if words := f.Tag.Get("enum"); words != "" {
		return strings.Split(words, ",")
	}
	return EnumOf(f.element())
}

// element is the type of the field's values, or of the elements of a list.
func (f *Field) element() reflect.Type {
	t := Base(f.Type)
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// EnumOf lists the values of an enumeration. It is empty for other types.
func EnumOf(t reflect.Type) []string {
	if e, ok := reflect.TypeAssert[Enumeration](reflect.Zero(t)); ok && t.Kind() == reflect.String {
		return e.Enum()
	}
	return nil
}

// Limits puts the rules of the field's tags into words, such as "1 to 40
// characters".
func (f *Field) Limits() []string {
	var limits []string
	for _, l := range []struct{ least, most, unit string }{
		{"minimum", "maximum", ""}, {"minLength", "maxLength", " character"}, {"minItems", "maxItems", " item"},
	} {
		least, most, unit := f.Tag.Get(l.least), f.Tag.Get(l.most), l.unit
		if unit != "" && cmp.Or(most, least) != "1" {
			unit += "s"
		}
		switch {
		case least != "" && most != "":
			limits = append(limits, Thousands(least)+" to "+Thousands(most)+unit)
		case least != "":
			limits = append(limits, "at least "+Thousands(least)+unit)
		case most != "":
			limits = append(limits, "at most "+Thousands(most)+unit)
		}
	}
	if f.Tag.Get("uniqueItems") == "true" {
		limits = append(limits, "no two alike")
	}
	if pattern := f.Tag.Get("pattern"); pattern != "" {
		limits = append(limits, "matches "+pattern)
	}
	return limits
}

// Thousands puts commas between the thousands of a long number.
func Thousands(digits string) string {
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	slices.Reverse(groups)
	return strings.Join(append([]string{digits}, groups...), ",")
}
