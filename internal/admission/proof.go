package admission

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/bits"
	"strings"
	"time"

	"platen/internal/problem"
	"platen/internal/store"
)

const (
	// challengeLasts is how long a challenge can be solved (contract:
	// OPEN.POW.CHALLENGE).
	challengeLasts = 5 * time.Minute
	// proofKept is how long a used proof is remembered beyond its challenge, in
	// case the clock steps back.
	proofKept = 10 * time.Minute
	// maxNonce is the longest nonce, in digits.
	maxNonce = 40
)

// A challenge is 8 bytes of the time in seconds at which it ends, a byte of the
// difficulty, 16 random bytes and the first 16 bytes of a signature over all of
// it, as text without a full stop. Nothing is stored until it is used.
const (
	randomBytes    = 16
	signatureBytes = 16
	signedBytes    = 8 + 1 + randomBytes
	challengeBytes = signedBytes + signatureBytes
)

// PowDetails are the details of pow_required.
type PowDetails struct {
	// Challenge and Difficulty are the task.
	Challenge  string `json:"challenge"`
	Difficulty int    `json:"difficulty"`
	// Reason is the fault of the proof that was sent, if one was.
	Reason string `json:"reason,omitempty"`
}

// Reasons why a proof is no good (contract: OPEN.POW.WRONG).
const (
	powWrong = "wrong"
	powStale = "stale"
	powUsed  = "used"
)

// asked is pow_required with a fresh challenge.
func (d *Controller) asked(now time.Time, reason string) error {
	message := map[string]string{
		"":       "This server asks for a proof of work with each creation.",
		powWrong: "The proof of work does not solve a challenge of this server.",
		powStale: "The proof of work comes too late: its challenge has ended.",
		powUsed:  "The proof of work has been used for another creation.",
	}[reason]
	return problem.New(problem.PowRequired, "%s", message).
		With(PowDetails{Challenge: d.newChallenge(now), Difficulty: d.options.Difficulty, Reason: reason})
}

func (d *Controller) newChallenge(now time.Time) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, challengeBytes), uint64(now.Add(challengeLasts).Unix()))
	b = append(b, byte(d.options.Difficulty))
	b = append(b, make([]byte, randomBytes)...)
	rand.Read(b[len(b)-randomBytes:])
	return base64.RawURLEncoding.EncodeToString(append(b, d.signature(b)...))
}

func (d *Controller) signature(b []byte) []byte {
	mac := hmac.New(sha256.New, d.challenge)
	mac.Write(b)
	return mac.Sum(nil)[:signatureBytes]
}

// prove checks the header Sim-PoW and holds the proof, so that no other
// creation can use it meanwhile; the caller lets go of it. It returns the record
// that uses the proof up, or nil when none is asked for.
func (d *Controller) prove(ctx context.Context, sent []string, now time.Time) (*store.Record, error) {
	if d.options.Difficulty == 0 {
		return nil, nil //nolint:nilnil // no proof, no record
	}
	if len(sent) == 0 {
		return nil, d.asked(now, "")
	}
	name, ends, reason := d.check(sent, now)
	if reason != "" {
		return nil, d.asked(now, reason)
	}
	if !d.hold(d.proofs, name) {
		return nil, d.asked(now, powUsed)
	}
	_, err := d.store.Find(ctx, kindProof, name)
	if errors.Is(err, store.ErrNotFound) {
		return &store.Record{Kind: kindProof, Key: name, EndsAt: ends.Add(proofKept)}, nil
	}
	d.release(d.proofs, name)
	if err == nil {
		return nil, d.asked(now, powUsed)
	}
	return nil, err //nolint:wrapcheck // the error names the record
}

// check reads a proof and reports why it is no good, "" when it is.
func (d *Controller) check(sent []string, now time.Time) (name string, ends time.Time, reason string) {
	challenge, nonce, _ := strings.Cut(sent[0], ".")
	b, err := base64.RawURLEncoding.Strict().DecodeString(challenge)
	if len(sent) > 1 || err != nil || len(b) != challengeBytes ||
		!hmac.Equal(b[signedBytes:], d.signature(b[:signedBytes])) || !decimal(nonce) {
		return "", ends, powWrong
	}
	ends = time.Unix(int64(binary.BigEndian.Uint64(b)), 0)
	difficulty := int(b[8])
	if !now.Before(ends) || difficulty < d.options.Difficulty { // the operator has raised it
		return "", ends, powStale
	}
	if leadingZeros(sha256.Sum256([]byte(challenge+nonce))) < difficulty {
		return "", ends, powWrong
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
