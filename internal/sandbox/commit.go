package sandbox

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"

	"platen/internal/company/record"
	"platen/internal/problem"
	"platen/internal/store"
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

var errBody = errors.New("not a body that this version can read")

// commitBody is the stored body of one commit.
type commitBody struct {
	record.Changes
	// reply is the stored reply of the command, nil for passing time and for
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
	payload, first, err := unpack(body)
	if err != nil {
		return commitBody{}, err
	}
	readChanges := record.ReadChanges
	if first {
		readChanges = record.ReadChanges1
	}
	changes, rest, err := readChanges(payload)
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
	if len(payload) > maxExpands*len(packed) {
		return append([]byte{bodyFormat, flagPlain}, payload...)
	}
	return body[:2+len(packed)]
}

// errFormat is a body that a newer program wrote.
var errFormat = errors.New("a body of a format that this version does not know")

// unpack returns the payload that pack was given, and whether it is of the
// first format.
func unpack(body []byte) (payload []byte, first bool, err error) {
	if len(body) > 1 && body[0] > bodyFormat {
		return nil, false, errFormat
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

// errUnknown is the error of a commit of which it is not known whether it was
// made.
var errUnknown = errors.New("the outcome of a commit is unknown")

// storeProblem returns the client's error for a failed commit.
func storeProblem(id string, err error) error {
	if p := unavailable(err); p != nil {
		return p
	}
	return fmt.Errorf("commit to sandbox %s: %w: %w", id, errUnknown, err)
}

// readProblem returns the client's error for a failed read of the store.
func readProblem(doing string, err error) error {
	if p := unavailable(err); p != nil {
		return p
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// unavailable is the refusal for a store that does nothing for the moment, when
// it is certain that nothing was written; nil for other errors.
func unavailable(err error) error {
	switch {
	case errors.Is(err, store.ErrUnreachable):
		p := problem.New(problem.Unavailable, "The storage does not respond at the moment; nothing was changed.")
		p.RetryAfter = fullRetry
		return p
	case errors.Is(err, store.ErrFull):
		p := problem.New(problem.Unavailable, "The storage is full at the moment; nothing was changed.")
		p.RetryAfter = fullRetry
		return p
	case errors.Is(err, store.ErrBusy):
		p := problem.New(problem.Unavailable, "The storage is busy at the moment; nothing was changed.")
		p.RetryAfter = 1
		return p
	case errors.Is(err, store.ErrConflict):
		// Another process holds the sandbox. Nothing was written; the next try
		// reads the other's commits.
		p := problem.New(problem.Unavailable, "Another writer was faster; nothing was changed.")
		p.RetryAfter = 1
		return p
	case errors.Is(err, store.ErrClosed):
		p := problem.New(problem.Unavailable, "The server is stopping; nothing was changed.")
		p.RetryAfter = 1
		return p
	default:
		return nil
	}
}
