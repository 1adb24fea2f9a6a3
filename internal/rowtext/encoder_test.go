package rowtext_test

import (
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"platen/internal/company/record"
	"platen/internal/moment"
	"platen/internal/rowtext"
)

type word string

type inner struct {
	Note  string `json:"note"`
	Count *int64 `json:"count,omitzero"`
}

// all has every kind of field that rows and events have, and some that are left to
// the library.
type all struct {
	record.Head

	Text     string         `json:"text"`
	Word     word           `json:"word"`
	Yes      bool           `json:"yes"`
	Small    int8           `json:"small"`
	Large    int64          `json:"large"`
	Unsigned uint64         `json:"unsigned"`
	At       moment.Instant `json:"at"`
	Date     moment.Date    `json:"date"`
	Maybe    *string        `json:"maybe"`
	When     *moment.Date   `json:"when"`
	Absent   *inner         `json:"absent,omitzero"`
	Zero     int            `json:"zero,omitzero"`
	Inner    inner          `json:"inner"`
	Words    []word         `json:"words"`
	Inners   []inner        `json:"inners"`
	Dates    []moment.Date  `json:"dates,omitempty"`
	Bytes    []byte         `json:"bytes"`
	Ratio    float64        `json:"ratio"`
	Any      any            `json:"any"`
	Fixed    [2]int         `json:"fixed"`
	Plain    struct {
		Named string
		Skip  string `json:"-"`
	} `json:"plain"`

	record.Stamps
}

// unusual is left to the library as a whole.
type unusual struct {
	Nested *inner `json:"nested,omitempty"`
	Number int64  `json:"number,string"`
}

// TestTheEncoderWritesWhatTheLibraryWrites, to the byte, whatever the values are.
func TestTheEncoderWritesWhatTheLibraryWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, value := range []any{new(all), new(unusual)} {
			fill(t, reflect.ValueOf(value).Elem())
			want, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			if got := rowtext.Encode(value); string(got) != string(want) {
				t.Fatalf("%s is written, the library writes %s", got, want)
			}
		}
	})
}

// fill gives a value something of each kind; half of what can be absent is.
func fill(t *rapid.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(rapid.OneOf(rapid.String(), rapid.StringMatching(`[ -~]{0,12}`),
			rapid.SampledFrom([]string{"\"", "\\", "<&>", "\u2028", "\x00", "\x7f", "é", "😀"})).Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := rapid.Int64().Draw(t, "int")
		if v.Type() == reflect.TypeFor[moment.Instant]() || v.Type() == reflect.TypeFor[moment.Date]() {
			n = rapid.Int64Range(0, 1<<15).Draw(t, "time")
		}
		v.SetInt(n)
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "uint"))
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(t, "float"))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem())
		}
	case reflect.Slice:
		if rapid.Bool().Draw(t, "there") {
			v.Set(reflect.MakeSlice(v.Type(), rapid.IntRange(0, 3).Draw(t, "length"), 4))
			for i := range v.Len() {
				fill(t, v.Index(i))
			}
		}
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Byte().Draw(t, "byte")))
	case reflect.Interface:
		v.Set(reflect.ValueOf(rapid.SampledFrom([]any{1, "x", []any{true}}).Draw(t, "any")))
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(t, field)
		}
	default:
	}
}
