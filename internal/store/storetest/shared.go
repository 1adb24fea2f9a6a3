package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"platen/internal/store"
)

// A Shared is a storage that several servers share: a store for what each of them
// writes, and in memory what nodes know of each other. It is the model of store.Nodes,
// written to be checked by reading, and lets several servers of one process be tested
// together where there is no database that can be shared.
type Shared struct {
	inner store.Store
	now   func() time.Time

	// claims is held for reading while something is written under a claim, and for
	// writing while claims change.
	claims sync.RWMutex
	owners map[string]store.Fence
	// engines are the versions that began sandboxes, where they were noted.
	engines map[string]int
	nodes   []store.Node
	roles   map[string]sharedRole
}

type sharedRole struct {
	Session store.Session
	Epoch   uint64
}

// NewShared returns a storage over a store that nobody else uses. The caller closes
// the store.
func NewShared(inner store.Store, now func() time.Time) *Shared {
	return &Shared{inner: inner, now: now, owners: map[string]store.Fence{}, engines: map[string]int{},
		roles: map[string]sharedRole{}}
}

// A Handle is one server's way to a shared storage.
type Handle struct {
	store.Store

	shared *Shared
}

var (
	_ store.Store = (*Handle)(nil)
	_ store.Nodes = (*Handle)(nil)
)

// Handle returns a new server's way to the storage.
func (s *Shared) Handle() *Handle { return &Handle{s.inner, s} }

// Close leaves the storage open for the others.
func (h *Handle) Close() error { return nil }

// Commit implements store.Store.
func (h *Handle) Commit(ctx context.Context, c store.Commit) error {
	if c.Version == 1 {
		h.shared.begins(c.SandboxID, c.Engine)
	}
	h.shared.claims.RLock()
	defer h.shared.claims.RUnlock()
	if err := h.shared.fits(ctx, c.SandboxID, c.Fence); err != nil && c.Version != 1 {
		return err
	}
	c.Fence = store.Fence{}
	return h.Store.Commit(ctx, c)
}

// SaveSnapshot implements store.Store.
func (h *Handle) SaveSnapshot(ctx context.Context, snapshot store.Snapshot) error {
	h.shared.claims.RLock()
	defer h.shared.claims.RUnlock()
	if err := h.shared.fits(ctx, snapshot.SandboxID, snapshot.Fence); err != nil {
		return err
	}
	snapshot.Fence = store.Fence{}
	return h.Store.SaveSnapshot(ctx, snapshot)
}

// Delete implements store.Store.
func (h *Handle) Delete(ctx context.Context, sandboxID string, fence store.Fence) error {
	h.shared.claims.RLock()
	defer h.shared.claims.RUnlock()
	if err := h.shared.fits(ctx, sandboxID, fence); err != nil {
		return err
	}
	return h.Store.Delete(ctx, sandboxID, store.Fence{})
}

// Load implements store.Store.
func (h *Handle) Load(ctx context.Context, sandboxID string) (store.Image, error) {
	h.shared.claims.RLock()
	defer h.shared.claims.RUnlock()
	image, err := h.Store.Load(ctx, sandboxID)
	if err == nil {
		image.Fence = h.shared.owners[sandboxID]
	}
	return image, err
}

// fits refuses another claim than the newest of a sandbox that there is.
func (s *Shared) fits(ctx context.Context, sandboxID string, fence store.Fence) error {
	if s.owners[sandboxID] == fence {
		return nil
	}
	if there, err := s.there(ctx, sandboxID); err != nil || !there {
		return err
	}
	return fmt.Errorf("sandbox %q: %w", sandboxID, store.ErrFenced)
}

// begins notes which version begins a sandbox, once.
func (s *Shared) begins(sandboxID string, engine int) {
	s.claims.Lock()
	defer s.claims.Unlock()
	if _, noted := s.engines[sandboxID]; !noted {
		s.engines[sandboxID] = engine
	}
}

// free reports whether a session may claim a sandbox.
func (s *Shared) free(sandboxID string, session store.Session) bool {
	self, owner, engine := s.node(session), s.node(s.owners[sandboxID].Owner), s.engines[sandboxID]
	if self == nil {
		return false
	}
	fits := func(n *store.Node) bool { return engine == 0 || n.Engine == engine }
	if owner != nil && (fits(owner) || !fits(self)) {
		return false
	}
	return fits(self) || !slices.ContainsFunc(s.nodes, func(n store.Node) bool { return n.Engine == engine })
}

