// Package pow makes challenges for proofs of work, and checks the proofs. It
// stores nothing: a challenge is signed, so that only its signer has to be asked
// whether it is one, and which proofs were used is known to the caller.
package pow

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strings"
	"time"
)

const (
	// challengeLasts is how long a challenge can be solved (contract:
	// OPEN.POW.CHALLENGE).
	challengeLasts = 5 * time.Minute
	// maxNonce is the longest nonce, in digits.
	maxNonce = 40
)

// A challenge is 8 bytes of the time in seconds at which it ends, a byte of the
// difficulty, 16 random bytes and the first 16 bytes of a signature over all of
// it, as text without a full stop.
const (
	randomBytes    = 16
	signatureBytes = 16
	signedBytes    = 8 + 1 + randomBytes
	challengeBytes = signedBytes + signatureBytes
)

// Reason is why a proof is no good (contract: OPEN.POW.WRONG), "" for one that
// is good.
type Reason string

// Reasons.
const (
	Wrong Reason = "wrong"
	Stale Reason = "stale"
	Used  Reason = "used"
)

// Signer makes and knows the challenges of a server.
type Signer struct{ key []byte }

// NewSigner returns the signer of a server with a secret.
func NewSigner(secret []byte) (*Signer, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "platen proof of work", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of challenges: %w", err)
	}
	return &Signer{key: key}, nil
}

// Challenge returns a fresh challenge. The difficulty is the number of leading
// zero bits that a proof must have.
func (s *Signer) Challenge(now time.Time, difficulty int) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, challengeBytes), uint64(now.Add(challengeLasts).Unix()))
	b = append(b, byte(difficulty))
	b = append(b, make([]byte, randomBytes)...)
	rand.Read(b[len(b)-randomBytes:])
	return base64.RawURLEncoding.EncodeToString(append(b, s.signature(b)...))
}

func (s *Signer) signature(b []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write(b)
	return mac.Sum(nil)[:signatureBytes]
}

// Check reads the values of a request's header Sim-PoW, a challenge and a nonce
// with a full stop between them. It returns the name of the challenge, by which
// used ones are known, and when it ends; or the reason why the proof is no good.
// One for less than the difficulty is stale: the operator has raised it.
func (s *Signer) Check(sent []string, now time.Time, difficulty int) (name string, ends time.Time, reason Reason) {
	challenge, nonce, _ := strings.Cut(sent[0], ".")
	b, err := base64.RawURLEncoding.Strict().DecodeString(challenge)
	if len(sent) > 1 || err != nil || len(b) != challengeBytes ||
		!hmac.Equal(b[signedBytes:], s.signature(b[:signedBytes])) || !decimal(nonce) {
		return "", ends, Wrong
	}
	ends = time.Unix(int64(binary.BigEndian.Uint64(b)), 0)
	wanted := int(b[8])
	if !now.Before(ends) || wanted < difficulty {
		return "", ends, Stale
	}
	if leadingZeros(sha256.Sum256([]byte(challenge+nonce))) < wanted {
		return "", ends, Wrong
	}
	return hex.EncodeToString(b[9:signedBytes]), ends, ""
}

func decimal(text string) bool {
	return text != "" && len(text) <= maxNonce && strings.Trim(text, "0123456789") == ""
}

func leadingZeros(sum [sha256.Size]byte) int {
	n := 0
	for _, b := range sum {
		n += bits.LeadingZeros8(b)
		if b != 0 {
			break
		}
	}
	return n
}
