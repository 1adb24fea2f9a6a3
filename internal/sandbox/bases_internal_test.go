package sandbox

import (
	"errors"
	"testing"
)

// TestStatesOfForksAreKeptWithinTheirBound: those that were used lately, and none that is
// larger than all the room. A state that cannot be read is not kept.
func TestStatesOfForksAreKeptWithinTheirBound(t *testing.T) {
	t.Parallel()
	b, reads := newBases(100), 0
	find := func(version uint64, size int) {
		t.Helper()
		body, err := b.find(ForkBase{SandboxID: "sbx_1", Version: version}, func() ([]byte, error) {
			reads++
			return make([]byte, size), nil
		})
		if err != nil || len(body) != size {
			t.Fatalf("version %d has %d bytes, %v", version, len(body), err)
		}
	}
	wantReads := func(what string, want int) {
		t.Helper()
		if reads != want {
			t.Errorf("%s: %d reads, want %d", what, reads, want)
		}
	}
	find(1, 40)
	find(2, 40)
	find(1, 40)
	wantReads("again", 2)
	find(3, 40)
	find(1, 40)
	wantReads("the one used last stays", 3)
	find(2, 40)
	wantReads("the one not used goes", 4)
	for range 2 {
		find(4, 101)
	}
	wantReads("one that is too large", 6)
	find(2, 40)
	wantReads("what was kept beside it", 6)
	if known := len(b.known["sbx_1"]); b.bytes > b.limit || known != b.order.Len() {
		t.Errorf("%d bytes in %d and %d states", b.bytes, known, b.order.Len())
	}
	failure := errors.New("the store is away")
	for range 2 {
		_, err := b.find(ForkBase{SandboxID: "sbx_2"}, func() ([]byte, error) { return nil, failure })
		if !errors.Is(err, failure) {
			t.Errorf("a state that cannot be read: %v", err)
		}
	}
}

// TestADeletedSandboxLeavesNoStatesOfForks, and those of others stay.
func TestADeletedSandboxLeavesNoStatesOfForks(t *testing.T) {
	t.Parallel()
	b := newBases(100)
	for version := range uint64(2) {
		b.put(ForkBase{SandboxID: "sbx_gone", Version: version}, make([]byte, 10))
	}
	stays := ForkBase{SandboxID: "sbx_stays"}
	b.put(stays, make([]byte, 10))
	b.drop("sbx_gone")
	b.drop("sbx_never_forked")
	if b.bytes != 10 || b.order.Len() != 1 || len(b.known) != 1 || b.get(stays) == nil {
		t.Errorf("%d bytes of %d states in %d sandboxes are left", b.bytes, b.order.Len(), len(b.known))
	}
}
