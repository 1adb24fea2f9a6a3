package storetest

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"platen/internal/store"
)

// A model holds the expected contents of a store, in maps. It is the oracle of
// the property test, so it is written to be checked by reading.
type model struct {
	images  map[string]*store.Image // its Commits are all of them
	deleted map[string]bool
	keys    map[store.KeyHash]bool  // every key that any header ever had
	records map[string]store.Record // of one kind, by key
}

func newModel() *model {
	return &model{
		images:  map[string]*store.Image{},
		deleted: map[string]bool{},
		keys:    map[store.KeyHash]bool{{}: true},
		records: map[string]store.Record{},
	}
}

func (m *model) newest(id string) uint64 {
	if image := m.images[id]; image != nil {
		return uint64(len(image.Commits))
	}
	return 0
}

func (m *model) commit(c store.Commit) error {
	if c.Fork != nil {
		return m.fork(c)
	}
	image := m.images[c.SandboxID]
	switch {
	case c.Version != m.newest(c.SandboxID)+1,
		c.Version == 1 && (c.Header == nil || m.deleted[c.SandboxID]),
		c.Header != nil && m.taken(*c.Header),
		!m.met(c.Records):
		return store.ErrConflict
	case image == nil:
		image = &store.Image{Snapshot: store.Snapshot{SandboxID: c.SandboxID}}
		m.images[c.SandboxID] = image
	}
	if c.Header != nil {
		image.Sandbox = *c.Header
		m.note(c.Header)
	}
	image.Commits = append(image.Commits, asRead(c))
	return m.write(c.Records)
}

func (m *model) fork(c store.Commit) error {
	switch {
	case c.Header == nil || c.Version < 2 || c.Version > m.newest(c.Fork.Parent)+1,
		m.images[c.SandboxID] != nil || m.deleted[c.SandboxID] || m.taken(*c.Header) || !m.met(c.Records):
		return store.ErrConflict
	}
	image := &store.Image{Sandbox: *c.Header, Snapshot: store.Snapshot{SandboxID: c.SandboxID}}
	for _, copied := range m.images[c.Fork.Parent].Commits[:c.Version-1] {
		copied.SandboxID = c.SandboxID
		image.Commits = append(image.Commits, copied)
	}
	if s := c.Fork.Snapshot; s != nil {
		image.Snapshot.Version, image.Snapshot.Body = s.Version, s.Body
	}
	m.images[c.SandboxID] = image
	m.note(c.Header)
	image.Commits = append(image.Commits, asRead(c))
	return m.write(c.Records)
}

// met reports whether the rules of writes are met.
func (m *model) met(writes []store.Write) bool {
	for _, w := range writes {
		r, there := m.records[w.Key]
		switch {
		case w.Rule == store.Add && there, (w.Rule == store.Take || w.Rule == store.Renew) && !there,
			w.Rule == store.Match && (!there || !bytes.Equal(r.Body, w.Body)):
			return false
		}
	}
	return true
}

func (m *model) write(writes []store.Write) error {
	if !m.met(writes) {
		return store.ErrConflict
	}
	for _, w := range writes {
		switch w.Rule {
		case store.Take:
			delete(m.records, w.Key)
		case store.Put, store.Add:
			m.records[w.Key] = w.Record
		case store.Renew:
			r := m.records[w.Key]
			r.EndsAt = w.EndsAt
			m.records[w.Key] = r
		case store.Match:
		}
	}
	return nil
}

// clear removes the records that have ended, and reports how many.
func (m *model) clear(t time.Time) int {
	before := len(m.records)
	maps.DeleteFunc(m.records, func(_ string, r store.Record) bool { return !r.EndsAt.After(t) })
	return before - len(m.records)
}

func (m *model) list() []store.Record {
	var list []store.Record
	for _, key := range slices.Sorted(maps.Keys(m.records)) {
		list = append(list, m.records[key])
	}
	return list
}

// note remembers the keys of a header.
func (m *model) note(h *store.Sandbox) {
	for _, key := range h.Keys() {
		m.keys[key] = true
	}
}

// taken reports whether another sandbox owns a key of the header.
func (m *model) taken(h store.Sandbox) bool {
	for id, image := range m.images {
		if id != h.ID && slices.ContainsFunc(image.Sandbox.Keys(), func(key store.KeyHash) bool {
			return slices.Contains(h.Keys(), key)
		}) {
			return true
		}
	}
	return false
}

func (m *model) save(s store.Snapshot) error {
	image := m.images[s.SandboxID]
	switch {
	case image == nil:
		return store.ErrNotFound
	case s.Version == 0 || s.Version > m.newest(s.SandboxID):
		return store.ErrConflict
	case s.Version >= image.Snapshot.Version:
		image.Snapshot = s
	}
	return nil
}

func (m *model) remove(id string) {
	if m.images[id] != nil {
		delete(m.images, id)
		m.deleted[id] = true
	}
}

func (m *model) load(id string) (store.Image, error) {
	image := m.images[id]
	if image == nil {
		return store.Image{}, store.ErrNotFound
	}
	loaded := *image
	loaded.Commits = image.Commits[image.Snapshot.Version:]
	return loaded, nil
}

func (m *model) findKey(key store.KeyHash) (store.Sandbox, error) {
	for _, image := range m.images {
		if slices.Contains(image.Sandbox.Keys(), key) {
			return image.Sandbox, nil
		}
	}
	return store.Sandbox{}, store.ErrNotFound
}

// due lists by WakeAt and then by id, an order that only tests need.
func (m *model) due(t time.Time) []store.Sandbox {
	var list []store.Sandbox
	for _, image := range m.images {
		if !image.Sandbox.WakeAt.After(t) {
			list = append(list, image.Sandbox)
		}
	}
	sortDue(list)
	return list
}

func sortDue(list []store.Sandbox) {
	slices.SortFunc(list, func(a, b store.Sandbox) int {
		if order := a.WakeAt.Compare(b.WakeAt); order != 0 {
			return order
		}
		return strings.Compare(a.ID, b.ID)
	})
}

func (m *model) ids() []string { return slices.Sorted(maps.Keys(m.images)) }
