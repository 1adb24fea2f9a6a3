package admission

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"platen/internal/store"
	"platen/internal/words/problem"
)

const (
	// KeyLeast is the least number of characters of an idempotency key for a creation
	// where strangers may share an address: they must not meet under "test"
	// (contract: OPEN.IDEM.CREATION).
	KeyLeast = 20
	// replyKept is how long the response of a creation is kept (contract:
	// OPEN.IDEM.CREATION).
	replyKept = 10 * time.Minute
)

// intention is a creation with an idempotency key. Its record can
// be found and read only with that key: both its name and the key of its
// encryption are derived from it and the server's secret.
type intention struct {
	name        string
	seal        cipher.AEAD
	fingerprint [sha256.Size]byte
}

// intend returns the intention of a key in a scope, nil without a key.
func (c *Controller) intend(scope, idempotencyKey string, fingerprint [sha256.Size]byte) (*intention, error) {
	if idempotencyKey == "" {
		return nil, nil //nolint:nilnil // no key, no intention
	}
	derive := func(purpose string) ([]byte, error) {
		return hkdf.Key(sha256.New, c.options.Secret, nil, purpose+"\x00"+scope+"\x00"+idempotencyKey, sha256.Size)
	}
	name, err := derive("platen creation name")
	if err != nil {
		return nil, fmt.Errorf("derive the name of an answer: %w", err)
	}
	key, err := derive("platen creation answer")
	if err != nil {
		return nil, fmt.Errorf("derive the key of an answer: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("encrypt answers: %w", err)
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("encrypt answers: %w", err)
	}
	return &intention{name: hex.EncodeToString(name), seal: seal, fingerprint: fingerprint}, nil
}

// record is the record of a kept response.
func (i *intention) record(reply Reply, now time.Time) store.Record {
	plain := append(make([]byte, 0, len(i.fingerprint)+2+len(reply.Body)), i.fingerprint[:]...)
	plain = binary.BigEndian.AppendUint16(plain, uint16(reply.Status))
	plain = append(plain, reply.Body...)
	nonce := make([]byte, i.seal.NonceSize())
	rand.Read(nonce)
	return store.Record{
		Kind: kindReply, Key: i.name, Body: i.seal.Seal(nonce, nonce, plain, []byte(i.name)),
		EndsAt: now.Add(replyKept),
	}
}

// replay returns the kept response, if there is one.
func (c *Controller) replay(ctx context.Context, i *intention, now time.Time) (Reply, bool, error) {
	kept, err := c.store.Find(ctx, kindReply, i.name)
	if errors.Is(err, store.ErrNotFound) || err == nil && !now.Before(kept.EndsAt) {
		return Reply{}, false, nil
	}
	if err != nil {
		return Reply{}, false, err //nolint:wrapcheck // the error names the record
	}
	size := i.seal.NonceSize()
	if len(kept.Body) < size {
		return Reply{}, false, errKept
	}
	plain, err := i.seal.Open(nil, kept.Body[:size], kept.Body[size:], []byte(i.name))
	if err != nil || len(plain) < len(i.fingerprint)+2 {
		return Reply{}, false, errKept
	}
	if [sha256.Size]byte(plain) != i.fingerprint {
		return Reply{}, false, problem.New(problem.IdempotencyKeyReused,
			"This Idempotency-Key was used before for a different request.")
	}
	rest := plain[len(i.fingerprint):]
	return Reply{Status: int(binary.BigEndian.Uint16(rest)), Body: rest[2:], Replayed: true}, true, nil
}

var errKept = errors.New("a kept answer cannot be read")
