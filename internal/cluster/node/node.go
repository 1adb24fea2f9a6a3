// Package node is one of several servers that share a storage: it joins the others,
// shows with a beat that it lives, knows for how long it may trust its memory, and finds
// out for each request which of them owns the sandbox. Package ownership decides; this
// package carries its steps out, but for sending requests on, which is its caller's.
//
//	joined ──a beat is refused, since another node has removed it──▶ lost ──▶ joined again,
//	   │                                                                 as a new session
//	   └── Stop ──▶ left: everything that it owned is free
//
// A node whose beats get no answer stays in its session: nothing that it owns can be
// taken from it before its row is gone. It only stops to trust its memory, until a beat
// gets through.
package node

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/cluster/ownership"
	"platen/internal/store"
)

// Options configure a node. All fields are required but Prove and Boot.
type Options struct {
	Nodes store.Nodes
	// Address is where other nodes reach this one, host and port; "" for a node that
	// works alone, beside which no other may join.
	Address string
	// Settings is a digest of everything that all nodes must have alike, Name what
	// operators know the node by.
	Settings, Name string
	// Engine is the version of the simulation, with which it can go on.
	Engine int
	Log    *slog.Logger
	// Now is the wall clock, Boot the time since the machine was started, which counts
	// while it sleeps; nil for the operating system's.
	Now  func() time.Time
	Boot func() time.Duration
	// Prove shows that the address reaches this process, before others rely on it.
	Prove func(ctx context.Context) error
	// Lost is called when a session is over, before the next one begins: nothing that is
	// in memory counts any more.
	Lost func()
}

const (
	// beatPatience is how long a beat waits for its answer: two of them are tried in a
	// trust window.
	beatPatience = 2500 * time.Millisecond
	// leavePatience is how long a node that stops tries to leave. One that did not leave is taken for alive until its
	// time is over, and others with other settings are refused as long.
	leavePatience = 3 * time.Second
	// restAfterFailure is the time between attempts that failed.
	restAfterFailure = 500 * time.Millisecond
	// sessionBytes is the randomness of a session. It is random because numbers could
	// be given out again by a database that lost the newest.
	sessionBytes = 16
)

// Errors of a node that can do nothing for a request at the moment. None of them has
// changed anything.
var (
	// ErrDistrust reports that the node is outside its trust window.
	ErrDistrust = errors.New("this server has not reached its database for a while")
	// ErrElsewhere reports that another node owns the sandbox.
	ErrElsewhere = errors.New("another server owns the sandbox")
	// ErrUnsettled reports that no owner could be found that answers.
	ErrUnsettled = errors.New("the server that owns the sandbox does not answer")
)

// Figures count since the start of a node.
type Figures struct {
	// Claims are the sandboxes that it made its own, Burials the nodes that it found
	// dead, Fenced its writes that were refused because a sandbox had a new owner,
	// Sessions how often it joined.
	Claims, Burials, Fenced, Sessions uint64
	// Owned is how many sandboxes it has made its own in this session, Beat how long ago
	// its newest beat was sent that was answered.
	Owned int
	Beat  time.Duration
	// Living are the nodes that there were at the newest look, this one among them.
	Living int
}

// Node is one server among others. Make one with New; it runs from Start to Stop.
type Node struct {
	o     Options
	terms ownership.Terms
	// trusted is when the newest beat was sent that was answered, nil for none in this
	// session.
	trusted atomic.Pointer[reading]
	// offset is how much the storage's clock is ahead of this machine's, in nanoseconds.
	offset atomic.Int64

	claims, burials, fenced, sessions atomic.Uint64
	living                            atomic.Int64

	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.RWMutex // guards the fields below
	session store.Session
	// held are the claims of the sandboxes that the session owns, as far as it knows.
	held map[string]holding
	// roles are the records that say which roles the session has.
	roles map[string]store.Record
	// hints are the owners of sandboxes as the node last heard of them, peers the nodes
	// that lived at the last look.
	hints map[string]store.Fence
	peers map[store.Session]*store.Node
	// engines is when a node with each version of the simulation was last seen.
	engines map[int]reading
	// awaited are the sessions whose responses are awaited, with the ends of the
	// waiting.
	awaited map[store.Session]map[*context.CancelCauseFunc]bool
	// namedAgain is when to look again for sandboxes that records name.
	namedAgain time.Time
}

