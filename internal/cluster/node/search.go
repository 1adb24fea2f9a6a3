package node

import (
	"context"
	"errors"
	"time"

	"platen/internal/cluster/ownership"
	"platen/internal/store"
)

// maxSteps bounds the steps of a search: where owners change all the time, a client
// asks again.
const maxSteps = 16

// namedPause is the time between two looks for sandboxes that records name: nobody but
// the records says that there are any, and there may be many records.
const namedPause = 5 * time.Second

// A Search finds out what to do with a request for a sandbox. Next does what can be done
// here, until the request is to be served, sent on or sent back; what became of sending
// it on is told to the search, which then goes on.
type Search struct {
	node      *Node
	sandboxID string
	// loaded is set once this node has what is searched for.
	loaded bool
	// foreign is set for a sandbox of another version, able is a node that can go on with
	// it, nil for none.
	foreign bool
	able    *store.Node
	// role is the goal of a search that is not for a sandbox, "" for none; record says
	// that this node has it.
	role      string
	record    store.Record
	situation ownership.Situation
	// owner is that of the known record, nil for none that lives.
	owner *store.Node
	steps int
}

// Search begins a search. forwarded is set for a request that another node sent on.
func (n *Node) Search(sandboxID string, forwarded bool) *Search {
	s := &Search{node: n, sandboxID: sandboxID, situation: ownership.Situation{Forwarded: forwarded}}
	if !forwarded {
		s.startWithHint()
	}
	return s
}

// maxHints bounds the hints, which are for sandboxes that other nodes own. Beyond it they
// are gathered anew.
const maxHints = 1 << 17

// startWithHint lets the search begin with the owner that the node last heard of, if that still
// lived at the last look: that node sends the request back if it owns the sandbox no
// more.
func (s *Search) startWithHint() {
	n := s.node
	n.mu.RLock()
	defer n.mu.RUnlock()
	claim, known := n.hints[s.name()]
	if owner := n.peers[claim.Owner]; known && owner != nil && claim.Owner != n.session {
		s.setOwner(recordOf(claim), owner, false)
	}
}

// hint notes who owns the sandbox, unless that is nobody else.
func (s *Search) hint(claim store.Fence) {
	n := s.node
	n.mu.Lock()
	defer n.mu.Unlock()
	if claim.Owner == "" || claim.Owner == n.session {
		delete(n.hints, s.name())
		return
	}
	if len(n.hints) >= maxHints {
		clear(n.hints)
	}
	n.hints[s.name()] = claim
}

// name returns the goal of the search: the id of a sandbox, without a space, or a role.
func (s *Search) name() string {
	if s.role != "" {
		return "role " + s.role
	}
	return s.sandboxID
}

// Role begins a search for the node that has a role. When nobody has it, that becomes
// this one.
func (n *Node) Role(role string, forwarded bool) *Search {
	s := &Search{node: n, role: role, situation: ownership.Situation{Forwarded: forwarded}}
	n.mu.RLock()
	record, mine := n.roles[role]
	n.mu.RUnlock()
	if mine { // for as long as the session lasts: nobody takes it from one that lives
		s.record, s.loaded = record, true
	} else if !forwarded {
		s.startWithHint()
	}
	return s
}

// Record says that this node has the role, once Next has returned Serve: a write that
// Matches it is done only as long as that is so.
func (s *Search) Record() store.Record { return s.record }

