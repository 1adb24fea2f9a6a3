package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"

	"platen/internal/company/record"
)

// Bodies begin with the version of their format and a flag; the rest may be
// compressed.
const (
	bodyFormat     = 1
	flagPlain      = 0
	flagCompressed = 1
	// compressAbove is the size in bytes from which compression pays.
	compressAbove = 512
	// expandsMost is how many bytes a compressed one can stand for. Rows are far
	// below that; a damaged body that claims more is not unpacked.
	expandsMost = 1024
)

var errBody = errors.New("not a body that this version can read")

// commitBody is what one commit stores.
type commitBody struct {
	record.Changes
	// reply is the stored answer of the command, nil for passing time and for
	// commands without an idempotency key.
	reply *storedReply
}

func (b *commitBody) encode() []byte {
	payload := make([]byte, 0, 4096)
	payload = record.AppendChanges(payload, &b.Changes)
	payload = b.reply.append(payload)
	return pack(payload)
}

func decodeCommit(body []byte, version uint64) (commitBody, error) {
	payload, err := unpack(body)
	if err != nil {
		return commitBody{}, err
	}
	changes, rest, err := record.ReadChanges(payload)
	if err != nil {
		return commitBody{}, fmt.Errorf("decode commit %d: %w", version, err)
	}
	reply, err := readReply(rest)
	return commitBody{Changes: changes, reply: reply}, err
}

func pack(payload []byte) []byte {
	if len(payload) <= compressAbove {
		return append([]byte{bodyFormat, flagPlain}, payload...)
	}
	body := make([]byte, 2, 2+s2.MaxEncodedLen(len(payload)))
	body[0], body[1] = bodyFormat, flagCompressed
	packed := s2.Encode(body[2:cap(body)], payload)
	if len(payload) > expandsMost*len(packed) {
		return append([]byte{bodyFormat, flagPlain}, payload...)
	}
	return body[:2+len(packed)]
}

func unpack(body []byte) ([]byte, error) {
	if len(body) < 2 || body[0] != bodyFormat || body[1] > flagCompressed {
		return nil, errBody
	}
	if body[1] == flagPlain {
		return body[2:], nil
	}
	if n, err := s2.DecodedLen(body[2:]); err != nil || n > expandsMost*len(body) {
		return nil, errBody
	}
	payload, err := s2.Decode(nil, body[2:])
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return payload, nil
}

func readNumber(b []byte) (uint64, []byte, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, errBody
	}
	return n, b[size:], nil
}
