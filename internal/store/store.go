// Package store defines the requirements of Platen on a disk, in words and in one
// small interface. The bodies it keeps are opaque to it: package sandbox gives
// commits their meaning.
//
// Beside the sandboxes it keeps records: small rows of several kinds that are
// found by a key and end by themselves, such as the tickets of the queue. A
// commit can write records in the same step.
//
// Durable means: when a method that writes has returned nil, its writes survive
// the loss of the process and of the machine's power. An engine may gather many
// callers into one flush, but it returns to none of them earlier.
//
// An error other than the sentinel errors below leaves the outcome open: the
// write may or may not be there. Callers must drop their state in memory and
// load again.
//
// A context that has ended before a call changes nothing, and the call returns
// its error. One that ends later ends the waiting: a commit that was not taken
// up yet is withdrawn, one under way is finished and its true outcome returned,
// where the engine can know it.
package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Limits that an engine must support.
const (
	// MaxBody is the largest body of a commit or a snapshot, in bytes.
	MaxBody = 64 << 20
	// MaxCommits is the most rows one call of Commits returns.
	MaxCommits = 1000
	// MaxWrites is the most records in one step.
	MaxWrites = 1000
)

// Sentinel errors. Each leaves the store unchanged.
var (
	// ErrConflict reports that the version is not the successor of the newest
	// one: another writer was here first, or the sandbox is gone. Or a record
	// does not meet its rule.
	ErrConflict = errors.New("version conflict")
	// ErrFenced reports that the sandbox belongs to another session, or to another
	// claim, than the writer believed.
	ErrFenced = errors.New("owned by another session")
	// ErrNotFound reports that no such sandbox exists.
	ErrNotFound = errors.New("not found")
	// ErrFull reports that the disk took nothing, and nothing was written.
	ErrFull = errors.New("storage full")
	// ErrBusy reports that another process holds the storage for longer than
	// the store waits, and nothing was written.
	ErrBusy = errors.New("storage busy")
	// ErrUnreachable reports that the storage does not respond, and that
	// nothing was written.
	ErrUnreachable = errors.New("storage out of reach")
	// ErrMoved reports that the file of the storage has another name now, or none: writes go
	// on into it, and the next start will not find them.
	ErrMoved = errors.New("the database file was moved away, removed or replaced")
	// ErrClosed reports that the store has been closed.
	ErrClosed = errors.New("store closed")
)

// KeyHash is the SHA-256 of an API key. Keys themselves are never stored.
type KeyHash [32]byte

// Keys lists the keys that find the sandbox: none that was revoked.
func (s *Sandbox) Keys() []KeyHash {
	return slices.DeleteFunc([]KeyHash{s.OfficeKey, s.FactoryKey, s.GradingKey},
		func(key KeyHash) bool { return key == KeyHash{} })
}

// Sandbox is the searchable header of one sandbox. Everything else about it
// is in the bodies of its commits.
type Sandbox struct {
	ID string
	// OfficeKey, FactoryKey and GradingKey find the sandbox. The zero hash is a
	// revoked key, or none, and is never found. Any other belongs to one sandbox
	// only: a header with a key that another one owns is ErrConflict.
	OfficeKey, FactoryKey, GradingKey KeyHash
	// Evaluation is set for a sandbox in which players are compared, also once its
	// grading key was revoked.
	Evaluation bool
	// Network is the network group that created it.
	Network   string
	CreatedAt time.Time // microseconds, UTC
	ExpiresAt time.Time // microseconds, UTC
	// DeleteAt is when the sandbox is to be removed.
	DeleteAt time.Time // microseconds, UTC
	// WakeAt is when the sandbox is due next, with or without a request of a
	// client.
	WakeAt time.Time // microseconds, UTC
	// Extensions is the number of times the lease was extended.
	Extensions int
}

// Commit is one atomic step in the life of a sandbox.
type Commit struct {
	SandboxID string
	// Fence is the claim under which it was made. That of a commit which creates the
	// sandbox does not count.
	Fence Fence
	// Version counts the commits of a sandbox from 1, without gaps.
	Version uint64
	Body    []byte
	// Header, when set, replaces the sandbox's header in the same step; its ID
	// is SandboxID. It is required with version 1, and with Fork, which both create
	// the sandbox.
	Header *Sandbox
	// Fork, when set, creates the sandbox from another one.
	Fork *Fork
	// Engine is the version of the simulation that begins the sandbox. It counts with
	// a commit that creates the sandbox, and only where several nodes share the storage.
	Engine int
	// Records are written in the same step: all of it happens, or nothing.
	Records []Write
}

// Fork is where a new sandbox comes from: it begins with copies of the parent's
// commits, up to the one before the commit with the fork, and shares nothing with the
// parent afterwards.
type Fork struct {
	// Parent is the id of the sandbox whose commits are copied.
	Parent string
	// Snapshot is kept for the new sandbox, nil for none: the parent after the commit
	// with its version, which is among those that are copied. Only its version and
	// body count.
	Snapshot *Snapshot
}

// Creates reports whether the commit makes a sandbox.
func (c *Commit) Creates() bool { return c.Version == 1 || c.Fork != nil }

// Record is a small row beside the sandboxes.
type Record struct {
	// Kind and Key name it; both together are unique.
	Kind, Key string
	Body      []byte
	// EndsAt is the time from which on Clear removes it. Until it is removed it
	// is found, whatever the time.
	EndsAt time.Time // microseconds, UTC
}

