package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/company/sim"
)

// incidental are the fields that differ between two companies that lived the
// same life: wall times and the settings of the clock behind its reading, ids
// that are unique across sandboxes, the sandbox's id, and where it comes from. None of the names
// means anything else, at any depth.
var incidental = []string{ //nolint:gochecknoglobals // the table itself
	"created_at", "updated_at", "completed_at", "unlocked_at", "ends_at", "anchor_wall", "anchor",
	"wall", "event_id", "sandbox_id", "uid", "seq", "ancestors", "faults",
}

// AppendCanonical appends a form of a whole company that is the same for all
// companies that lived the same life: every row and its private state as they
// are now, flushed or not, the timers in their order and the state, all without
// the incidental fields. It is for comparing and is never read back.
func AppendCanonical(b []byte, tables []*Rows, timers []sim.Timer, state any) []byte {
	for _, t := range tables {
		b = appendString(b, t.definition.Resource)
		b = binary.AppendUvarint(b, uint64(t.Len()))
		b = t.appendCanonical(b)
	}
	b = appendTimers(b, timers)
	return appendBytes(b, withoutIncidental(Encode(state)))
}

// appendCanonical encodes rows rather than take their stored bytes, so that it
// does not matter which version of the program wrote those.
func (t *Rows) appendCanonical(b []byte) []byte {
	for ordinal := range t.slots {
		row, private := t.kind.parts(t.at(ordinal))
		b = appendBytes(b, withoutIncidental(Encode(row)))
		b = appendBytes(b, withoutIncidental(Encode(private)))
	}
	return b
}

// AppendServed appends a form of the rows of some tables, as clients read them, without
// the incidental fields. It is for comparing and is never read back.
func AppendServed(b []byte, tables []*Rows) []byte {
	for _, t := range tables {
		b = appendString(b, t.definition.Resource)
		b = binary.AppendUvarint(b, uint64(t.Len()))
		b = t.appendServed(b)
	}
	return b
}

func (t *Rows) appendServed(b []byte) []byte {
	for ordinal := range t.slots {
		row, _ := t.kind.parts(t.at(ordinal))
		b = appendBytes(b, withoutIncidental(Encode(row)))
	}
	return b
}

// withoutIncidental copies our own JSON, which is an object, and leaves the
// incidental fields out, at every depth. The other fields keep their order,
// which is that of the struct.
func withoutIncidental(text []byte) []byte {
	if len(text) == 0 {
		return nil
	}
	out := bytes.NewBuffer(make([]byte, 0, len(text)))
	unchecked := jsontext.AllowDuplicateNames(true) // a struct has none, and looking for them is dear
	d, e := jsontext.NewDecoder(bytes.NewBuffer(text), unchecked), jsontext.NewEncoder(out, unchecked)
	for {
		isName := expectsName(d)
		token, err := d.ReadToken()
		switch {
		case err != nil:
		case isName && token.Kind() == jsontext.KindString && slices.Contains(incidental, token.String()):
			err = d.SkipValue()
		default:
			err = e.WriteToken(token)
		}
		if err != nil {
			panic(fmt.Sprintf("canonical form of %s: %v", text, err)) // our own bytes always decode
		}
		if d.StackDepth() == 0 {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")) // which the encoder ends a value with
		}
	}
}

// expectsName reports whether the decoder is before the name of a field, or before the
// end of an object.
func expectsName(d *jsontext.Decoder) bool {
	kind, length := d.StackIndex(d.StackDepth())
	return kind == jsontext.KindBeginObject && length%2 == 0
}
