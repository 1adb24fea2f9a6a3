package commitlog

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"
)

// Bodies begin with the version of their format and a flag; the rest may be
// compressed. Bodies of the first format are still read: they have the values of
// filters and the types of events by their position in the definitions of their
// time, the values without a word on which these were.
const (
	firstFormat    = 1
	bodyFormat     = 2
	flagPlain      = 0
	flagCompressed = 1
	// compressAbove is the size in bytes from which compression pays.
	compressAbove = 512
	// maxExpands is the most bytes that a compressed one can stand for. Rows
	// are far below that; a damaged body that claims more is not unpacked.
	maxExpands = 1024
)

var (
	// ErrFormat is the error of a body that a newer program wrote.
	ErrFormat = errors.New("a body of a format that this version does not know")

	errBody = errors.New("not a body that this version can read")
)

func pack(payload []byte) []byte {
	if len(payload) <= compressAbove {
		return append([]byte{bodyFormat, flagPlain}, payload...)
	}
	body := make([]byte, 2, 2+s2.MaxEncodedLen(len(payload)))
	body[0], body[1] = bodyFormat, flagCompressed
	packed := s2.Encode(body[2:cap(body)], payload)
	if len(payload) > maxExpands*len(packed) {
		return append([]byte{bodyFormat, flagPlain}, payload...)
	}
	return body[:2+len(packed)]
}

// unpack returns the payload that pack was given, and whether it is of the
// first format.
func unpack(body []byte) (payload []byte, first bool, err error) {
	if len(body) > 1 && body[0] > bodyFormat {
		return nil, false, ErrFormat
	}
	if len(body) < 2 || body[0] < firstFormat || body[1] > flagCompressed {
		return nil, false, errBody
	}
	first = body[0] == firstFormat
	if body[1] == flagPlain {
		return body[2:], first, nil
	}
	if n, err := s2.DecodedLen(body[2:]); err != nil || n > maxExpands*len(body) {
		return nil, false, errBody
	}
	if payload, err = s2.Decode(nil, body[2:]); err != nil {
		return nil, false, fmt.Errorf("decompress: %w", err)
	}
	return payload, first, nil
}

func readNumber(b []byte) (uint64, []byte, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, errBody
	}
	return n, b[size:], nil
}
