package store

import (
	"context"
	"time"
)

// Session is one life of a server that shares its storage with others. Each has a
// new one, random and never used again.
type Session string

// Fence is a claim of a sandbox: who owns it, and how often it was claimed. The zero
// Fence is that of a sandbox that nobody has claimed yet, and of any sandbox in a
// storage that one server has for itself.
//
// A writer names the claim that it believes in, and the storage compares. The rule of
// versions alone would be no fence: a new owner may answer reads before anybody
// writes, and meanwhile the next commit of the old owner would be right by its number.
type Fence struct {
	Owner Session // "" for nobody
	Epoch uint64
}

// RoleKind is the kind of the records that Assume keeps; their key is the role.
const RoleKind = "role"

// Node is a server that shares its storage with others.
type Node struct {
	Session Session
	// Address is where the others reach it, host and port; "" when it works alone.
	Address string
	// Settings is a digest of everything that all nodes must have alike.
	Settings string
	// Name is the name of the node for operators.
	Name string
	// Engine is the version of the simulation that it has. It can go on with sandboxes of
	// the same version alone.
	Engine int
	// StartedAt is when it joined, Until how long it is taken for living, both by the
	// storage's clock. Join sets them.
	StartedAt, Until time.Time
}

// Owned is the storage's knowledge of a sandbox's owner, at one moment.
type Owned struct {
	Fence
	// Node is the owner's, nil when that has none any more.
	Node *Node
	// Engine is the version that began the sandbox, 0 when that was not noted: then any
	// node can go on with it.
	Engine int
	// Able is a node of that version, any of them, nil for none.
	Able *Node
}

// Fits reports whether a node can go on with the sandbox.
func (o *Owned) Fits(n *Node) bool { return o.Engine == 0 || n.Engine == o.Engine }

// Nodes is the shared knowledge of several servers on one storage. All times in it are
// of the storage's one clock. A change is durable when its method returns nil.
//
// While a new version takes the place of an old one there are nodes of both, and a
// sandbox is free for a session when it has no owner that is still a node, or one that
// cannot go on with it where this one can; but while there is any node that can, not for
// one that cannot.
type Nodes interface {
	// Join adds a node that lives for a lifetime. fits is asked about each node that is
	// there, by a node that joins alone at that moment; its error is returned, and nothing
	// was added.
	Join(ctx context.Context, n Node, lifetime time.Duration, fits func(other Node) error) error

	// Beat lets a node live for a lifetime from now on, and returns the time. A node that
	// is not there any more is ErrNotFound: no beat brings it back.
	Beat(ctx context.Context, s Session, lifetime time.Duration) (time.Time, error)

	// Leave removes a node, and with it all that it owned is free.
	Leave(ctx context.Context, s Session) error

	// Living lists the nodes, in the order in which they joined, those too whose time is
	// over and that nobody has buried yet.
	Living(ctx context.Context) ([]Node, error)

	// Bury removes a node whose time is over, or any when it is certain that it ended,
	// and reports whether it is gone. It waits for a beat that is under way.
	Bury(ctx context.Context, s Session, certain bool) (gone bool, err error)

	// BuryOverdue removes all nodes whose time is over, but those that another node is just
	// writing, and reports how many.
	BuryOverdue(ctx context.Context) (int, error)

	// Look says who owns a sandbox, or ErrNotFound.
	Look(ctx context.Context, sandboxID string) (Owned, error)

	// Claim makes a session the owner of a sandbox, and returns the new claim. It is
	// ErrConflict when the newest claim is not the one that was seen, when the sandbox is
	// not free for the session, or when that is no node any more.
	Claim(ctx context.Context, sandboxID string, seen Fence, s Session) (Fence, error)

	// ClaimDue claims sandboxes that have WakeAt at or before t, earliest first, and that
	// are free for the session, at most limit of them. Those that another node is just
	// writing are left out.
	ClaimDue(ctx context.Context, s Session, t time.Time, limit int) ([]string, error)

	// ClaimNamed claims sandboxes that a record of a kind names by its key, which ends
	// after t, under the same conditions.
	ClaimNamed(ctx context.Context, s Session, kind string, t time.Time, limit int) ([]string, error)

	// Assume makes a session the holder of a role, unless another node holds it, and
	// returns who does then, and the record that says so: a write with that record under
	// the rule Match is done only while nothing has changed. A session that is no node is
	// ErrNotFound.
	Assume(ctx context.Context, role string, s Session) (Session, Record, error)
}
