package webhook

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxBody is the most bytes of a body (contract: LIMIT.DELIVERY_BODY).
	maxBody = 4096
	// maxString is the most bytes of a string that counts as short (contract:
	// OPEN.DLV.SCALARS).
	maxString = 128
	// truncation is the field that ends a shortened body (contract:
	// EVT.BODY.TRUNCATED).
	truncation = `,"truncated":true}`
	// membersUsual is the usual number of fields of an event.
	membersUsual = 12
)

// errNotObject is the error of an event that is no JSON object.
var errNotObject = errors.New("an event must be a JSON object")

// member is a field of an object, both of its parts as they were written.
type member struct {
	name, value jsontext.Value
}

// Body returns the delivered form of an event of the feed: the same bytes
// without the field seq (contract: EVT.BODY.NO_SEQ). A body that would be
// larger than 4,096 bytes keeps only the short scalars of data and is marked
// (contract: EVT.BODY.MAX).
func Body(event []byte) ([]byte, error) {
	members, err := membersOf(event)
	if err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	kept := members[:0]
	for _, m := range members {
		if string(m.name) != `"seq"` {
			kept = append(kept, m)
		}
	}
	body := assemble(kept, "}")
	if len(body) <= maxBody {
		return body, nil
	}
	for i := range kept {
		if string(kept[i].name) != `"data"` {
			continue
		}
		if kept[i].value, err = shorten(kept[i].value,
			maxBody-(len(body)-len(kept[i].value)+len(truncation)-1)); err != nil {
			return nil, fmt.Errorf("shorten the event: %w", err)
		}
	}
	return assemble(kept, truncation), nil
}

// shorten keeps the short scalars of an object, as many of the first ones as
// there is room for.
func shorten(data jsontext.Value, room int) (jsontext.Value, error) {
	members, err := membersOf(data)
	if err != nil {
		return nil, err
	}
	var short []member
	size := len("{}")
	for _, m := range members {
		wants := len(m.name) + len(":") + len(m.value) + len(",")
		if isShort(m.value) && size+wants <= room {
			short = append(short, m)
			size += wants
		}
	}
	return assemble(short, "}"), nil
}

func isShort(v jsontext.Value) bool {
	switch v.Kind() {
	case 'n', 't', 'f', '0':
		return true
	case '"':
		text, err := jsontext.AppendUnquote(nil, v)
		return err == nil && len(text) <= maxString
	default:
		return false
	}
}

// membersOf returns the fields of an object, which are parts of its bytes.
func membersOf(object []byte) ([]member, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(object))
	next := func() (jsontext.Value, error) {
		v, err := d.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("read JSON: %w", err)
		}
		end := int(d.InputOffset())
		return object[end-len(v) : end : end], nil
	}
	if token, err := d.ReadToken(); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	} else if token.Kind() != '{' {
		return nil, errNotObject
	}
	members := make([]member, 0, membersUsual)
	for d.PeekKind() != '}' {
		name, err := next()
		if err != nil {
			return nil, err
		}
		value, err := next()
		if err != nil {
			return nil, err
		}
		members = append(members, member{name, value})
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if _, err := d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, errNotObject
	}
	return members, nil
}

func assemble(members []member, end string) []byte {
	size := len("{") + len(end)
	for i := range members {
		size += len(members[i].name) + len(":") + len(members[i].value) + len(",")
	}
	b := append(make([]byte, 0, size), '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, m.name...), ':'), m.value...)
	}
	if len(members) == 0 {
		end = "}"
	}
	return append(b, end...)
}
