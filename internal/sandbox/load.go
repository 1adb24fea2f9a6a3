package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"platen/internal/company"
	"platen/internal/company/record"
	"platen/internal/event"
	"platen/internal/moment"
	"platen/internal/problem"
	"platen/internal/store"
)

// logIndex finds replies and events in the commits of a sandbox.
type logIndex struct {
	// replies holds the version of each idempotency key's commit.
	replies map[replyKey]uint64
	// events lists the commits that hold events, in order.
	events []eventSpan
}

// eventSpan is a commit, the number of its last event and the types of all of
// them.
type eventSpan struct {
	version, last uint64
	types         event.Set
}

func (l *logIndex) add(version uint64, changes *record.Changes, reply *storedReply) {
	if n := len(changes.Events); n > 0 {
		span := eventSpan{version: version, last: changes.Events[n-1].Sequence}
		for i := range changes.Events {
			span.types = span.types.Union(event.SetOf(event.Type(changes.Events[i].Type)))
		}
		l.events = append(l.events, span)
	}
	if reply != nil {
		if l.replies == nil {
			l.replies = map[replyKey]uint64{}
		}
		l.replies[reply.key] = version
	}
}

// load brings the company into memory unless it is there.
func (s *Sandbox) load(ctx context.Context) error {
	if s.company != nil {
		return nil
	}
	if s.gone {
		return errGone()
	}
	if s.foreign {
		return errForeign()
	}
	image, err := s.registry.store.Load(ctx, s.id)
	if errors.Is(err, store.ErrNotFound) {
		s.gone = true
		s.registry.forget(s.id)
		return errGone()
	}
	if err != nil {
		return readProblem("load sandbox "+s.id, err)
	}
	err = s.restore(image)
	if errors.Is(err, company.ErrEngine) || errors.Is(err, errFormat) {
		// The program was replaced by another one. Sandboxes are short, so this
		// one is left to its end: an operator that goes back to the program
		// that began it finds it there.
		s.foreign = true
		s.registry.log.Warn("refuse a sandbox that another version began", "sandbox", s.id,
			"until", image.Sandbox.DeleteAt, "error", err)
		return errForeign()
	}
	if err == nil {
		s.last = nil
	}
	return err
}

func errForeign() error {
	return problem.New(problem.Unauthorized,
		"This sandbox was begun by another version of the server, and this one cannot go on with it.").
		Hinting("Create a new sandbox. This one is deleted when its time is over.")
}

func errGone() error {
	return problem.New(problem.Unauthorized, "This key belongs to no sandbox; it may have been deleted.")
}

// restore builds the company from a snapshot and the commits after it.
func (s *Sandbox) restore(image store.Image) error {
	var snapshot snapshotBody
	if image.Snapshot.Version > 0 {
		var err error
		if snapshot, err = decodeSnapshot(image.Snapshot.Body); err != nil {
			return fmt.Errorf("load sandbox %s: %w", s.id, err)
		}
	}
	version := image.Snapshot.Version
	var events []record.Event
	for _, commit := range image.Commits {
		body, err := decodeCommit(commit.Body, commit.Version)
		if err != nil {
			return fmt.Errorf("load sandbox %s: %w", s.id, err)
		}
		snapshot.image.Apply(&body.Changes)
		snapshot.index.add(commit.Version, &body.Changes, body.reply)
		events = append(events, body.Events...)
		version = commit.Version
	}
	c, err := company.Load(snapshot.image)
	if err != nil {
		return fmt.Errorf("load sandbox %s: %w", s.id, err)
	}
	s.company, s.header, s.log, s.snapshot = c, image.Sandbox, snapshot.index, image.Snapshot.Version
	s.recall()
	s.registry.moved(s.header)
	view := newView(image.Sandbox, c, snapshot.image.Tables, version)
	view.tail, view.refused, view.minute = appendTail(nil, events), &s.refused, &s.minute
	s.published.Store(view)
	s.watchWebhooks(view)
	s.registry.wakeups.reschedule(s, view.next())
	return nil
}

