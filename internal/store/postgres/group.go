package postgres

import (
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"platen/internal/store"
	"platen/internal/store/groupcommit"
)

// One statement locks its rows in order. When there are several, this one comes
// before them and locks the rows of all.
const lockSandboxes = `SELECT 1 FROM sandboxes WHERE id = ANY ($1) ORDER BY number FOR NO KEY UPDATE`

// A group is the batch that several requests send together. The server does a
// batch in one implicit transaction, since there is one Sync at its end.
type group struct {
	batch pgx.Batch

	appends, creations, replacements rows

	pinged  bool // the group has a ping
	removed bool // a result reports a sandbox that was removed
	broken  bool // a result reports a rule about records that was not met
}

func newGroup(requests []*groupcommit.Request) *group {
	g := &group{}
	var ids [][]byte
	for _, r := range requests {
		r.Outcome = nil // of an earlier attempt
		g.add(r)
		if r.SandboxID != "" {
			ids = append(ids, []byte(r.SandboxID))
		}
	}
	g.queue(createSandboxes, &g.creations)
	g.queue(appendCommits, &g.appends)
	g.queue(replaceHeaders, &g.replacements)
	if len(g.batch.QueuedQueries) > 1 {
		lock := &pgx.QueuedQuery{SQL: lockSandboxes, Arguments: []any{ids}}
		g.batch.QueuedQueries = slices.Insert(g.batch.QueuedQueries, 0, lock)
	}
	if g.pinged {
		g.batch.Queue(touchPing)
	}
	return g
}

// add adds a request. Its outcome is set when the result comes.
func (g *group) add(r *groupcommit.Request) {
	switch o := r.Operation.(type) {
	case store.Commit:
		if o.Fork != nil {
			g.addFork(o, r)
			g.addRecords(o.Records) // after the copies: others that need their locks are not to wait for them
			return
		}
		g.addRecords(o.Records)
		switch {
		case o.Version == 1:
			g.creations.add(o, r)
		case o.Header != nil:
			g.replacements.add(o, r)
		default:
			g.appends.add(o, r)
		}
	case store.Snapshot:
		g.addSnapshot(o, r)
	case groupcommit.Deletion:
		g.addDeletion(o, r)
	case groupcommit.Records:
		g.addRecords(o)
	case *groupcommit.Clearing:
		g.addClearing(o)
	case groupcommit.Ping:
		g.pinged = true
	default:
		panic(fmt.Sprintf("no operation: %T", o))
	}
}

// queue adds a statement for some commits. Those that do not come back in its
// result conflict.
func (g *group) queue(text string, commits *rows) {
	if len(commits.ids) == 0 {
		return
	}
	for _, r := range commits.requests {
		r.Outcome = store.ErrConflict
	}
	g.batch.Queue(text, commits.columns()...).Query(func(answer pgx.Rows) error {
		var id []byte
		_, err := pgx.ForEachRow(answer, []any{&id}, func() error {
			commits.requests[string(id)].Outcome = nil
			return nil
		})
		return err
	})
}

// conflicts are the commits of the group that conflict, but for creations, which are
// made under no claim.
func (g *group) conflicts() *rows {
	var found rows
	for _, commits := range []*rows{&g.appends, &g.replacements} {
		for _, r := range commits.requests {
			if c, ok := r.Operation.(store.Commit); ok && errors.Is(r.Outcome, store.ErrConflict) {
				found.add(c, r)
			}
		}
	}
	return &found
}
