package client

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
)

const (
	// maxDifficulty is the hardest task that is begun: about 2^28 hashes, half
	// a minute of one processor.
	maxDifficulty = 28
	// looksEvery is how many nonces are tried between looks at the context.
	looksEvery = 1 << 12
)

// solve does the proof of work that the error pow_required asks for and
// returns the value of the header Sim-PoW. A task that is too hard, or none at
// all, is that error again.
func (c *Client) solve(ctx context.Context, refusal error) (string, error) {
	var task struct {
		Challenge  string `json:"challenge"`
		Difficulty int    `json:"difficulty"`
	}
	e, ok := errors.AsType[*Error](refusal)
	if !ok || json.Unmarshal(e.Details, &task) != nil || task.Challenge == "" || task.Difficulty > maxDifficulty {
		return "", refusal
	}
	c.onWait(Wait{Operation: e.Operation, Err: refusal, Difficulty: task.Difficulty})
	text := []byte(task.Challenge)
	for nonce := uint64(0); ; nonce++ {
		if nonce%looksEvery == 0 && ctx.Err() != nil {
			return "", fmt.Errorf("platen: %s: %w during the proof of work", e.Operation, ctx.Err())
		}
		sum := sha256.Sum256(strconv.AppendUint(text, nonce, 10))
		if leadingZeros(sum) >= task.Difficulty {
			return task.Challenge + "." + strconv.FormatUint(nonce, 10), nil
		}
	}
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
