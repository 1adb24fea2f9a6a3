// Package ownership has the rules by which several nodes share sandboxes: who may
// claim one, serve it, send a request on, or bury a node. It decides and does nothing:
// it knows no clock, no database and no network. The caller carries its steps out, and
// says what came of them.
//
// A sandbox has at most one owner: a session of a node. Its record, in the database,
// says which, and carries an epoch that grows with each claim. That a node lives is
// one row, which the node moves on with each beat. A node that has not beaten in time
// can be buried by any other, and only then can its sandboxes be claimed.
//
// Two things keep a node from acting on what it only believes. Its memory is served
// only inside a trust window, which ends before anybody can bury it. And each commit
// names the owner and the epoch it was made under, which the database compares: so a
// node that was stopped between its look at the window and its commit changes
// nothing.
package ownership

import "time"

// Session is one life of a node. Each time a node joins it has a new, random one.
type Session string

// Terms are the times of the protocol. All nodes have the same.
type Terms struct {
	// Beat is the time between two beats, Lifetime how long a beat keeps a node from
	// being buried.
	Beat, Lifetime time.Duration
	// Margin is the part of the lifetime in which a node no longer trusts itself: more
	// than the clocks of a node and of the database drift apart in a lifetime, and
	// than the clocks of a database and its standby differ.
	Margin time.Duration
}

// Standard are the terms that nodes have.
func Standard() Terms {
	return Terms{Beat: 2 * time.Second, Lifetime: 8 * time.Second, Margin: 2 * time.Second}
}

// TrustedUntil is the end of the trust window that a beat gives, by the clock that
// said when it was sent. It begins when the answer is there. The beat counts from when
// it was sent, not answered: the database reads its clock in between.
func (t Terms) TrustedUntil(sent time.Duration) time.Duration { return sent + t.Lifetime - t.Margin }

// Record is the database's record of a sandbox.
type Record struct {
	// Owner is "" while there is none.
	Owner Session
	// Epoch counts the claims.
	Epoch uint64
}

// Situation is the knowledge of a node when it has to decide on a request.
type Situation struct {
	Self Session
	// Trusted says that the node is inside its trust window.
	Trusted bool
	// Held says that it has the sandbox in memory by a claim that it knows to be
	// durable, and that nothing has told it otherwise since.
	Held bool
	// Known is the sandbox's record as the node last heard of it, nil for never; Read
	// says that it was read from the database for this request.
	Known *Record
	Read  bool
	// Forwarded says that another node has sent the request on.
	Forwarded bool
	// Absent counts the attempts at the owner in Known that found nobody listening at
	// its address, Silent those without an answer, Misdirected the nodes that said they
	// were not the owner.
	Absent, Silent, Misdirected int
	// Replaced says that another session answered at that address.
	Replaced bool
	// Distrusting says that the owner in Known has refused because it is outside its own
	// trust window.
	Distrusting bool
	// Buried says that the owner in Known has no row any more, by the look that read the
	// record or after a burial; Living that an attempt to bury it found it alive. One that
	// cannot go on with the sandbox, where this node can, is as good as buried.
	Buried, Living bool
	// Foreign says that this node cannot go on with the sandbox, which another version
	// began, and that a node of that version lives, by the look that read the record.
	Foreign bool
}

// free says that no owner prevents a claim.
func (s *Situation) free() bool { return s.Known.Owner == "" || s.Known.Owner == s.Self || s.Buried }

// Step is the next thing that a node does with a request.
type Step uint8

// Steps. All but Serve, Refuse and Misdirect lead to another decision.
const (
	// Refuse responds with 503: nothing was changed, and the same request can come
	// again.
	Refuse Step = iota
	// Serve processes the request in this node. The data that it reads may be sent
	// only if the trust window is still open afterwards.
	Serve
	// Look reads the sandbox's record.
	Look
	// Claim makes this node the owner, if the epoch is the known one and its owner has
	// no row. Only when that is durable is the sandbox loaded.
	Claim
	// Load reads a sandbox that this session owns already.
	Load
	// Forward sends the request to the owner.
	Forward
	// Entrust sends the request to a node that can go on with the sandbox, which claims
	// it.
	Entrust
	// Bury removes the row of the owner, if its time is over.
	Bury
	// BuryEnded removes the row of the owner, whatever its time: it has proved that its
	// address was its own, and it is not there any more.
	BuryEnded
	// Misdirect responds to another node with 421, and with the owner that is known.
	Misdirect
)

// The most attempts of one request. One at which nobody listens may be a mistake of the
// network on the way.
const (
	maxAbsent      = 2
	maxSilent      = 2
	maxMisdirected = 1
)

// Next decides what to do with a request.
func Next(s Situation) Step {
	switch {
	case !s.Trusted:
		return Refuse
	case s.Held:
		return Serve
	case s.Known == nil:
		return Look
	case s.Forwarded:
		// It is never sent on: two nodes with old records would send it to each other
		// without end.
		switch {
		case s.Foreign: // even if it has it: only to say that it cannot go on with it
			return Misdirect
		case s.free():
			return s.ownOr(Claim)
		}
		return s.ownOr(Misdirect)
	case s.Foreign && s.Read && s.free():
		if s.Absent+s.Silent+s.Misdirected > 0 || s.Replaced || s.Distrusting {
			return Refuse // what is not there will soon be buried, and then be looked at again
		}
		return Entrust
	case s.Known.Owner == "" || s.Known.Owner == s.Self:
		return s.ownOr(Claim)
	case s.Buried:
		return s.ownOr(Claim) // what is only remembered does not say who can go on with it
	case s.Misdirected > maxMisdirected || s.Living:
		return Refuse
	case s.Absent >= maxAbsent || s.Replaced:
		return BuryEnded
	case s.Silent >= maxSilent || s.Distrusting:
		return Bury
	default:
		return Forward
	}
}

// ownOr decides on a sandbox that no other node owns, as far as is known, or that
// another node takes for this one's. The knowledge may be old, so it is read before
// anything is done; and when this session is not the owner, otherwise is done.
func (s *Situation) ownOr(otherwise Step) Step {
	switch {
	case !s.Read:
		return Look
	case s.Known.Owner == s.Self:
		return Load
	default:
		return otherwise
	}
}
