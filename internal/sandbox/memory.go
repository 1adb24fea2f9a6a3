package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"platen/internal/words/problem"
)

const (
	// DefaultMemory is the most bytes of companies in memory unless the options
	// say otherwise.
	DefaultMemory = 1 << 30
	// callShare is the part of the memory that the remembered requests may take up.
	callShare = 8
	// loadsAtOnce is the number of companies that are read from the store at the
	// same time: each takes memory that is not counted until its size is known.
	loadsAtOnce = 16
	// loadPatience is how long a load waits for its turn, and then for memory;
	// loadRest is the time between two attempts. A client that was refused may
	// come again after loadRetrySeconds.
	loadPatience     = 2 * time.Second
	loadRest         = 5 * time.Millisecond
	loadRetrySeconds = 1
	// idleTime is how long an unused company stays in memory.
	idleTime = 5 * time.Minute
	// evictionSample is the number of sandboxes of which the least recently used is
	// evicted. They are taken at random: a list in the order of use would make
	// every read wait for a lock.
	evictionSample = 16
	// replaySpared is the most commits since its snapshot with which a company is
	// evicted as it is: to replay them costs less than to write another snapshot.
	replaySpared = 8
)

// ErrCrowded is the error of a load for which there was no memory.
var ErrCrowded = errors.New("all memory is at work")

// memory bounds the bytes of the companies of a registry. When one more does not
// fit, others are evicted, the least recently used first. A company stays only
// while a writer is inside: so a load waits only when all memory is taken by
// companies at work, and is refused when that does not end.
type memory struct {
	limit int64
	// loads holds a place for each load under way.
	loads chan struct{}
	// exceeded is signalled when companies have grown beyond the limit.
	exceeded chan struct{}

	mu sync.Mutex // guards the fields below, and resident and bytes of each sandbox
	// residents are the sandboxes with a company in memory, in no order, used are
	// the bytes of all of them.
	residents []*Sandbox
	used      int64
	// loaded, evicted and refused count since the start.
	loaded, evicted, refused uint64
}

// MemoryUse has the memory of a registry, by its own estimate, and the work that
// it did for that since its start.
type MemoryUse struct {
	// Bytes are those of the companies in memory, Limit the most that they may
	// have, Companies their number.
	Bytes, Limit int64
	Companies    int
	// CallBytes are those of the remembered requests.
	CallBytes int64
	// Loads counts the companies that were read from the store, Evictions those
	// that were let go because others needed the memory, Refusals the requests
	// that were refused because nothing could be let go.
	Loads, Evictions, Refusals uint64
}

func newMemory(limit int64) *memory {
	return &memory{
		limit: cmp.Or(limit, DefaultMemory), loads: make(chan struct{}, loadsAtOnce), exceeded: make(chan struct{}, 1),
	}
}

// Memory returns what the registry has in memory.
func (r *Registry) Memory() MemoryUse {
	m := r.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	return MemoryUse{
		Bytes: m.used, Limit: m.limit, Companies: len(m.residents), CallBytes: r.calls.Bytes.Load(),
		Loads: m.loaded, Evictions: m.evicted, Refusals: m.refused,
	}
}

// begin takes a place for a load. The caller gives it back with end.
func (m *memory) begin(ctx context.Context) error {
	patience := time.NewTimer(loadPatience)
	defer patience.Stop()
	select {
	case m.loads <- struct{}{}:
		m.mu.Lock()
		defer m.mu.Unlock()
		m.loaded++
		return nil
	case <-ctx.Done():
	case <-patience.C:
	}
	return m.refuse()
}

func (m *memory) end() { <-m.loads }

// refuse refuses a request whose company does not fit into memory.
func (m *memory) refuse() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refused++
	p := problem.New(problem.Unavailable, "All memory for sandboxes is taken by requests at work.").
		Hinting("Nothing was changed. Send the request again after Retry-After.")
	p.RetryAfter = loadRetrySeconds
	return fmt.Errorf("%w: %w", ErrCrowded, p)
}

// admit counts a company that is about to be in memory, and evicts others until
// it fits.
func (m *memory) admit(ctx context.Context, s *Sandbox, bytes int64) error {
	patience := time.NewTimer(loadPatience)
	defer patience.Stop()
	for !m.put(s, bytes) {
		if m.evict(ctx) {
			continue
		}
		select {
		case <-ctx.Done():
			return m.refuse()
		case <-patience.C:
			return m.refuse()
		case <-time.After(loadRest):
		}
	}
	return nil
}

// put counts a company in that is about to be in memory, if it fits. One is let
// in whatever its size.
func (m *memory) put(s *Sandbox, bytes int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	alone := len(m.residents) == 0 || len(m.residents) == 1 && s.bytes > 0
	if !alone && m.used+bytes-s.bytes > m.limit {
		return false
	}
	if s.bytes == 0 {
		s.resident = len(m.residents)
		m.residents = append(m.residents, s)
	}
	m.used += bytes - s.bytes
	s.bytes = bytes
	return true
}

// resize counts a company in memory anew, which has changed.
func (m *memory) resize(s *Sandbox, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used += bytes - s.bytes
	s.bytes = bytes
	if m.used > m.limit {
		select {
		case m.exceeded <- struct{}{}:
		default:
		}
	}
}

// remove counts a company out that has left memory, if it was there.
func (m *memory) remove(s *Sandbox) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.bytes == 0 {
		return
	}
	last := m.residents[len(m.residents)-1]
	m.residents[s.resident] = last
	last.resident = s.resident
	m.residents = slices.Delete(m.residents, len(m.residents)-1, len(m.residents))
	m.used -= s.bytes
	s.bytes = 0
}

// evict lets go of a company that was not used for long, and reports whether it
// found one.
func (m *memory) evict(ctx context.Context) bool {
	for _, s := range m.sample() {
		if s.evict(ctx) {
			m.mu.Lock()
			m.evicted++
			m.mu.Unlock()
			return true
		}
	}
	return false
}

// all returns the sandboxes with a company in memory.
func (m *memory) all() []*Sandbox {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.residents)
}

// sample returns some of the companies in memory, the least recently used first.
func (m *memory) sample() []*Sandbox {
	m.mu.Lock()
	sample := make([]*Sandbox, 0, evictionSample)
	if len(m.residents) <= evictionSample {
		sample = append(sample, m.residents...)
	} else {
		for range evictionSample {
			//nolint:forbidigo // nothing in a company follows from it
			sample = append(sample, m.residents[rand.IntN(len(m.residents))])
		}
	}
	m.mu.Unlock()
	slices.SortFunc(sample, func(a, b *Sandbox) int { return cmp.Compare(a.used.Load(), b.used.Load()) })
	return sample
}

// run evicts companies whenever those in memory have grown beyond the limit, until
// the context ends.
func (m *memory) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-m.exceeded:
		}
		for m.isExceeded() && m.evict(ctx) {
		}
	}
}

func (m *memory) isExceeded() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used > m.limit
}