func (s *Shared) there(ctx context.Context, sandboxID string) (bool, error) {
	_, err := s.inner.Commits(ctx, sandboxID, 1, 1)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

func (s *Shared) node(session store.Session) *store.Node {
	for i := range s.nodes {
		if s.nodes[i].Session == session {
			return &s.nodes[i]
		}
	}
	return nil
}

func (s *Shared) remove(gone func(n store.Node) bool) int {
	before := len(s.nodes)
	s.nodes = slices.DeleteFunc(s.nodes, gone)
	return before - len(s.nodes)
}

// Join implements store.Nodes.
func (h *Handle) Join(
	ctx context.Context, n store.Node, lifetime time.Duration, fits func(other store.Node) error,
) error {
	s := h.shared
	s.claims.Lock()
	defer s.claims.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	now := s.now()
	s.remove(func(n store.Node) bool { return n.Until.Before(now) })
	for _, other := range s.nodes {
		if err := fits(other); err != nil {
			return err
		}
	}
	n.StartedAt, n.Until = now, now.Add(lifetime)
	s.nodes = append(s.nodes, n)
	return nil
}

// Beat implements store.Nodes.
func (h *Handle) Beat(ctx context.Context, session store.Session, lifetime time.Duration) (time.Time, error) {
	s := h.shared
	s.claims.Lock()
	defer s.claims.Unlock()
	n, now := s.node(session), s.now()
	if n == nil {
		return time.Time{}, store.ErrNotFound
	}
	if until := now.Add(lifetime); until.After(n.Until) {
		n.Until = until
	}
	return now, ctx.Err()
}

// Leave implements store.Nodes.
func (h *Handle) Leave(ctx context.Context, session store.Session) error {
	_, err := h.Bury(ctx, session, true)
	return err
}

// Living implements store.Nodes.
func (h *Handle) Living(ctx context.Context) ([]store.Node, error) {
	h.shared.claims.RLock()
	defer h.shared.claims.RUnlock()
	return slices.Clone(h.shared.nodes), ctx.Err()
}

// Bury implements store.Nodes.
func (h *Handle) Bury(ctx context.Context, session store.Session, certain bool) (bool, error) {
	s := h.shared
	s.claims.Lock()
	defer s.claims.Unlock()
	now := s.now()
	s.remove(func(n store.Node) bool { return n.Session == session && (certain || n.Until.Before(now)) })
	return s.node(session) == nil, ctx.Err()
}

// BuryOverdue implements store.Nodes.
func (h *Handle) BuryOverdue(ctx context.Context) (int, error) {
	s := h.shared
	s.claims.Lock()
	defer s.claims.Unlock()
	now := s.now()
	return s.remove(func(n store.Node) bool { return n.Until.Before(now) }), ctx.Err()
}

// Look implements store.Nodes.
func (h *Handle) Look(ctx context.Context, sandboxID string) (store.Owned, error) {
	s := h.shared
	s.claims.RLock()
	defer s.claims.RUnlock()
	there, err := s.there(ctx, sandboxID)
	if err != nil || !there {
		return store.Owned{}, errors.Join(err, store.ErrNotFound)
	}
	owned := store.Owned{Fence: s.owners[sandboxID], Engine: s.engines[sandboxID]}
	for _, n := range s.nodes {
		if n.Session == owned.Owner {
			owned.Node = &n
		}
		if owned.Engine != 0 && n.Engine == owned.Engine {
			owned.Able = &n
		}
	}
	return owned, nil
}

// Claim implements store.Nodes.
func (h *Handle) Claim(
	ctx context.Context, sandboxID string, seen store.Fence, session store.Session,
) (store.Fence, error) {
	s := h.shared
	s.claims.Lock()
	defer s.claims.Unlock()
	there, err := s.there(ctx, sandboxID)
	newest := s.owners[sandboxID]
	if err != nil || !there || newest.Epoch != seen.Epoch || !s.free(sandboxID, session) {
		return store.Fence{}, errors.Join(err, store.ErrConflict)
	}
	s.owners[sandboxID] = store.Fence{Owner: session, Epoch: newest.Epoch + 1}
	return s.owners[sandboxID], nil
}

// ClaimDue implements store.Nodes.
func (h *Handle) ClaimDue(ctx context.Context, session store.Session, t time.Time, limit int) ([]string, error) {
	s := h.shared
	s.claims.Lock()
	defer s.claims.Unlock()
	due, err := s.inner.Due(ctx, t, everything)
	var ids []string
	for i := range due {
		ids = append(ids, due[i].ID)
	}
	return s.claim(session, ids, limit), err
}

// ClaimNamed implements store.Nodes.
func (h *Handle) ClaimNamed(
	ctx context.Context, session store.Session, kind string, t time.Time, limit int,
) ([]string, error) {
	s := h.shared
	s.claims.Lock()
	defer s.claims.Unlock()
	records, err := s.inner.List(ctx, kind)
	var ids []string
	for _, r := range records {
		there, err := s.there(ctx, r.Key)
		if err != nil {
			return nil, err
		}
		if there && r.EndsAt.After(t) {
			ids = append(ids, r.Key)
		}
	}
	return s.claim(session, ids, limit), err
}

// claim claims those of some sandboxes that are nobody's.
func (s *Shared) claim(session store.Session, ids []string, limit int) []string {
	var claimed []string
	for _, id := range ids {
		if len(claimed) < limit && s.free(id, session) {
			s.owners[id] = store.Fence{Owner: session, Epoch: s.owners[id].Epoch + 1}
			claimed = append(claimed, id)
		}
	}
	return claimed
}

// everything is more sandboxes than any test has.
const everything = 1 << 20

// Assume implements store.Nodes.
func (h *Handle) Assume(
	ctx context.Context, role string, session store.Session,
) (store.Session, store.Record, error) {
	s := h.shared
	s.claims.Lock()
	defer s.claims.Unlock()
	if s.node(session) == nil {
		return "", store.Record{}, store.ErrNotFound
	}
	held := s.roles[role]
	if s.node(held.Session) == nil {
		held = sharedRole{session, held.Epoch + 1}
	}
	body, err := json.Marshal(held)
	if err != nil {
		return "", store.Record{}, err
	}
	record := store.Record{
		Kind: store.RoleKind, Key: role, Body: body, EndsAt: time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC),
	}
	if held != s.roles[role] {
		if err := s.inner.Write(ctx, []store.Write{{Record: record}}); err != nil {
			return "", store.Record{}, err
		}
		s.roles[role] = held
	}
	return held.Session, record, nil
}
