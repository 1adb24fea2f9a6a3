package session_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/internal/mcp/session"
	"platen/internal/sandbox/apikey"
	"platen/internal/store"
	"platen/internal/store/sqlite"
	"platen/internal/words/problem"
)

var (
	epoch = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	keys  = apikey.Pair{SandboxID: "sbx_1", Office: store.KeyHash{1, 2}, Factory: store.KeyHash{3, 4}}
)

// clock is set by hand.
type clock struct {
	mu sync.Mutex // guards what follows
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func open(t testing.TB) (*session.Store, *clock, store.Store) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c := &clock{at: epoch}
	return session.NewStore(db, c.now), c, db
}

func TestASessionHoldsWhatItWasGivenLast(t *testing.T) {
	t.Parallel()
	b, _, _ := open(t)
	id, s, err := b.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Keys(); ok {
		t.Error("a new session holds keys")
	}
	other := keys
	other.SandboxID, other.Office = "sbx_2", store.KeyHash{} // a key that was revoked
	var handles []string
	for _, given := range []apikey.Pair{keys, other} {
		handle, err := b.Give(t.Context(), s, given)
		if err != nil {
			t.Fatal(err)
		}
		handles = append(handles, handle)
		found, err := b.Find(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		for name, holder := range map[string]*session.Session{"at hand": s, "found": found} {
			if got, ok := holder.Keys(); !ok || got != given {
				t.Errorf("the session %s holds %v, want %v", name, got, given)
			}
		}
	}
	for i, want := range []apikey.Pair{keys, other} {
		if got, err := b.Holds(t.Context(), handles[i]); err != nil || got != want {
			t.Errorf("the handle stands for %v, %v, want %v", got, err, want)
		}
	}
}

// TestTheyLastForADayAfterTheirLastUse: a session in use goes on, however old.
func TestTheyLastForADayAfterTheirLastUse(t *testing.T) {
	t.Parallel()
	b, c, _ := open(t)
	id, s, err := b.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	handle, err := b.Give(t.Context(), s, keys)
	if err != nil {
		t.Fatal(err)
	}
	use := func() (session, holder error) {
		_, session = b.Find(t.Context(), id)
		_, holder = b.Holds(t.Context(), handle)
		return session, holder
	}
	for range 5 {
		c.pass(session.Lasts - 2*time.Hour)
		if session, holder := use(); session != nil || holder != nil {
			t.Fatalf("at %v: %v, %v", c.now(), session, holder)
		}
	}
	c.pass(session.Lasts + time.Second)
	if s, holder := use(); !errors.Is(s, session.ErrUnknown) || !errors.Is(holder, session.ErrUnknown) {
		t.Errorf("a day after their last use: %v, %v", s, holder)
	}
}

func TestAnEndedSessionIsUnknownAndItsHandleIsNot(t *testing.T) {
	t.Parallel()
	b, _, _ := open(t)
	id, s, err := b.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	handle, err := b.Give(t.Context(), s, keys)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.End(t.Context(), s); err != nil {
			t.Errorf("end: %v", err)
		}
	}
	if _, err := b.Find(t.Context(), id); !errors.Is(err, session.ErrUnknown) {
		t.Errorf("the ended session is %v", err)
	}
	if _, err := b.Holds(t.Context(), handle); err != nil {
		t.Errorf("its handle is %v", err)
	}
	for _, nobody := range []string{"", "x", handle[:len(handle)-1], strings.ToUpper(handle)} {
		if _, err := b.Holds(t.Context(), nobody); !errors.Is(err, session.ErrUnknown) {
			t.Errorf("the handle %q is %v", nobody, err)
		}
	}
}

// TestNothingThatOpensAnythingIsStored: neither ids nor handles, of which there
// are as many as of keys.
func TestNothingThatOpensAnythingIsStored(t *testing.T) {
	t.Parallel()
	b, _, db := open(t)
	id, s, err := b.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	handle, err := b.Give(t.Context(), s, keys)
	if err != nil {
		t.Fatal(err)
	}
	const bits256 = 43
	if len(id) != bits256 || len(strings.TrimPrefix(handle, session.HandlePrefix)) != bits256 {
		t.Errorf("the id is %q, the handle %q", id, handle)
	}
	for _, kind := range []string{"agent session", "agent handle"} {
		records, err := db.List(t.Context(), kind)
		if err != nil || len(records) != 1 {
			t.Fatalf("%s: %d records, %v", kind, len(records), err)
		}
		for _, secret := range []string{id, handle, strings.TrimPrefix(handle, session.HandlePrefix)} {
			if strings.Contains(records[0].Key, secret) || bytes.Contains(records[0].Body, []byte(secret)) {
				t.Errorf("%s: the record holds %q", kind, secret)
			}
		}
	}
}

// TestADamagedSessionIsNoUnknownOne: it is ours to look into, and not the
// client's to forget.
func TestADamagedSessionIsNoUnknownOne(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"{", `{"sandbox_id":"sbx_1","office":"zz","factory":"zz"}`,
		`{"sandbox_id":"sbx_1","office":"00","factory":"00"}`,
	} {
		b, _, db := open(t)
		id, _, err := b.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		damaged := store.Record{
			Kind: "agent session", Key: recordOf(t, db), Body: []byte(body), EndsAt: epoch.Add(time.Hour),
		}
		if err := db.Write(t.Context(), []store.Write{{Record: damaged}}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Find(t.Context(), id); err == nil || errors.Is(err, session.ErrUnknown) {
			t.Errorf("the session %s is %v", body, err)
		}
	}
}

// TestAStoreThatTakesNothingAsksToTryAgain: the client is not to open a new
// session because a server is stopping.
func TestAStoreThatTakesNothingAsksToTryAgain(t *testing.T) {
	t.Parallel()
	b, _, db := open(t)
	id, s, err := b.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, _, opening := b.Open(t.Context())
	_, finding := b.Find(t.Context(), id)
	_, giving := b.Give(t.Context(), s, keys)
	_, holding := b.Holds(t.Context(), id)
	for doing, err := range map[string]error{
		"open": opening, "find": finding, "give": giving, "hold": holding, "end": b.End(t.Context(), s),
	} {
		if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Code != problem.Unavailable || p.RetryAfter == 0 {
			t.Errorf("%s: %v", doing, err)
		}
	}
}

func recordOf(t testing.TB, db store.Store) string {
	t.Helper()
	records, err := db.List(t.Context(), "agent session")
	if err != nil || len(records) != 1 {
		t.Fatalf("%d sessions, %v", len(records), err)
	}
	return records[0].Key
}

// before does something before each write.
type before struct {
	store.Store

	do func()
}

func (b before) Write(ctx context.Context, writes []store.Write) error {
	b.do()
	return b.Store.Write(ctx, writes)
}

// TestUsingASessionUndoesNothing: what another server has done to it meanwhile stays.
func TestUsingASessionUndoesNothing(t *testing.T) {
	t.Parallel()
	here, clock, db := open(t)
	id, s, err := here.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clock.pass(session.Lasts / 2) // so that its use is to be noted
	ended := false
	there := session.NewStore(before{db, func() {
		if !ended {
			ended = true
			if err := here.End(t.Context(), s); err != nil {
				t.Error(err)
			}
		}
	}}, clock.now)
	if _, err := there.Find(t.Context(), id); err != nil { // it had not ended when it was looked up
		t.Fatal(err)
	}
	if _, err := here.Find(t.Context(), id); !ended || !errors.Is(err, session.ErrUnknown) {
		t.Errorf("a session that has ended is found: %v; it ended: %t", err, ended)
	}
}
