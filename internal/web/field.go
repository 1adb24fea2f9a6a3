package web

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"platen/internal/moment"
	"platen/internal/share"
)

// direction is the way a struct travels: the meaning of a missing tag depends
// on it.
type direction bool

const (
	input  direction = true
	output direction = false
)

// field is a field of a JSON object, as the reference describes it.
type field struct {
	Name string
	// Type is the word of JSON, such as string or integer.
	Type string
	// Required is set for fields that a body must have, Nullable for fields of
	// responses that can be null, Omitted for those that can be missing.
	Required, Nullable, Omitted bool
	// Limits are the rules of the tags, in words.
	Limits string
	// Values are the texts that are allowed, empty for any.
	Values  []string
	Example string
	Doc     string
	// Fields are the fields of an object, or of an array's objects.
	Fields []field
}

// fieldsOf lists the fields of a struct in the order of their declaration,
// those of embedded structs in their place.
func fieldsOf(t reflect.Type, d direction) []field {
	var fields []field
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fields = append(fields, fieldsOf(f.Type, d)...)
		case name != "" && name != "-":
			fields = append(fields, fieldOf(f, name, options, d))
		}
	}
	return fields
}

func fieldOf(f reflect.StructField, name, options string, d direction) field {
	omits := strings.Contains(options, "omitzero") || strings.Contains(options, "omitempty")
	out := field{Name: name, Doc: f.Tag.Get("doc"), Example: f.Tag.Get("example"), Limits: limits(f.Tag)}
	if enum := f.Tag.Get("enum"); enum != "" {
		out.Values = strings.Split(enum, ",")
	}
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
		out.Nullable = d == output && !omits
	}
	out.Required = d == input && f.Tag.Get("required") == "true"
	out.Omitted = d == output && omits
	out.Type, out.Fields = jsonType(t, d)
	return out
}

// jsonType is the word for a type's form in JSON, and its fields where it is
// made of objects.
func jsonType(t reflect.Type, d direction) (word string, fields []field) {
	switch t {
	case reflect.TypeFor[moment.Instant]():
		return "time", nil
	case reflect.TypeFor[moment.Date]():
		return "date", nil
	case reflect.TypeFor[share.PerCent](), reflect.TypeFor[share.PPM]():
		return "number", nil
	}
	switch t.Kind() {
	case reflect.String:
		return "string", nil
	case reflect.Bool:
		return "boolean", nil
	case reflect.Float32, reflect.Float64:
		return "number", nil
	case reflect.Pointer:
		return jsonType(t.Elem(), d)
	case reflect.Slice, reflect.Array:
		word, fields = jsonType(t.Elem(), d)
		return "array of " + word + "s", fields
	case reflect.Struct:
		return "object", fieldsOf(t, d)
	case reflect.Map, reflect.Interface:
		return "object", nil
	default:
		return "integer", nil
	}
}

// limits puts the rules of a field's tags into words.
func limits(tag reflect.StructTag) string {
	var parts []string
	for _, l := range []struct{ least, most, unit string }{
		{"minimum", "maximum", ""}, {"minLength", "maxLength", "character"}, {"minItems", "maxItems", "item"},
	} {
		least, most := tag.Get(l.least), tag.Get(l.most)
		unit, number := l.unit, most
		if number == "" {
			number = least
		}
		if unit != "" {
			unit = " " + unit
			if number != "1" {
				unit += "s"
			}
		}
		switch {
		case least != "" && most != "":
			parts = append(parts, grouped(least)+" to "+grouped(most)+unit)
		case least != "":
			parts = append(parts, "at least "+grouped(least)+unit)
		case most != "":
			parts = append(parts, "at most "+grouped(most)+unit)
		}
	}
	if tag.Get("uniqueItems") == "true" {
		parts = append(parts, "no two alike")
	}
	if pattern := tag.Get("pattern"); pattern != "" {
		parts = append(parts, "matches "+pattern)
	}
	text := strings.Join(parts, ", ")
	if text != "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// grouped puts commas between the thousands of a long number.
func grouped(digits string) string {
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	slices.Reverse(groups)
	return strings.Join(append([]string{digits}, groups...), ",")
}

// sampleValue is the value of a required field in a snippet.
func sampleValue(f field) string {
	switch {
	case f.Example != "" && f.Type != "string" && f.Type != "date" && f.Type != "time":
		return f.Example
	case f.Example != "":
		return fmt.Sprintf("%q", f.Example)
	case len(f.Values) > 0:
		return fmt.Sprintf("%q", f.Values[0])
	case f.Type == "integer":
		return "100"
	case f.Type == "date":
		return `"2026-09-11"`
	}
	return `"…"`
}
