package storetest_test

import (
	"context"
	"testing"
	"time"

	"platen/internal/store"
	"platen/internal/store/storetest"
)

func TestSharedKeepsTheWordOfNodes(t *testing.T) {
	t.Parallel()
	storetest.RunNodes(t, func(t *testing.T) func(context.Context) (storetest.NodeStore, error) {
		shared := storetest.NewShared(openSQLite(t), time.Now)
		return func(context.Context) (storetest.NodeStore, error) { return shared.Handle(), nil }
	})
}

// believing acknowledges claims that it does not make.
type believing struct{ storetest.NodeStore }

func (b believing) Claim(_ context.Context, _ string, seen store.Fence, s store.Session) (store.Fence, error) {
	return store.Fence{Owner: s, Epoch: seen.Epoch + 1}, nil
}

// lenient takes what was made under an old claim as if it were made under the newest.
type lenient struct{ storetest.NodeStore }

func (l lenient) Commit(ctx context.Context, c store.Commit) error {
	if owned, err := l.Look(ctx, c.SandboxID); err == nil {
		c.Fence = owned.Fence
	}
	return l.NodeStore.Commit(ctx, c)
}

// TestTheSuiteSeesAStoreThatBreaksItsWord: each of these would lose or double writes,
// and some claim of the suite has to fail.
func TestTheSuiteSeesAStoreThatBreaksItsWord(t *testing.T) {
	t.Parallel()
	type nodeStore = storetest.NodeStore
	for name, broken := range map[string]func(nodeStore) nodeStore{
		"the claim is believed but was not durable": func(s nodeStore) nodeStore { return believing{s} },
		"an old epoch is accepted":                  func(s nodeStore) nodeStore { return lenient{s} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := storetest.BrokenClaims(t, func(t *testing.T) func(context.Context) (storetest.NodeStore, error) {
				shared := storetest.NewShared(openSQLite(t), time.Now)
				return func(context.Context) (storetest.NodeStore, error) { return broken(shared.Handle()), nil }
			})
			t.Log(failed)
			if len(failed) == 0 {
				t.Error("the suite sees nothing")
			}
		})
	}
}
