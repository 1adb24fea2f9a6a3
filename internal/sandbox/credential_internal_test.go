package sandbox

import (
	"encoding/binary"
	"testing"
	"time"

	"platen/internal/store"
)

// TestARevokedKeyStaysRevokedWhenTheTableOfKeysIsEmptied: a look-up that began before the revocation ends after it, and
// after so many others that the table was emptied.
func TestARevokedKeyStaysRevokedWhenTheTableOfKeysIsEmptied(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	r := NewRegistry(Options{Now: func() time.Time { return now }})
	revoked := store.KeyHash{1}
	caller := Caller{SandboxID: "sbx_1", deleteAt: now.Add(time.Hour)}
	r.markRevoked(revoked, true)
	for i := range maxKnownKeys + 1 {
		var other store.KeyHash
		binary.BigEndian.PutUint64(other[8:], uint64(i)+1)
		r.remember(other, caller)
	}
	r.remember(revoked, caller)
	if _, known := r.keys[revoked]; known {
		t.Error("the key is back")
	}
	if n := len(r.keys); n == 0 || n > maxKnownKeys {
		t.Errorf("%d keys are remembered", n)
	}
	now = now.Add(2 * lookUpTime)
	r.markRevoked(store.KeyHash{2}, true)
	if n := len(r.revoked); n != 1 {
		t.Errorf("%d revoked keys are remembered after two hours, want the last one", n)
	}
}