// newView returns the view of a company that has nothing to flush.
func newView(header store.Sandbox, c *company.Company, tables []record.TableRows, version uint64) *View {
	v := &View{
		SandboxID: header.ID, PublicName: publicName(header.ID),
		CreatedAt: moment.InstantOf(header.CreatedAt),
		Version:   version, Summary: c.Summary(), tables: make(map[string]*Table, len(tables)),
		changed: make(chan struct{}),
	}
	v.leased(&header)
	v.Sequence, v.LastEventAt = c.Newest()
	v.nextDue, _ = c.NextDue()
	for _, rows := range tables {
		t := &Table{Entries: rows.Entries}
		for _, e := range rows.Entries {
			t.Version = max(t.Version, e.Version)
		}
		v.tables[rows.Table] = t
	}
	return v
}

// snapshotBody is the stored body of a snapshot.
type snapshotBody struct {
	image record.Image
	index logIndex
}

// keep writes a snapshot before the company leaves memory, unless the store has
// all that there is.
func (s *Sandbox) keep(ctx context.Context) {
	if changed := s.carry(); changed || s.published.Load().Version > s.snapshot {
		s.saveSnapshot(ctx)
	}
}

// saveSnapshot keeps the present state. It is a convenience of loading: when
// it fails, the next load replays more commits, so the error is only logged.
func (s *Sandbox) saveSnapshot(ctx context.Context) {
	version := s.published.Load().Version
	s.carry()
	body := snapshotBody{image: s.company.Image(), index: s.log}
	err := s.registry.store.SaveSnapshot(context.WithoutCancel(ctx),
		store.Snapshot{SandboxID: s.id, Version: version, Body: body.encode()})
	if err != nil {
		s.registry.log.Warn("save snapshot", "sandbox", s.id, "version", version, "error", err)
		return
	}
	s.snapshot = version
}

func (b *snapshotBody) encode() []byte {
	payload := make([]byte, 0, 256<<10)
	payload = record.AppendImage(payload, &b.image)
	payload = binary.AppendUvarint(payload, uint64(len(b.index.events)))
	for _, span := range b.index.events {
		payload = binary.AppendUvarint(payload, span.version)
		payload = binary.AppendUvarint(payload, span.last)
		for _, word := range span.types {
			payload = binary.AppendUvarint(payload, word)
		}
	}
	payload = binary.AppendUvarint(payload, uint64(len(b.index.replies)))
	for key, version := range b.index.replies {
		payload = append(payload, key[:]...)
		payload = binary.AppendUvarint(payload, version)
	}
	return pack(payload)
}

func decodeSnapshot(body []byte) (snapshotBody, error) {
	payload, first, err := unpack(body)
	if err != nil {
		return snapshotBody{}, err
	}
	readImage := record.ReadImage
	if first {
		readImage = record.ReadImage1
	}
	image, rest, err := readImage(payload)
	if err != nil {
		return snapshotBody{}, fmt.Errorf("decode snapshot: %w", err)
	}
	b := snapshotBody{image: image}
	n, rest, err := readNumber(rest)
	if err != nil || n > uint64(len(rest)) {
		return snapshotBody{}, errBody
	}
	b.index.events = make([]eventSpan, n)
	for i := range b.index.events {
		span := &b.index.events[i]
		if span.version, rest, err = readNumber(rest); err != nil {
			return snapshotBody{}, err
		}
		if span.last, rest, err = readNumber(rest); err != nil {
			return snapshotBody{}, err
		}
		if span.types, rest, err = readTypes(rest, first); err != nil {
			return snapshotBody{}, err
		}
	}
	n, rest, err = readNumber(rest)
	if err != nil || n > uint64(len(rest)) {
		return snapshotBody{}, errBody
	}
	b.index.replies = make(map[replyKey]uint64, n)
	for range n {
		var key replyKey
		if len(rest) < len(key) {
			return snapshotBody{}, errBody
		}
		rest = rest[copy(key[:], rest):]
		if b.index.replies[key], rest, err = readNumber(rest); err != nil {
			return snapshotBody{}, err
		}
	}
	return b, nil
}

// readTypes reads a set of event types.
func readTypes(b []byte, first bool) (set event.Set, rest []byte, err error) {
	if first {
		word, rest, err := readNumber(b)
		return event.SetOfFirst(word), rest, err
	}
	for i := range set {
		if set[i], b, err = readNumber(b); err != nil {
			return event.Set{}, nil, err
		}
	}
	return set, b, nil
}
