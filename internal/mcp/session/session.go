// Package session keeps the permission to act for a sandbox without sending a
// key: the sessions of agents, and handles for agents whose hosts lose them.
// Both are records in the store, so they survive restarts and are shared by
// servers. A record holds hashes alone: of the id that is its name, and of the
// keys.
package session

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"platen/internal/sandbox/apikey"
	"platen/internal/store"
	"platen/internal/store/storeproblem"
	"platen/internal/words/wire"
)

const (
	// Lasts is how long a session or a handle is kept after its last use
	// (contract: OPEN.MCP.SESSION).
	Lasts = 24 * time.Hour
	// renewed is the age after which the note of the last use is renewed:
	// writing one for each call would cost a flush of the disk.
	renewed = time.Hour

	// retrySeconds is the Retry-After, in seconds, while the storage takes
	// nothing.
	retrySeconds = 5

	kindSession = "agent session"
	kindHandle  = "agent handle"

	// HandlePrefix begins every handle (contract: OPEN.MCP.HANDLE).
	HandlePrefix = wire.HandlePrefix
	// secretBytes is the randomness of an id: its holder acts with both keys,
	// so it is as hard to guess as they are.
	secretBytes = 32
)

// ErrUnknown reports a session or a handle that there is not, or no longer.
var ErrUnknown = errors.New("unknown")

// Session is one session of an agent. It is safe for concurrent use.
type Session struct {
	name string
	mu   sync.Mutex // guards the fields below
	keys *apikey.Pair
}

// Keys returns the keys that the session holds; not ok while it has no sandbox.
func (s *Session) Keys() (keys apikey.Pair, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keys == nil {
		return apikey.Pair{}, false
	}
	return *s.keys, true
}

// Store keeps sessions and handles.
type Store struct {
	store store.Store
	now   func() time.Time
}

// NewStore returns a session store over a store, with the wall clock.
func NewStore(s store.Store, now func() time.Time) *Store { return &Store{store: s, now: now} }

// Open begins a session, which has no sandbox yet. The id is returned to the
// caller alone and is stored only as a hash.
func (s *Store) Open(ctx context.Context) (id string, session *Session, err error) {
	id = newSecret()
	session = &Session{name: nameOf(id)}
	if err := s.store.Write(ctx, []store.Write{s.record(kindSession, session.name, nil)}); err != nil {
		return "", nil, failure("begin a session", err)
	}
	return id, session, nil
}

// Find returns the session with an id, or ErrUnknown.
func (s *Store) Find(ctx context.Context, id string) (*Session, error) {
	name := nameOf(id)
	keys, err := s.find(ctx, kindSession, name)
	if err != nil {
		return nil, err
	}
	return &Session{name: name, keys: keys}, nil
}

// End ends a session. One that has ended is no error.
func (s *Store) End(ctx context.Context, session *Session) error {
	ended := store.Record{Kind: kindSession, Key: session.name}
	err := s.store.Write(ctx, []store.Write{{Record: ended, Rule: store.Take}})
	if err != nil && !errors.Is(err, store.ErrConflict) {
		return failure("end a session", err)
	}
	return nil
}

// Give makes a new handle of a sandbox, and has the session hold its keys, in
// the place of those that it held. Without a session there is only the handle.
func (s *Store) Give(ctx context.Context, session *Session, keys apikey.Pair) (handle string, err error) {
	handle = HandlePrefix + newSecret()
	writes := []store.Write{s.record(kindHandle, nameOf(handle), &keys)}
	if session != nil {
		writes = append(writes, s.record(kindSession, session.name, &keys))
	}
	if err := s.store.Write(ctx, writes); err != nil {
		return "", failure("keep a handle", err)
	}
	if session != nil {
		session.mu.Lock()
		defer session.mu.Unlock()
		session.keys = &keys
	}
	return handle, nil
}

// Holds returns the keys that a handle stands for, or ErrUnknown.
func (s *Store) Holds(ctx context.Context, handle string) (apikey.Pair, error) {
	keys, err := s.find(ctx, kindHandle, nameOf(handle))
	if err != nil {
		return apikey.Pair{}, err
	}
	if keys == nil {
		return apikey.Pair{}, errors.New("a handle without a sandbox")
	}
	return *keys, nil
}

// find reads a record that has not ended, and notes that it was used.
func (s *Store) find(ctx context.Context, kind, name string) (*apikey.Pair, error) {
	r, err := s.store.Find(ctx, kind, name)
	now := s.now()
	if errors.Is(err, store.ErrNotFound) || err == nil && !now.Before(r.EndsAt) {
		return nil, ErrUnknown
	}
	if err != nil {
		return nil, failure("look up an "+kind, err)
	}
	var kept row
	if err := json.Unmarshal(r.Body, &kept); err != nil {
		return nil, fmt.Errorf("read an %s: %w", kind, err)
	}
	keys, err := kept.keys()
	if err != nil {
		return nil, fmt.Errorf("read an %s: %w", kind, err)
	}
	if r.EndsAt.Sub(now) < Lasts-renewed {
		s.renew(ctx, kind, name)
	}
	return keys, nil
}

// renew notes that a record was used. A record that could not be renewed can
// still be used.
func (s *Store) renew(ctx context.Context, kind, name string) {
	r := store.Record{Kind: kind, Key: name, EndsAt: s.end()}
	// Whatever another server has made of it meanwhile stays.
	_ = s.store.Write(ctx, []store.Write{{Record: r, Rule: store.Renew}})
}

// end is when a record ends that is used now.
func (s *Store) end() time.Time { return s.now().Add(Lasts).UTC().Truncate(time.Microsecond) }

func (s *Store) record(kind, name string, keys *apikey.Pair) store.Write {
	kept := row{}
	if keys != nil {
		kept = row{
			SandboxID: keys.SandboxID, Office: hex.EncodeToString(keys.Office[:]),
			Factory: hex.EncodeToString(keys.Factory[:]),
		}
	}
	body, err := json.Marshal(kept)
	if err != nil {
		panic("encode a session: " + err.Error()) // our own type always encodes
	}
	return store.Write{Record: store.Record{Kind: kind, Key: name, Body: body, EndsAt: s.end()}}
}

// failure names the step that failed. A store that takes nothing for the moment
// is a problem, with which the client tries again.
func failure(doing string, err error) error {
	if p := storeproblem.Of(err); p != nil {
		p.RetryAfter = retrySeconds
		return p
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// row is a session or a handle as it is stored.
type row struct {
	SandboxID string `json:"sandbox_id,omitempty"`
	Office    string `json:"office,omitempty"`
	Factory   string `json:"factory,omitempty"`
}

// keys are nil for a session without a sandbox.
func (r *row) keys() (*apikey.Pair, error) {
	if r.SandboxID == "" {
		return nil, nil //nolint:nilnil // a session begins without keys
	}
	office, err := hashOf(r.Office)
	if err != nil {
		return nil, err
	}
	factory, err := hashOf(r.Factory)
	return &apikey.Pair{SandboxID: r.SandboxID, Office: office, Factory: factory}, err
}

func hashOf(text string) (hash store.KeyHash, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(hash) {
		return hash, errors.New("a hash of a key is damaged")
	}
	return store.KeyHash(b), nil
}

func newSecret() string {
	b := make([]byte, secretBytes)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// nameOf is the name under which a session or a handle is kept.
func nameOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}
