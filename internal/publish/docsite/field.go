package docsite

import (
	"reflect"
	"strings"

	"platen/internal/words/jsonfield"
	"platen/internal/words/moment"
	"platen/internal/words/share"
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

// fieldsOf lists the fields of a struct in the order of their declaration.
func fieldsOf(t reflect.Type, d direction) []field {
	var fields []field
	for _, f := range jsonfield.Of(t) {
		out := field{
			Name: f.JSON, Doc: f.Doc(), Example: f.Example(), Values: f.Enum(),
			Required: d == input && f.Required(),
			Nullable: d == output && !f.Omits && f.Type.Kind() == reflect.Pointer,
			Omitted:  d == output && f.Omits,
		}
		if text := strings.Join(f.Limits(), ", "); text != "" {
			out.Limits = strings.ToUpper(text[:1]) + text[1:]
		}
		out.Type, out.Fields = jsonType(jsonfield.Base(f.Type), d)
		fields = append(fields, out)
	}
	return fields
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
