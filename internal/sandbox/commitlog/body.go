package commitlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/s2"
)

// A body is a head and a payload, which may be compressed:
//
//	format  sum of all that follows, of the format, and of the kind and version of the body
//	1 byte  4 bytes, little-endian
//	        flag    sum of the commit before  payload
//	        1 byte  4 bytes
//
// Formats to come keep the place of the sum, so that a body of another program is
// told from a damaged one. There is one for commits and one for snapshots.
const (
	commitFormat   = 5
	snapshotFormat = 9
	flagPlain      = 0
	flagCompressed = 1
	// sumAt, flagAt, previousAt and payloadAt are the places of the parts.
	sumAt      = 1
	flagAt     = 5
	previousAt = 6
	payloadAt  = 10
	// compressAbove is the size in bytes from which compression pays.
	compressAbove = 512
	// maxPooled is the size in bytes up to which a buffer is used again.
	maxPooled = 1 << 20
	// maxExpands is the most bytes that a compressed byte can expand to. Rows are
	// far below that; a damaged body that claims more is not unpacked.
	maxExpands = 1024
)

var (
	// ErrFormat is the error of a body that a newer program wrote.
	ErrFormat = errors.New("a body of a format that this version does not know")
	// ErrDamaged is the error of a body that is not what was written.
	ErrDamaged = errors.New("a stored body is damaged")
)

// Sum is the CRC-32C of a commit, 0 for one that has none. It finds what a disk or
// a file system has changed, and is no protection from intent.
type Sum uint32

// kind is the kind of a body: a body of one kind, or of one version, is not taken
// for another. Which sandbox it belongs to is not in the sum.
type kind byte

const (
	ofCommit   kind = 'c'
	ofSnapshot kind = 's'
)

func (k kind) format() byte {
	if k == ofCommit {
		return commitFormat
	}
	return snapshotFormat
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli) //nolint:gochecknoglobals // read only

func sumOf(body []byte, k kind, version uint64) Sum {
	head := binary.LittleEndian.AppendUint64([]byte{byte(k), body[0]}, version)
	return Sum(crc32.Update(crc32.Checksum(head, castagnoli), castagnoli, body[flagAt:]))
}

// payloads are buffers for what is packed: the opening of a company and snapshots
// are large, and a body is a copy of its payload, or its compressed form.
var payloads = sync.Pool{New: func() any { return new([]byte) }} //nolint:gochecknoglobals // buffers

// packed returns the body of what is appended to a payload, and its sum.
func packed(appendTo func([]byte) []byte, k kind, version uint64, previous Sum) (body []byte, sum Sum) {
	buffer, _ := payloads.Get().(*[]byte)
	payload, flag := appendTo((*buffer)[:0]), byte(flagPlain)
	if len(payload) > compressAbove {
		body = make([]byte, payloadAt, payloadAt+s2.MaxEncodedLen(len(payload)))
		packed := s2.Encode(body[payloadAt:cap(body)], payload)
		if len(payload) <= maxExpands*len(packed) {
			body, flag = body[:payloadAt+len(packed)], flagCompressed
		}
	}
	if flag == flagPlain {
		body = append(make([]byte, payloadAt, payloadAt+len(payload)), payload...)
	}
	if *buffer = payload; cap(payload) <= maxPooled {
		payloads.Put(buffer)
	}
	body[0], body[flagAt] = k.format(), flag
	return body, seal(body, k, version, previous)
}

// seal writes the sums into a body that is complete without them, and returns its own.
func seal(body []byte, k kind, version uint64, previous Sum) Sum {
	binary.LittleEndian.PutUint32(body[previousAt:], uint32(previous))
	sum := sumOf(body, k, version)
	binary.LittleEndian.PutUint32(body[sumAt:], uint32(sum))
	return sum
}

// unpacked is a body that was read.
type unpacked struct {
	payload []byte
	// sum is its own, previous that of the commit before it.
	sum, previous Sum
}

// unpack reads a body.
func unpack(body []byte, k kind, version uint64) (u unpacked, err error) {
	if len(body) < payloadAt {
		return u, fmt.Errorf("%w: it has %d bytes", ErrDamaged, len(body))
	}
	u.sum = Sum(binary.LittleEndian.Uint32(body[sumAt:]))
	if sumOf(body, k, version) != u.sum {
		return u, fmt.Errorf("%w: its sum is another one", ErrDamaged)
	}
	u.previous = Sum(binary.LittleEndian.Uint32(body[previousAt:]))
	if body[0] != k.format() {
		return u, ErrFormat
	}
	u.payload, err = expand(body[payloadAt:], body[flagAt])
	return u, err
}

func expand(packed []byte, flag byte) ([]byte, error) {
	switch flag {
	case flagPlain:
		return packed, nil
	case flagCompressed:
		if n, err := s2.DecodedLen(packed); err != nil || n > maxExpands*(len(packed)+1) {
			return nil, fmt.Errorf("%w: it cannot be expanded", ErrDamaged)
		}
		payload, err := s2.Decode(nil, packed)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return payload, nil
	default:
		return nil, fmt.Errorf("%w: no flag %d", ErrDamaged, flag)
	}
}

func readNumber(b []byte) (uint64, []byte, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, ErrDamaged
	}
	return n, b[size:], nil
}