// Rule is the condition of a write.
type Rule uint8

// Rules.
const (
	// Put writes the record, in place of an older one if there is one.
	Put Rule = iota
	// Add writes a record that must be new.
	Add
	// Take removes a record that must be there. Only its name counts.
	Take
	// Match writes nothing: a record with this name and body must be there, and
	// stays as it is until the step is done.
	Match
	// Renew moves the end of a record that must be there. Its body stays, whatever it
	// has become.
	Renew
)

// Write is the change of one record.
type Write struct {
	Record

	Rule Rule
}

// Snapshot is a sandbox after the commit with its version.
type Snapshot struct {
	SandboxID string
	// Fence is the claim under which it was created. It is not read back.
	Fence   Fence
	Version uint64
	Body    []byte
}

// Image holds everything that brings a sandbox back: its header, its newest
// snapshot (Version 0 and no body when there is none) and every commit after
// that snapshot, oldest first.
type Image struct {
	Sandbox Sandbox
	// Fence is the newest claim.
	Fence    Fence
	Snapshot Snapshot
	Commits  []Commit
}

// CheckWrites refuses writes that no state of a store could accept.
func CheckWrites(writes []Write) error {
	if len(writes) > MaxWrites {
		return fmt.Errorf("%d records are over the limit of %d", len(writes), MaxWrites)
	}
	named := make(map[[2]string]bool, len(writes))
	for i := range writes {
		w := &writes[i]
		name := [2]string{w.Kind, w.Key}
		switch {
		case named[name]:
			return fmt.Errorf("record %s %q is written twice", w.Kind, w.Key)
		case len(w.Body) > MaxBody:
			return fmt.Errorf("record %s %q: a body of %d bytes is over the limit of %d",
				w.Kind, w.Key, len(w.Body), MaxBody)
		case w.Rule > Renew:
			return fmt.Errorf("record %s %q: no rule %d", w.Kind, w.Key, w.Rule)
		}
		named[name] = true
	}
	return nil
}

// Reader is the part of a Store that reads sandboxes.
type Reader interface {
	// Commits reads the commits from version first to version last inclusive,
	// oldest first, at most MaxCommits of them. Headers and records are not
	// returned. Where the range holds no commit the list is empty; only an
	// unknown sandbox is ErrNotFound.
	Commits(ctx context.Context, sandboxID string, first, last uint64) ([]Commit, error)

	// Load reads the image of a sandbox, consistent at one moment, or
	// ErrNotFound.
	Load(ctx context.Context, sandboxID string) (Image, error)

	// Due lists the headers of sandboxes with WakeAt at or before t, earliest
	// first, at most limit of them.
	Due(ctx context.Context, t time.Time, limit int) ([]Sandbox, error)
}

// Store keeps sandboxes and records. All methods may be called from many goroutines.
type Store interface {
	Reader

	// Commit appends one commit, all or nothing, and returns when it is
	// durable. Version must be exactly one more than the newest version of
	// that sandbox (or 1 with a Header for a new one), else ErrConflict: this
	// is the compare-and-swap that keeps two writers from diverging. With a Fork
	// it is one more than a version of the parent, and the sandbox must be new; a
	// parent that is gone, or has no such version, is ErrConflict. A sandbox
	// whose newest claim is not the commit's Fence is ErrFenced. A commit that
	// is refused never harms others of the same group.
	Commit(ctx context.Context, c Commit) error

	// SaveSnapshot keeps a snapshot. One that is older than the kept one
	// changes nothing; one of the same version replaces it. Commits are not
	// removed. A version that is not committed is ErrConflict, another claim
	// ErrFenced, an unknown sandbox ErrNotFound.
	SaveSnapshot(ctx context.Context, s Snapshot) error

	// FindKey returns the header of the sandbox that owns the key, or
	// ErrNotFound. Of several keys it is a sandbox that owns one of them, at the
	// cost of one look-up.
	FindKey(ctx context.Context, keys ...KeyHash) (Sandbox, error)

	// Count returns how many sandboxes there are.
	Count(ctx context.Context) (int, error)

	// Delete removes a sandbox with all that belongs to it. Its keys stop
	// working at once; the space comes back in small steps. A sandbox that
	// does not exist is no error, one under another claim ErrFenced. The id of a deleted sandbox is not used
	// again: every later commit to it, its creation too, is ErrConflict, so
	// that a late writer cannot bring it back.
	Delete(ctx context.Context, sandboxID string, fence Fence) error

	// Write writes records, all or nothing, and returns when they are durable.
	// A rule that is broken is ErrConflict. No two writes may name the same
	// record, and there are at most MaxWrites.
	Write(ctx context.Context, writes []Write) error

	// Find reads one record, or ErrNotFound.
	Find(ctx context.Context, kind, key string) (Record, error)

	// List reads all records of a kind, ordered by key as bytes.
	List(ctx context.Context, kind string) ([]Record, error)

	// Kinds lists the kinds of which there are records, ordered as bytes.
	Kinds(ctx context.Context) ([]string, error)

	// Clear removes records with EndsAt at or before t, at most limit of them,
	// and reports how many.
	Clear(ctx context.Context, t time.Time, limit int) (int, error)

	// Ping reports whether the store can respond and write.
	Ping(ctx context.Context) error

	// Close finishes the calls under way, refuses new ones with ErrClosed and
	// releases everything. Closing again does nothing.
	Close() error
}