// Next returns ownership.Serve, Forward or Misdirect, or why the request is refused:
// ErrDistrust, ErrUnsettled, store.ErrNotFound for no such sandbox, or the error of the
// storage.
func (s *Search) Next(ctx context.Context) (ownership.Step, error) {
	n := s.node
	for ; s.steps < maxSteps; s.steps++ {
		session := n.Session()
		held := s.loaded || s.role == "" && n.processes(s.sandboxID)
		s.situation.Self, s.situation.Trusted, s.situation.Held = ownership.Session(session), n.Trusted(), held
		switch step := ownership.Next(s.situation); step {
		case ownership.Serve, ownership.Forward, ownership.Misdirect:
			s.steps++
			return step, nil
		case ownership.Entrust:
			s.steps++
			s.owner = s.able
			return ownership.Forward, nil
		case ownership.Look:
			if err := s.look(ctx, session); err != nil {
				return 0, err
			}
		case ownership.Claim:
			if err := s.claim(ctx, session); err != nil {
				return 0, err
			}
		case ownership.Load:
			if s.loaded = s.role != "" || s.foreign; s.role != "" {
				continue
			}
			n.noteClaim(s.sandboxID, store.Fence{Owner: session, Epoch: s.situation.Known.Epoch}, s.foreign)
		case ownership.Bury, ownership.BuryEnded:
			gone, err := n.removeNode(ctx, store.Session(s.situation.Known.Owner), step == ownership.BuryEnded)
			if err != nil {
				return 0, err
			}
			s.situation.Buried, s.situation.Living = gone, !gone
			s.hint(store.Fence{})
		case ownership.Refuse:
			if !s.situation.Trusted {
				return 0, ErrDistrust
			}
			return 0, ErrUnsettled
		}
	}
	return 0, ErrUnsettled
}

// Owner is the node to which a request is to be sent, or who was known as the owner of
// one that is sent back; nil for none.
func (s *Search) Owner() *store.Node { return s.owner }

// setOwner takes a record in. Findings about another owner are void.
func (s *Search) setOwner(record *ownership.Record, owner *store.Node, read bool) {
	s.owner = owner
	s.situation = ownership.Situation{
		Known: record, Read: read, Forwarded: s.situation.Forwarded, Misdirected: s.situation.Misdirected,
	}
}

func (s *Search) look(ctx context.Context, session store.Session) error {
	if s.role != "" {
		return s.assume(ctx, session)
	}
	owned, err := s.node.o.Nodes.Look(ctx, s.sandboxID)
	if err != nil {
		return err //nolint:wrapcheck // it says what it did
	}
	s.setOwner(recordOf(owned.Fence), owned.Node, true)
	s.hint(owned.Fence)
	fits := owned.Fits(&store.Node{Engine: s.node.o.Engine})
	if !fits && owned.Able == nil && s.node.mayReturn(owned.Engine) {
		return ErrUnsettled
	}
	s.foreign, s.able = !fits, owned.Able
	s.situation.Foreign = !fits && owned.Able != nil
	// An owner that cannot go on with the sandbox gives way to any node that can.
	unable := owned.Node != nil && !owned.Fits(owned.Node) && (fits || owned.Able != nil)
	s.situation.Buried = owned.Owner != "" && (owned.Node == nil || unable)
	return nil
}

// assume makes this node the holder of the role, or finds out who is.
func (s *Search) assume(ctx context.Context, session store.Session) error {
	holder, record, err := s.node.o.Nodes.Assume(ctx, s.role, session)
	if errors.Is(err, store.ErrNotFound) {
		return ErrDistrust // the next beat will say so
	}
	if err != nil {
		return err //nolint:wrapcheck // it says what it did
	}
	s.record = record
	known := &ownership.Record{Owner: ownership.Session(holder)}
	if s.hint(store.Fence{Owner: holder}); holder == session {
		s.node.noteRole(s.role, session, record)
		s.setOwner(known, nil, true)
		return nil
	}
	living, err := s.node.o.Nodes.Living(ctx)
	if err != nil {
		return err //nolint:wrapcheck // it says what it did
	}
	for i := range living {
		if living[i].Session == holder {
			s.setOwner(known, &living[i], true)
			return nil
		}
	}
	s.setOwner(nil, nil, false) // it has just ended
	return nil
}

func (s *Search) claim(ctx context.Context, session store.Session) error {
	if s.role != "" {
		return s.assume(ctx, session)
	}
	seen := store.Fence{Owner: store.Session(s.situation.Known.Owner), Epoch: s.situation.Known.Epoch}
	claim, err := s.node.o.Nodes.Claim(ctx, s.sandboxID, seen, session)
	switch {
	case errors.Is(err, store.ErrConflict): // another node was faster
		s.setOwner(nil, nil, false)
	case err != nil:
		return err //nolint:wrapcheck // it says what it did
	default:
		s.node.claims.Add(1)
		s.setOwner(recordOf(claim), nil, true)
	}
	return nil
}

