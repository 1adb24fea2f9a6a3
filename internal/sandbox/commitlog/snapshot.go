package commitlog

import (
	"encoding/binary"
	"fmt"

	"platen/internal/company/record"
)

// Snapshot is the stored body of a snapshot: a company, and the index of the
// commits that made it.
type Snapshot struct {
	Image record.Image
	Index Index
	// Last is the sum of the newest of these commits, 0 when it is unknown.
	Last Sum
}

// Add takes the next commit in.
func (s *Snapshot) Add(version uint64, c *Commit) {
	s.Image.Apply(&c.Changes)
	s.Index.Add(version, c)
	s.Last = c.Sum
}

// Encode returns the stored form of the snapshot with a version.
func (s *Snapshot) Encode(version uint64) []byte {
	body, _ := packed(func(payload []byte) []byte {
		return s.Index.append(record.AppendImage(payload, &s.Image))
	}, ofSnapshot, version, s.Last)
	return body
}

// append appends the stored form.
func (x *Index) append(payload []byte) []byte {
	payload = binary.AppendUvarint(payload, uint64(len(x.events)))
	for _, span := range x.events {
		payload = binary.AppendUvarint(payload, span.version)
		payload = binary.AppendUvarint(payload, span.last)
		for _, word := range span.types {
			payload = binary.AppendUvarint(payload, word)
		}
	}
	payload = binary.AppendUvarint(payload, uint64(len(x.replies)))
	for key, version := range x.replies {
		payload = append(payload, key[:]...)
		payload = binary.AppendUvarint(payload, version)
	}
	return payload
}

// DecodeSnapshot reads the stored form of the snapshot with a version.
func DecodeSnapshot(body []byte, version uint64) (Snapshot, error) {
	s, err := readSnapshot(body, version)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read snapshot %d: %w", version, err)
	}
	return s, nil
}

func readSnapshot(body []byte, version uint64) (Snapshot, error) {
	read, err := unpack(body, ofSnapshot, version)
	if err != nil {
		return Snapshot{}, err
	}
	image, rest, err := record.ReadImage(read.payload)
	if err != nil {
		return Snapshot{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	s := Snapshot{Image: image, Last: read.previous}
	n, rest, err := readNumber(rest)
	if err != nil || n > uint64(len(rest)) {
		return Snapshot{}, ErrDamaged
	}
	s.Index.events = make([]Span, n)
	for i := range s.Index.events {
		if rest, err = s.Index.events[i].read(rest); err != nil {
			return Snapshot{}, err
		}
	}
	n, rest, err = readNumber(rest)
	if err != nil || n > uint64(len(rest)) {
		return Snapshot{}, ErrDamaged
	}
	s.Index.replies = make(map[ReplyKey]uint64, n)
	for range n {
		var key ReplyKey
		if len(rest) < len(key) {
			return Snapshot{}, ErrDamaged
		}
		rest = rest[copy(key[:], rest):]
		if s.Index.replies[key], rest, err = readNumber(rest); err != nil {
			return Snapshot{}, err
		}
	}
	return s, nil
}

// read reads the stored form, and returns the bytes behind it.
func (s *Span) read(b []byte) (rest []byte, err error) {
	if s.version, b, err = readNumber(b); err != nil {
		return nil, err
	}
	if s.last, b, err = readNumber(b); err != nil {
		return nil, err
	}
	for i := range s.types {
		if s.types[i], b, err = readNumber(b); err != nil {
			return nil, err
		}
	}
	return b, nil
}
