package record

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// This file is the only place in the core that encodes rows and events, and decodes.

// Encode returns the JSON of the value that v points to, and nothing for an object
// without members: rows without private state cost nothing.
func Encode(v any) []byte {
	// No type names a member twice, and looking for that would take time.
	b, err := json.Marshal(v, jsontext.AllowDuplicateNames(true))
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", v, err)) // our own types always encode
	}
	if string(b) == "{}" {
		return nil
	}
	return b
}

func decode(b []byte, v any) error {
	if len(b) == 0 {
		return nil
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}

// Decode returns an entry as the row that clients read.
func Decode[R any](e *Entry) R {
	var row R
	if err := decode(e.Row(), &row); err != nil {
		panic(err) // our own bytes always decode
	}
	return row
}

// DecodeState reads the state that is not in tables, as Encode has written it.
func DecodeState(b []byte, state any) error {
	if err := json.Unmarshal(b, state); err != nil {
		return fmt.Errorf("decode state: %w", err)
	}
	return nil
}

// encodeEvent writes the delivery body (contract: EVT.BODY). Only the data
// needs an encoder: the other values are ids, type names, times and paths,
// none of which has a character to escape.
func encodeEvent(p *pendingEvent) []byte {
	b := make([]byte, 0, 640)
	b = append(b, `{"id":"`...)
	b = append(b, p.id...)
	b = append(b, `","type":"`...)
	b = append(b, p.kind...)
	b = append(b, `","created_at":"`...)
	b, _ = p.createdAt.AppendText(b)
	b = append(b, `","sim_date":"`...)
	b, _ = p.date.AppendText(b)
	b = append(b, `","sandbox_id":"`...)
	b = append(b, p.sandboxID...)
	b = append(b, `","system":"`...)
	b = append(b, p.kind.System()...)
	b = append(b, `","simulation":true,"data":`...)
	b = append(b, Encode(p.data)...)
	b = append(b, `,"links":{"self":"`...)
	b = append(b, p.self...)
	return bytes.Clone(append(b, `"}}`...)) // it stays in memory: without room to spare
}
