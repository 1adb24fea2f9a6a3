// Package admission decides which requests get a sandbox now. It holds the
// limits of each network, the places of the server, the queue for them, proofs
// of work, and the responses of creations that are kept for a retry.
//
// A place is taken by a sandbox that lives, by a creation under way, or by a
// ticket that is ready and waits to be claimed. Every free place goes to the
// head of the queue in the same moment, so a free place means an empty queue,
// and a newcomer cannot overtake the clients in it:
//
//	         ┌── a place is free ──────────────────────────▶ sandbox
//	creation ┤                                                 ▲
//	         └── none is ──▶ waiting ──▶ ready ──── claimed ───┘
//	                                       │
//	                                       └── 120 s ──▶ forfeited ──10 min──▶ gone
//
// The Controller hands out the places of a store. It keeps them in memory;
// state that must outlive it (tickets, used proofs, kept responses, the
// creations of each network) is in records of the store, and those that belong
// to a sandbox are written in the commit that makes it.
package admission

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"platen/internal/edge/admission/pow"
	"platen/internal/store"
	"platen/internal/words/problem"
)

// Kinds of records.
const (
	kindTicket   = "ticket"
	kindProof    = "proof"
	kindReply    = "creation_reply"
	kindCreation = "creation"
)

// never is the end of records that something else ends.
var never = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant that Go cannot say

// Options configure a controller.
type Options struct {
	Store store.Store
	Log   *slog.Logger
	// Now is the wall clock. Steady says whether what is old by a time of it may be deleted, nil for always.
	Now    func() time.Time
	Steady func(now time.Time) bool
	// Capacity is the most sandboxes at a time, Queue the most tickets that may
	// wait for a place.
	Capacity, Queue int
	// Active is the most sandboxes of a network at a time, Hourly the most that
	// it may create in an hour; 0 is no limit.
	Active, Hourly int
	// BlockFactor is how many times the limits of a network its block has; BlockOf
	// finds the block, "" for none (contract: OPEN.RATE.BLOCK). With a factor of 0
	// blocks have no limit, and BlockOf may be nil.
	BlockFactor int
	BlockOf     func(network string) string
	// ClaimWindow is how long a ready ticket waits to be claimed.
	ClaimWindow time.Duration
	// Turnover is how long a sandbox takes up its place, unless it is extended.
	Turnover time.Duration
	// Difficulty is the number of leading zero bits of a proof of work; 0 asks
	// for none.
	Difficulty int
	// Role are the conditions of every write, when several servers share the store: that
	// this one still admits. Sandboxes then come and go elsewhere too. None are for a
	// server that has its store for itself.
	Role []store.Write
	// Secret is the key that challenges are signed with and kept responses are
	// sealed with.
	Secret []byte
}

// Controller hands out places.
type Controller struct {
	options    Options
	store      store.Store
	log        *slog.Logger
	challenges *pow.Signer
	// woken signals Run that there is something to write.
	woken chan struct{}
	// creating is held shared by creations and alone by a recount.
	creating sync.RWMutex

	// mu guards everything below. It is never held while the store works.
	mu        sync.Mutex
	occupancy occupancy
	queue     queue
	// keys are the idempotency keys whose creation is under way, each with a channel
	// that is closed at its end; proofs are the proofs of those.
	keys   map[string]chan struct{}
	proofs map[string]bool
	// doubtful is set when it is not known whether a sandbox came or went.
	doubtful bool
	// cleared is the time at which ended records were last removed.
	cleared time.Time
}

// Open returns the controller of a store, with the queue as it was left.
func Open(ctx context.Context, o Options) (*Controller, error) {
	c := &Controller{
		options: o, store: o.Store, log: o.Log, woken: make(chan struct{}, 1),
		keys: map[string]chan struct{}{}, proofs: map[string]bool{},
	}
	var err error
	if c.challenges, err = pow.NewSigner(o.Secret); err != nil {
		return nil, fmt.Errorf("prepare proofs of work: %w", err)
	}
	if c.occupancy, err = readOccupancy(ctx, &o); err != nil {
		return nil, err
	}
	if c.queue, err = readQueue(ctx, o.Store, o.Now()); err != nil {
		return nil, err
	}
	for _, t := range c.queue.tickets {
		if t.State != forfeited {
			c.occupancy.network(t.Order.Network).tickets++
		}
	}
	c.yield()
	c.promote(o.Now())
	return c, nil
}

// Saved notes a sandbox that was made, or whose lease has moved.
func (c *Controller) Saved(header store.Sandbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.occupancy.saved(header)
}

// Deleted notes that a sandbox has been deleted.
func (c *Controller) Deleted(sandboxID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.occupancy.deleted(sandboxID)
	c.promote(c.options.Now())
}

// Uncertain notes that it is not known whether a sandbox came or went.
func (c *Controller) Uncertain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requestRecount()
}

// requestRecount asks for a new count. The caller holds mu.
func (c *Controller) requestRecount() {
	c.doubtful = true
	c.wake()
}

// wake sends Run to work.
func (c *Controller) wake() {
	select {
	case c.woken <- struct{}{}:
	default:
	}
}

// isProblem reports whether an error is a problem, with which it is certain
// that nothing happened.
func isProblem(err error) bool {
	_, ok := errors.AsType[*problem.Problem](err)
	return ok
}
