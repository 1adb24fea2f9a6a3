package testclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// Object is a JSON object. Its numbers are json.Number, so none loses a digit.
type Object = map[string]any

// Answer is a response.
type Answer struct {
	// T is the test that fails where a method says so. Send sets it; after Do and
	// Exchange it is up to the caller.
	T testing.TB
	// Asked names the request.
	Asked  string
	Status int
	Header http.Header
	Raw    []byte
	// Body is the object that was sent as JSON: an envelope, usually. It is nil for
	// answers of other types.
	Body Object
}

// decode reads what is sent as JSON, unless it is compressed. It is stricter than encoding/json: a name that
// an object has twice and text that is no UTF-8 are errors, and so is anything after
// the value.
func (a *Answer) decode() error {
	if !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json") ||
		a.Header.Get("Content-Encoding") != "" || len(a.Raw) == 0 {
		return nil
	}
	value, err := Decode(a.Raw)
	if err != nil {
		return fmt.Errorf("%s: %d is no JSON: %w: %.400s", a.Asked, a.Status, err, a.Raw)
	}
	a.Body, _ = value.(Object)
	return nil
}

// Decode reads one JSON value, strictly, with its numbers as json.Number.
func Decode(raw []byte) (value any, err error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(raw))
	if value, err = decodeValue(decoder); err != nil {
		return nil, err
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the value")
	}
	return value, nil
}

func decodeValue(d *jsontext.Decoder) (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() { //nolint:exhaustive // the decoder sees to the ends, and the rest is null
	case jsontext.KindString:
		return token.String(), nil
	case jsontext.KindNumber:
		return json.Number(token.String()), nil
	case jsontext.KindTrue, jsontext.KindFalse:
		return token.Bool(), nil
	case jsontext.KindBeginArray:
		list := []any{}
		for d.PeekKind() != jsontext.KindEndArray {
			value, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = d.ReadToken()
		return list, err
	case jsontext.KindBeginObject:
		object := Object{}
		for d.PeekKind() != jsontext.KindEndObject {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			text := name.String() // before the next token takes its place
			if object[text], err = decodeValue(d); err != nil {
				return nil, err
			}
		}
		_, err = d.ReadToken()
		return object, err
	}
	return nil, nil //nolint:nilnil // null
}

// Want fails unless the answer has the status and, for refusals, the code.
func (a *Answer) Want(status int, code string) *Answer {
	a.T.Helper()
	if a.Status != status || a.Code() != code {
		a.T.Fatalf("%s: got %d %q, want %d %q\n%s", a.Asked, a.Status, a.Code(), status, code, bytes.TrimSpace(a.Raw))
	}
	return a
}

// Code is that of a refusal, "" for a success.
func (a *Answer) Code() string {
	failure, _ := a.Body["error"].(Object)
	code, _ := failure["code"].(string)
	return code
}

// Meta fails without one.
func (a *Answer) Meta() Object {
	a.T.Helper()
	return a.object("meta")
}

// Data fails unless it is an object.
func (a *Answer) Data() Object {
	a.T.Helper()
	return a.object("data")
}

// Failure is the error of the envelope. It fails without one.
func (a *Answer) Failure() Object {
	a.T.Helper()
	return a.object("error")
}

func (a *Answer) object(name string) Object {
	a.T.Helper()
	o, ok := a.Body[name].(Object)
	if !ok {
		a.T.Fatalf("%s: no %s: %s", a.Asked, name, a.Raw)
	}
	return o
}

// Items are the rows of a list.
func (a *Answer) Items() []Object {
	a.T.Helper()
	list, ok := a.Data()["items"].([]any)
	if !ok {
		a.T.Fatalf("%s: no items: %s", a.Asked, a.Raw)
	}
	items := make([]Object, len(list))
	for i := range list {
		if items[i], ok = list[i].(Object); !ok {
			a.T.Fatalf("%s: item %d is no object: %s", a.Asked, i, a.Raw)
		}
	}
	return items
}

// Cursor is next_cursor, "" for null.
func (a *Answer) Cursor() string {
	a.T.Helper()
	value, has := a.Data()["next_cursor"]
	text, isText := value.(string)
	if !has || value != nil && (!isText || text == "") {
		a.T.Fatalf("%s: next_cursor is %v", a.Asked, value)
	}
	return text
}
