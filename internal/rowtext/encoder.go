// Package rowtext writes the JSON of rows and events.
package rowtext

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A company encodes each row that it touches, some two hundred at its opening
// alone, and that was half of what a creation cost. So there is an encoder for what
// rows and events are made of, which knows the names of the fields in advance. It
// writes what the library would write, to the byte, and leaves to the library what
// it does not know. TestTheEncoderWritesWhatTheLibraryWrites holds them together.

// buffers are for what is encoded: what is kept of it gets the room that it needs.
var buffers = sync.Pool{New: func() any { return new([]byte) }} //nolint:gochecknoglobals // buffers

// Encode returns the JSON of the value that v points to, and nothing for an object
// without members.
func Encode(v any) []byte {
	buffer, _ := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = Append((*buffer)[:0], v)
	return bytes.Clone(*buffer)
}

// Append appends the JSON of the value that v points to, and nothing for an object
// without members: rows without private state cost nothing.
func Append(b []byte, v any) []byte {
	const empty = "{}"
	value := reflect.ValueOf(v).Elem()
	begin := len(b)
	if b = encoderOf(value.Type())(b, value); len(b) == begin+len(empty) {
		return b[:begin]
	}
	return b
}

// encoder appends the JSON of a value of one type.
type encoder func(b []byte, v reflect.Value) []byte

// encoders holds the encoder of each type that was met.
var encoders sync.Map //nolint:gochecknoglobals // a cache

// encoderOf returns the encoder of a type.
func encoderOf(t reflect.Type) encoder {
	if found, ok := encoders.Load(t); ok {
		return found.(encoder) //nolint:forcetypeassert // nothing else is stored
	}
	made, _ := encoders.LoadOrStore(t, newEncoder(t))
	return made.(encoder) //nolint:forcetypeassert // nothing else is stored
}

// Interfaces by which a type encodes itself. The library asks for the special ones
// first.
var (
	special = []reflect.Type{ //nolint:gochecknoglobals // read only
		reflect.TypeFor[json.MarshalerTo](), reflect.TypeFor[json.Marshaler](),
	}
	appender  = reflect.TypeFor[encoding.TextAppender]()      //nolint:gochecknoglobals // read only
	marshaler = reflect.TypeFor[encoding.TextMarshaler]()     //nolint:gochecknoglobals // read only
	zeroer    = reflect.TypeFor[interface{ IsZero() bool }]() //nolint:gochecknoglobals // read only
)

// has reports whether a type or a pointer to it has one of some interfaces.
func has(t reflect.Type, interfaces ...reflect.Type) bool {
	return slices.ContainsFunc(interfaces, func(i reflect.Type) bool {
		return t.Implements(i) || reflect.PointerTo(t).Implements(i)
	})
}

func encodesItself(t reflect.Type) bool { return has(t, special...) || has(t, appender, marshaler) }

func newEncoder(t reflect.Type) encoder {
	if t.Kind() == reflect.Pointer {
		return pointerEncoder(t.Elem())
	}
	if has(t, special...) {
		return appendByLibrary
	}
	if has(t, appender) {
		return appendByText
	}
	if has(t, marshaler) {
		return appendByLibrary
	}
	switch t.Kind() {
	case reflect.String:
		return func(b []byte, v reflect.Value) []byte { return appendQuoted(b, v.String()) }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendUint(b, v.Uint(), 10) }
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() != reflect.Uint8 {
			return sliceEncoder(t.Elem())
		}
	case reflect.Struct:
		if fields, ok := fieldsOf(t); ok {
			return fields.append
		}
	default:
	}
	return appendByLibrary
}

func appendByLibrary(b []byte, v reflect.Value) []byte {
	if v.CanAddr() {
		v = v.Addr() // methods of pointers count
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		panic(fmt.Sprintf("encode %s: %v", v.Type(), err)) // our own types always encode
	}
	return append(b, text...)
}

func appendByText(b []byte, v reflect.Value) []byte {
	if !v.CanAddr() {
		return appendByLibrary(b, v)
	}
	text, _ := reflect.TypeAssert[encoding.TextAppender](v.Addr())
	b = append(b, '"')
	begin := len(b)
	b, err := text.AppendText(b)
	if err != nil || !isPlain(b[begin:]) {
		return appendByLibrary(b[:begin-1], v)
	}
	return append(b, '"')
}

// isPlain reports whether a text has nothing that JSON escapes.
func isPlain[T string | []byte](text T) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func appendQuoted(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	b, err := jsontext.AppendQuote(b, s)
	if err != nil {
		panic(fmt.Sprintf("encode %q: %v", s, err)) // what clients sent was checked
	}
	return b
}

func pointerEncoder(t reflect.Type) encoder {
	encodeElement := sync.OnceValue(func() encoder { return encoderOf(t) })
	return func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, "null"...)
		}
		return encodeElement()(b, v.Elem())
	}
}

func sliceEncoder(t reflect.Type) encoder {
	encodeElement := sync.OnceValue(func() encoder { return encoderOf(t) })
	return func(b []byte, v reflect.Value) []byte {
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = encodeElement()(b, v.Index(i))
		}
		return append(b, ']')
	}
}

// fields are those of a struct, embedded ones included.
type fields []field

type field struct {
	// name is the quoted name with its colon, index the way to the field.
	name  string
	index []int
	// isLeftOut says which values are not written, nil for none.
	isLeftOut func(reflect.Value) bool
	encode    encoder
}

func (f fields) append(b []byte, v reflect.Value) []byte {
	b = append(b, '{')
	first := true
	for i := range f {
		value := v
		for _, n := range f[i].index {
			value = value.Field(n)
		}
		if f[i].isLeftOut != nil && f[i].isLeftOut(value) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = f[i].encode(append(b, f[i].name...), value)
	}
	return append(b, '}')
}

// fieldsOf returns the fields of a struct, and false when one of them says
// something that only the library understands.
func fieldsOf(t reflect.Type) (fields, bool) {
	var found fields
	names := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("json")
		switch {
		case tag == "-":
			continue
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct:
			inner, ok := fieldsOf(f.Type)
			if !ok || encodesItself(f.Type) {
				return nil, false
			}
			for _, g := range inner {
				g.index = append([]int{i}, g.index...)
				found = append(found, g)
			}
			continue
		case !f.IsExported() && !f.Anonymous && !tagged:
			continue
		case f.Anonymous || !f.IsExported():
			return nil, false
		}
		made, ok := newField(f, tag, i)
		if !ok {
			return nil, false
		}
		found = append(found, made)
	}
	for _, f := range found {
		if names[f.name] {
			return nil, false
		}
		names[f.name] = true
	}
	return found, true
}

func newField(f reflect.StructField, tag string, i int) (field, bool) {
	name, options, _ := strings.Cut(tag, ",")
	if name == "" {
		name = f.Name
	}
	if !isPlain(name) || strings.ContainsAny(name, "'") {
		return field{}, false
	}
	made := field{name: `"` + name + `":`, index: []int{i}}
	switch options {
	case "":
	case "omitzero":
		if has(f.Type, zeroer) {
			return field{}, false
		}
		made.isLeftOut = reflect.Value.IsZero
	case "omitempty":
		if k := f.Type.Kind(); k != reflect.Slice && k != reflect.String || encodesItself(f.Type) {
			return field{}, false
		}
		made.isLeftOut = func(v reflect.Value) bool { return v.Len() == 0 }
	default:
		return field{}, false
	}
	encode := sync.OnceValue(func() encoder { return encoderOf(f.Type) })
	made.encode = func(b []byte, v reflect.Value) []byte { return encode()(b, v) }
	return made, true
}