// holding is the claim of a sandbox. One that is foreign was begun by another version:
// this node looks after its end, until a node comes that can go on with it.
type holding struct {
	epoch   uint64
	foreign bool
}

// reading has the times of the two clocks of a machine: one that is never set, and one
// that also counts where the first may not.
type reading struct {
	boot time.Duration
	wall time.Time
}

// New returns a node that has not joined yet.
func New(o Options) *Node {
	if o.Boot == nil {
		o.Boot = sinceBoot
	}
	if o.Prove == nil {
		o.Prove = func(context.Context) error { return nil }
	}
	return &Node{o: o, terms: ownership.Standard(), stop: func() {}, held: map[string]holding{},
		roles: map[string]store.Record{},
		hints: map[string]store.Fence{}, engines: map[int]reading{},
		awaited: map[store.Session]map[*context.CancelCauseFunc]bool{}}
}

// ErrEnded is the cause of a context of Await whose session is over.
var ErrEnded = errors.New("the server that was asked is taken for dead")

// Await returns a context for a request to a session, which ends when the session is
// known to be over: a node that has been asked does not answer any more, or must not be
// believed. The caller ends it.
func (n *Node) Await(ctx context.Context, s store.Session) (waiting context.Context, end func()) {
	waiting, cancel := context.WithCancelCause(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.awaited[s] == nil {
		n.awaited[s] = map[*context.CancelCauseFunc]bool{}
	}
	n.awaited[s][&cancel] = true
	return waiting, func() {
		cancel(nil)
		n.mu.Lock()
		defer n.mu.Unlock()
		if delete(n.awaited[s], &cancel); len(n.awaited[s]) == 0 {
			delete(n.awaited, s)
		}
	}
}

// endWaiting looks which nodes there are, and ends the requests to sessions that are over.
func (n *Node) endWaiting(ctx context.Context) error {
	living, err := n.o.Nodes.Living(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it says what it did
	}
	n.living.Store(int64(len(living)))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.peers = make(map[store.Session]*store.Node, len(living))
	now := n.read()
	for i := range living {
		n.peers[living[i].Session] = &living[i]
		n.engines[living[i].Engine] = now
	}
	for session, ends := range n.awaited {
		if slices.ContainsFunc(living, func(other store.Node) bool { return other.Session == session }) {
			continue
		}
		for cancel := range ends {
			(*cancel)(ErrEnded)
		}
	}
	return nil
}

func (n *Node) read() reading { return reading{boot: n.o.Boot(), wall: n.o.Now().Round(0)} }

// since is the time between two readings: of the two clocks the one that says more.
func (r reading) since(earlier reading) time.Duration {
	return max(r.boot-earlier.boot, r.wall.Sub(earlier.wall))
}

// Trusted reports whether what is in memory may be served: nobody can have buried this
// node yet. It is asked after the view that is to be served has been taken.
func (n *Node) Trusted() bool {
	sent := n.trusted.Load()
	return sent != nil && n.read().since(*sent) < n.terms.TrustedUntil(0)
}

// Now is the time by which all nodes work: that of the storage, as the newest beat had
// it.
func (n *Node) Now() time.Time { return n.o.Now().Add(time.Duration(n.offset.Load())) }

// Start joins, or says why it cannot, and then beats in the background until Stop.
func (n *Node) Start(ctx context.Context) error {
	if err := n.o.Prove(ctx); err != nil {
		return fmt.Errorf("reach this server at its node address %s: %w", n.o.Address, err)
	}
	if err := n.join(ctx); err != nil {
		return err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	n.done.Go(func() { n.run(running) })
	return nil
}

// Stop ends the session. Everything that it owned is free when it returns; nothing may
// be written any more by then.
func (n *Node) Stop(ctx context.Context) error {
	n.stop()
	n.done.Wait()
	n.mu.Lock()
	session := n.session
	n.session, n.held, n.roles = "", map[string]holding{}, map[string]store.Record{}
	n.mu.Unlock()
	n.trusted.Store(nil)
	if session == "" {
		return nil
	}
	// The connection may be to a database that has been started again since. To leave twice does no harm.
	patient, cancel := context.WithTimeout(ctx, leavePatience)
	defer cancel()
	for {
		err := n.o.Nodes.Leave(patient, session)
		if err == nil || patient.Err() != nil {
			return err //nolint:wrapcheck // it says what it did
		}
		select {
		case <-patient.Done():
			return err //nolint:wrapcheck // it says what it did
		case <-time.After(restAfterFailure):
		}
	}
}

// join begins a session.
func (n *Node) join(ctx context.Context) error {
	session, sent := newSession(), n.read()
	var before []store.Session
	living := int64(1)
	err := n.o.Nodes.Join(ctx, store.Node{
		Session: session, Address: n.o.Address, Settings: n.o.Settings, Name: n.o.Name, Engine: n.o.Engine,
	}, n.terms.Lifetime, func(other store.Node) error {
		living++
		if other.Address == n.o.Address {
			before = append(before, other.Session)
			return nil
		}
		return n.checkCompatible(other)
	})
	if err != nil {
		return err //nolint:wrapcheck // it says what it did
	}
	n.mu.Lock()
	n.session, n.held, n.roles = session, map[string]holding{}, map[string]store.Record{}
	n.mu.Unlock()
	n.living.Store(living)
	n.trusted.Store(&sent)
	n.sessions.Add(1)
	for _, ended := range before {
		// This process listens at the address, so that one does not any more.
		if _, err := n.removeNode(ctx, ended, true); err != nil {
			n.o.Log.Warn("bury an earlier life of this server", "error", err)
		}
	}
	return nil
}

// checkCompatible refuses to join beside another node that this one cannot work with.
func (n *Node) checkCompatible(other store.Node) error {
	who := fmt.Sprintf("%s, which joined at %s", other.Name, other.StartedAt.UTC().Format(time.RFC3339))
	switch {
	case n.o.Address == "":
		return fmt.Errorf("another server uses this database: %s. Stop it first, or give this one a node-address, "+
			"at which the others reach it", who)
	case other.Address == "":
		return fmt.Errorf("another server uses this database for itself: %s. Stop it first, or start it with a "+
			"node-address, at which this one can reach it", who)
	case other.Settings != n.o.Settings:
		return fmt.Errorf("another server of this database has other settings: %s. All of them need the same "+
			"secret key, presets, durations, limits of sandboxes and public URL", who)
	}
	return nil
}

func newSession() store.Session {
	b := make([]byte, sessionBytes)
	rand.Read(b)
	return store.Session(hex.EncodeToString(b))
}

// run beats until the context ends.
func (n *Node) run(ctx context.Context) {
	timer := time.NewTimer(n.terms.Beat)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		timer.Reset(n.beat(ctx))
	}
}

// beat shows that the node lives, and buries those that have not. It returns when to
// beat again.
func (n *Node) beat(ctx context.Context) time.Duration {
	session := n.Session()
	if session == "" {
		return n.rejoin(ctx)
	}
	sent := n.read()
	waiting, cancel := context.WithTimeout(ctx, beatPatience)
	defer cancel()
	at, err := n.o.Nodes.Beat(waiting, session, n.terms.Lifetime)
	switch {
	case ctx.Err() != nil:
		return 0
	case errors.Is(err, store.ErrNotFound):
		n.o.Log.Warn("this server was taken for dead by others: it forgets what it has in memory and joins again")
		n.lose()
		return n.rejoin(ctx)
	case err != nil:
		n.o.Log.Warn("show that this server lives", "error", err)
		return restAfterFailure
	}
	n.trusted.Store(&sent)
	n.follow(at, sent.wall, n.read().wall)
	buried, err := n.o.Nodes.BuryOverdue(waiting)
	if err != nil && ctx.Err() == nil {
		n.o.Log.Warn("bury servers whose time is over", "error", err)
	}
	n.burials.Add(uint64(buried))
	if err := n.endWaiting(waiting); err != nil && ctx.Err() == nil {
		n.o.Log.Warn("look which servers are there", "error", err)
	}
	return max(n.terms.Beat-n.read().since(sent), time.Millisecond)
}

// follow moves the node's clock to that of the storage, which said a time between two
// readings. A difference that the way there and back may explain is left alone.
func (n *Node) follow(at, sent, answered time.Time) {
	offset := n.offset.Load()
	least, most := int64(at.Sub(answered)), int64(at.Sub(sent))
	if offset < least || offset > most {
		n.offset.Store(least + (most-least)/2)
	}
}

// lose ends the session: nothing in memory counts any more.
func (n *Node) lose() {
	n.trusted.Store(nil)
	n.mu.Lock()
	n.session, n.held, n.roles = "", map[string]holding{}, map[string]store.Record{}
	n.mu.Unlock()
	n.o.Lost()
}

// rejoin begins a new session, if that is possible now, and returns when to go on.
func (n *Node) rejoin(ctx context.Context) time.Duration {
	waiting, cancel := context.WithTimeout(ctx, beatPatience)
	defer cancel()
	if err := n.join(waiting); err != nil {
		if ctx.Err() == nil {
			n.o.Log.Warn("join again", "error", err)
		}
		return restAfterFailure
	}
	return n.terms.Beat
}

// removeNode removes the row of a node, and reports whether it is gone.
func (n *Node) removeNode(ctx context.Context, session store.Session, ended bool) (gone bool, err error) {
	gone, err = n.o.Nodes.Bury(ctx, session, ended)
	if gone {
		n.burials.Add(1)
		n.o.Log.Warn("a server of this database is gone; the others take its sandboxes over", "ended", ended)
	}
	return gone, err //nolint:wrapcheck // it says what it did
}

// Session is the present session, "" while there is none.
func (n *Node) Session() store.Session {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return n.session
}

// holds returns the claim of a sandbox that the present session owns, as far as it
// knows.
func (n *Node) holds(sandboxID string) (store.Fence, bool) {
	n.mu.RLock()
	defer n.mu.RUnlock()
	h, held := n.held[sandboxID]
	return store.Fence{Owner: n.session, Epoch: h.epoch}, held
}

// processes reports whether the present session owns a sandbox with which it can go on.
func (n *Node) processes(sandboxID string) bool {
	n.mu.RLock()
	defer n.mu.RUnlock()
	h, held := n.held[sandboxID]
	return held && !h.foreign
}

// noteClaim notes a claim that is durable, unless its session is over.
func (n *Node) noteClaim(sandboxID string, claim store.Fence, foreign bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if claim.Owner == n.session && claim.Epoch > n.held[sandboxID].epoch {
		n.held[sandboxID] = holding{claim.Epoch, foreign}
	}
}

// noteRole notes a role of a session, unless that is over.
func (n *Node) noteRole(role string, session store.Session, record store.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if session == n.session {
		n.roles[role] = record
	}
}

// returnTime is how long sandboxes of a version are kept for the return of a node that can
// go on with them, which may only be starting again. Then they are said to be of another
// version, which their clients take for the end.
const returnTime = 30 * time.Second

// mayReturn reports whether a node with a version was there a moment ago.
func (n *Node) mayReturn(engine int) bool {
	now := n.read()
	n.mu.RLock()
	defer n.mu.RUnlock()
	seen, known := n.engines[engine]
	return known && now.since(seen) < returnTime
}

// Fenced notes that a write under a claim was refused: the sandbox has a new owner.
func (n *Node) Fenced(sandboxID string, claim store.Fence) {
	n.fenced.Add(1)
	n.o.Log.Warn("a write was refused because another server owns the sandbox by now", "sandbox", sandboxID)
	n.Release(sandboxID, claim)
}

// Release forgets a claim, of a sandbox that is gone for example.
func (n *Node) Release(sandboxID string, claim store.Fence) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.session == claim.Owner && n.held[sandboxID].epoch == claim.Epoch {
		delete(n.held, sandboxID)
	}
}

// Figures returns what the node counts.
func (n *Node) Figures() Figures {
	f := Figures{
		Claims: n.claims.Load(), Burials: n.burials.Load(), Fenced: n.fenced.Load(), Sessions: n.sessions.Load(),
		Living: int(n.living.Load()),
	}
	if sent := n.trusted.Load(); sent != nil {
		f.Beat = n.read().since(*sent)
	}
	n.mu.RLock()
	defer n.mu.RUnlock()
	f.Owned = len(n.held)
	return f
}
