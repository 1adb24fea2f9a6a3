package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	"platen/internal/store"
)

// TestWhatWasClaimedMeanwhileIsNotClaimedAgain: the statement of one node begins, waits, and goes on
// when another node has claimed all that the statement saw as free.
func TestWhatWasClaimedMeanwhileIsNotClaimedAgain(t *testing.T) {
	t.Parallel()
	const kind = "serves"
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, claim := range map[string]func(context.Context, *Store, store.Session) ([]string, error){
		"due": func(ctx context.Context, s *Store, session store.Session) ([]string, error) {
			return s.ClaimDue(ctx, session, at, 9)
		},
		"named": func(ctx context.Context, s *Store, session store.Session) ([]string, error) {
			return s.ClaimNamed(ctx, session, kind, at, 9)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := newSchema(t)
			quick, slow := openTest(t, dsn), openTest(t, dsn)
			for session, s := range map[store.Session]*Store{"quick": quick, "slow": slow} {
				name := string(session)
				n := store.Node{Session: session, Address: name + ":7000", Settings: "alike", Name: name}
				if err := s.Join(t.Context(), n, time.Hour, func(store.Node) error { return nil }); err != nil {
					t.Fatalf("join: %v", err)
				}
			}
			for _, id := range []string{"a", "b", "c"} {
				c := creation(id)
				c.Header.WakeAt = at
				if err := quick.Commit(t.Context(), c); err != nil {
					t.Fatalf("create: %v", err)
				}
				run(t, dsn, fmt.Sprintf("INSERT INTO records (kind, key, body, ends_at) VALUES ('%s', '%s', '', %d)",
					kind, id, at.Add(time.Hour).UnixMicro()))
			}

			// The node that buries the slow one has it in hand, and lets it live.
			tx, err := connectRaw(t, dsn).Begin(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tx.Exec(t.Context(), "SELECT FROM nodes WHERE session = 'slow' FOR UPDATE"); err != nil {
				t.Fatal(err)
			}
			type answer struct {
				claimed []string
				err     error
			}
			answers := make(chan answer, 1)
			go func() {
				claimed, err := claim(t.Context(), slow, "slow")
				answers <- answer{claimed, err}
			}()
			waitForLock(t, dsn, slow)
			first, err := claim(t.Context(), quick, "quick")
			if err != nil || len(first) != 3 {
				t.Errorf("the quick node claims %q (%v), want all three", first, err)
			}
			if err := tx.Rollback(t.Context()); err != nil {
				t.Fatal(err)
			}
			if second := <-answers; second.err != nil || len(second.claimed) > 0 {
				t.Errorf("the slow node claims %q too (%v)", second.claimed, second.err)
			}
		})
	}
}
