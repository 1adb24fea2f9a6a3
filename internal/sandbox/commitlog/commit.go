// Package commitlog is the log of a sandbox: the stored form of its commits and
// snapshots, and an index of the replies and events in them.
package commitlog

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"platen/internal/company/record"
)

// Commit is the stored body of one commit.
type Commit struct {
	record.Changes
	// Reply is the stored reply of the command, nil for passing time and for
	// commands without an idempotency key.
	Reply *Reply
	// Sum is the sum of the commit as it was read, Previous that of the one before
	// it; 0 is unknown.
	Sum, Previous Sum
}

// Reply is a stored response, with the request that it belongs to.
type Reply struct {
	Key         ReplyKey
	Fingerprint Fingerprint
	// Status is the HTTP status.
	Status int
	Body   []byte
}

// Fingerprint is the SHA-256 of a request's method, path, query and body.
type Fingerprint [sha256.Size]byte

// ReplyKey is the start of the SHA-256 of an idempotency key and its scope.
type ReplyKey [16]byte

// ReplyKeyOf returns the name of an idempotency key in a scope.
func ReplyKeyOf(scope, key string) ReplyKey {
	sum := sha256.Sum256([]byte(scope + "\x00" + key))
	return ReplyKey(sum[:16])
}

// Encode returns the stored form of the commit with a version, and its sum. The
// sum of the commit before it is in there.
func (c *Commit) Encode(version uint64, previous Sum) ([]byte, Sum) {
	return packed(func(payload []byte) []byte {
		return c.Reply.append(record.AppendChanges(payload, &c.Changes))
	}, ofCommit, version, previous)
}

// DecodeCommit reads the stored form of the commit with a version.
func DecodeCommit(body []byte, version uint64) (Commit, error) {
	read, err := unpack(body, ofCommit, version)
	if err != nil {
		return Commit{}, fmt.Errorf("read commit %d: %w", version, err)
	}
	changes, rest, err := record.ReadChanges(read.payload)
	if err != nil {
		return Commit{}, fmt.Errorf("read commit %d: %w: %w", version, ErrDamaged, err)
	}
	reply, err := readReply(rest)
	if err != nil {
		return Commit{}, fmt.Errorf("read commit %d: %w", version, err)
	}
	return Commit{Changes: changes, Reply: reply, Sum: read.sum, Previous: read.previous}, nil
}

// append writes the stored form. A nil reply is one byte.
func (r *Reply) append(b []byte) []byte {
	if r == nil {
		return append(b, 0)
	}
	b = append(b, 1)
	b = append(b, r.Key[:]...)
	b = append(b, r.Fingerprint[:]...)
	b = binary.AppendUvarint(b, uint64(r.Status))
	return append(b, r.Body...)
}

func readReply(b []byte) (*Reply, error) {
	if len(b) == 0 {
		return nil, ErrDamaged
	}
	if b[0] == 0 {
		return nil, nil //nolint:nilnil // a commit without a reply
	}
	r := &Reply{}
	b = b[1:]
	if len(b) < len(r.Key)+len(r.Fingerprint) {
		return nil, ErrDamaged
	}
	b = b[copy(r.Key[:], b):]
	b = b[copy(r.Fingerprint[:], b):]
	status, b, err := readNumber(b)
	r.Status, r.Body = int(status), b
	return r, err
}