func recordOf(f store.Fence) *ownership.Record {
	return &ownership.Record{Owner: ownership.Session(f.Owner), Epoch: f.Epoch}
}

// Absent tells the search that nobody listens at the owner's address.
func (s *Search) Absent() { s.situation.Absent++ }

// Silent tells the search that the owner sent no answer. The request may be sent again
// only when it is a read.
func (s *Search) Silent() { s.situation.Silent++ }

// Replaced tells the search that another session answered at the owner's address.
func (s *Search) Replaced() { s.situation.Replaced = true }

// Distrusting tells the search that the owner does not trust its memory.
func (s *Search) Distrusting() { s.situation.Distrusting = true }

// Misdirected tells the search that the node is not the owner, and whom it takes for it,
// nil for nobody.
func (s *Search) Misdirected(claim store.Fence, owner *store.Node) {
	s.situation.Misdirected++
	// One that names itself waits for another node to claim what it has.
	if owner == nil || s.owner != nil && owner.Session == s.owner.Session { // then it is read again
		s.hint(store.Fence{})
		s.setOwner(nil, nil, false)
		return
	}
	s.hint(claim)
	s.setOwner(recordOf(claim), owner, false)
}

// Known is the claim that the search goes by.
func (s *Search) Known() store.Fence {
	if s.situation.Known == nil {
		return store.Fence{}
	}
	return store.Fence{Owner: store.Session(s.situation.Known.Owner), Epoch: s.situation.Known.Epoch}
}

// Hold makes a sandbox this node's, unless another one owns it, which is ErrElsewhere.
// When it returns a claim, that is durable.
func (n *Node) Hold(ctx context.Context, sandboxID string) (store.Fence, error) {
	if claim, held := n.holds(sandboxID); held && n.Trusted() {
		return claim, nil
	}
	step, err := n.Search(sandboxID, false).Next(ctx)
	if err != nil {
		return store.Fence{}, err
	}
	claim, held := n.holds(sandboxID)
	if step != ownership.Serve || !held {
		return store.Fence{}, ErrElsewhere
	}
	return claim, nil
}

// ClaimNamed makes sandboxes this node's that records of a kind name and that are
// nobody's, and returns them. It looks now and then only.
func (n *Node) ClaimNamed(ctx context.Context, kind string, limit int) ([]string, error) {
	now := n.Now()
	n.mu.Lock()
	early := now.Before(n.namedAgain)
	if !early {
		n.namedAgain = now.Add(namedPause)
	}
	session := n.session
	n.mu.Unlock()
	if early {
		return nil, nil
	}
	found, err := n.o.Nodes.ClaimNamed(ctx, session, kind, now, limit)
	if err == nil {
		err = n.holdAll(ctx, found)
	}
	if err != nil || len(found) == limit {
		n.mu.Lock()
		n.namedAgain = now
		n.mu.Unlock()
	}
	return found, err //nolint:wrapcheck // it says what it did
}

// ClaimDue makes sandboxes this node's that are due and nobody's.
func (n *Node) ClaimDue(ctx context.Context, limit int) error {
	claimed, err := n.o.Nodes.ClaimDue(ctx, n.Session(), n.Now(), limit)
	if err != nil {
		return err //nolint:wrapcheck // it says what it did
	}
	return n.holdAll(ctx, claimed)
}

// holdAll notes claims that were made together.
func (n *Node) holdAll(ctx context.Context, claimed []string) error {
	n.claims.Add(uint64(len(claimed)))
	for _, id := range claimed {
		if _, err := n.Hold(ctx, id); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return nil
}

// Held returns the claim of a sandbox that is this node's, as far as it knows.
func (n *Node) Held(sandboxID string) (store.Fence, bool) { return n.holds(sandboxID) }
