package admission_test

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"platen/internal/edge/admission"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
)

// model is a fair queue, simple enough to check by eye. It knows nothing of the
// controller but what clients are told.
type model struct {
	*bench
	capacity, queue int
	living          []string
	// numbers are those of all tickets in the order in which they were handed
	// out, line those that wait or are ready, in that order, over those that
	// were claimed or lost, and told those of them that a client was told of.
	numbers map[string]int
	line    []string
	over    map[string]problem.Code
	told    map[string]bool
	// readySince is since when a ticket can be claimed, as far as known.
	readySince map[string]time.Time
}

// TestAnyHistoryIsFair: whatever clients, time, restarts and faults of the
// store do, there are never more sandboxes than places, no client overtakes
// another, and no ticket is claimed twice.
func TestAnyHistoryIsFair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := &model{capacity: rapid.IntRange(1, 3).Draw(rt, "capacity"), queue: rapid.IntRange(0, 4).Draw(rt, "queue"),
			over: map[string]problem.Code{}, readySince: map[string]time.Time{},
			numbers: map[string]int{}, told: map[string]bool{}}
		m.bench = open(t, func(o *admission.Options) { o.Capacity, o.Queue = m.capacity, m.queue })
		defer m.inner.Close()
		rt.Repeat(map[string]func(*rapid.T){
			"create": m.creates,
			"poll":   m.polls,
			"again":  m.pollsAgain,
			"leave":  m.leaves,
			"pass": func(rt *rapid.T) {
				m.pass(time.Duration(rapid.IntRange(1, 150).Draw(rt, "seconds")) * time.Second)
			},
			"tend":    func(*rapid.T) { m.controller.Maintain(t.Context()) },
			"restart": m.restart,
			"":        m.check,
		})
	})
}

func (m *model) creates(rt *rapid.T) {
	m.settle()
	free := m.free()
	made, ticket, err := m.create("net")
	switch {
	case free > 0 && made == "":
		rt.Fatalf("%d places are free, and a creation got the ticket %q, %v", free, ticket, err)
	case free <= 0 && made != "":
		rt.Fatalf("no place is free, and %s was made", made)
	case made != "":
		m.living = append(m.living, made)
	case ticket != "":
		if m.waiting() >= m.queue {
			rt.Fatalf("a ticket was handed out beyond the length of the queue, %d", m.queue)
		}
		m.line, m.numbers[ticket] = append(m.line, ticket), len(m.numbers)
	case code(err) != problem.QueueFull || m.waiting() < m.queue:
		rt.Fatalf("%d wait where %d may, and a creation answers %v", m.waiting(), m.queue, err)
	}
}

// polls looks at any ticket, or claims it, with a store that may fail.
func (m *model) polls(rt *rapid.T) {
	if len(m.line) == 0 {
		return
	}
	m.settle()
	i := rapid.IntRange(0, len(m.line)-1).Draw(rt, "ticket")
	ticket := m.line[i]
	fault := rapid.SampledFrom([]storetest.Fault{
		storetest.NoFault, storetest.NoFault, storetest.NotApplied, storetest.AppliedButFailed,
	}).Draw(rt, "fault")
	_, ready := m.readySince[ticket]
	if ready {
		m.fails(fault)
	}
	before := m.made
	made, stands, err := m.poll(ticket)
	m.fails(storetest.NoFault)
	switch {
	case !ready && (err != nil || stands == nil):
		rt.Fatalf("ticket %d of %d, of which %d are ready, stands at %+v, %v",
			i, len(m.line), len(m.readySince), stands, err)
	case ready && stands != nil:
		rt.Fatalf("a ready ticket waits at %d", stands.Position)
	case ready && fault == storetest.NotApplied:
		if err == nil {
			rt.Fatalf("%s was made by a store that failed", made)
		}
		m.readySince[ticket] = m.now // its time begins anew
	case ready && fault == storetest.AppliedButFailed:
		m.living = append(m.living, fmt.Sprintf("sbx_%d", before+1))
		m.ends(ticket, problem.TicketNotFound)
		m.controller.Maintain(rt.Context())
	case ready:
		if err != nil || made == "" {
			rt.Fatalf("a ready ticket: %q, %v", made, err)
		}
		m.living = append(m.living, made)
		m.ends(ticket, problem.TicketNotFound)
	}
}

// pollsAgain looks at a ticket that is over.
func (m *model) pollsAgain(rt *rapid.T) {
	for ticket, want := range m.over {
		_, _, err := m.poll(ticket)
		if got := code(err); got != want && got != problem.TicketNotFound {
			rt.Fatalf("a ticket that is over answers %v, want %s", err, want)
		}
		m.told[ticket] = true
		return
	}
}

func (m *model) leaves(rt *rapid.T) {
	if len(m.living) == 0 {
		return
	}
	m.settle()
	i := rapid.IntRange(0, len(m.living)-1).Draw(rt, "leaves")
	m.leave(m.living[i])
	m.living = slices.Delete(m.living, i, i+1)
}

// restart opens the controller anew: in good order, or as after a crash. After
// a crash, a loss that was never reported to a client may not have happened,
// and the windows of ready tickets begin anew.
func (m *model) restart(rt *rapid.T) {
	if rapid.IntRange(0, 2).Draw(rt, "stay open") > 0 {
		return // a restart costs as much as ten other steps
	}
	m.settle()
	crash := rapid.Bool().Draw(rt, "crash")
	if !crash {
		m.controller.Maintain(rt.Context())
	}
	m.start()
	for ticket, how := range m.over {
		_, err := m.controller.Inspect(ticket)
		if crash && err == nil && how == problem.TicketForfeited && !m.told[ticket] {
			delete(m.over, ticket)
			m.line = append(m.line, ticket)
		}
	}
	slices.SortFunc(m.line, func(a, b string) int { return m.numbers[a] - m.numbers[b] })
	clear(m.readySince)
	for _, ticket := range m.line {
		if stands, err := m.controller.Inspect(ticket); err == nil && stands == nil {
			m.readySince[ticket] = m.now
		}
	}
	if m.free() < 0 {
		rt.Fatalf("after a restart %d tickets are ready, %d sandboxes live in %d places",
			len(m.readySince), len(m.living), m.capacity)
	}
}

// settle moves the model on: what was not claimed is lost, and free places go
// to the head of the line.
func (m *model) settle() {
	for _, ticket := range slices.Clone(m.line) {
		if since, ready := m.readySince[ticket]; ready && m.now.Sub(since) >= window {
			m.ends(ticket, problem.TicketForfeited)
		}
	}
	for _, ticket := range m.line {
		if _, ready := m.readySince[ticket]; !ready && m.free() > 0 {
			m.readySince[ticket] = m.now
		}
	}
}

func (m *model) ends(ticket string, how problem.Code) {
	m.line = slices.DeleteFunc(m.line, func(other string) bool { return other == ticket })
	delete(m.readySince, ticket)
	m.over[ticket] = how
}

func (m *model) free() int { return m.capacity - len(m.living) - len(m.readySince) }

func (m *model) waiting() int { return len(m.line) - len(m.readySince) }

func (m *model) check(rt *rapid.T) {
	m.settle()
	n, err := m.inner.Count(rt.Context())
	if err != nil || n != len(m.living) || n > m.capacity {
		rt.Fatalf("%d sandboxes, want %d of at most %d, %v", n, len(m.living), m.capacity, err)
	}
	position := 0
	for i, ticket := range m.line {
		want := 0
		if _, ready := m.readySince[ticket]; !ready {
			position++
			want = position
		}
		stands, err := m.controller.Inspect(ticket)
		if err != nil || (stands == nil) != (want == 0) ||
			stands != nil && (stands.Position != want || stands.EtaSeconds < 1) {
			rt.Fatalf("ticket %d stands at %+v, want %d, %v", i, stands, want, err)
		}
	}
	for ticket, want := range m.over {
		_, err := m.controller.Inspect(ticket)
		got := code(err)
		if got != want && got != problem.TicketNotFound {
			rt.Fatalf("a ticket that is over answers %v, want %s", err, want)
		}
	}
}

// TestPlacesAreNeverGivenTwice lets clients race: there are never more
// sandboxes than places, and all of the queue is served.
func TestPlacesAreNeverGivenTwice(t *testing.T) {
	t.Parallel()
	const capacity, clients = 4, 60
	b := open(t, func(o *admission.Options) { o.Capacity, o.Queue = capacity, clients })
	var living, most, served atomic.Int64
	var order sync.Mutex
	var claimed []int
	lives := func(id string) {
		n := living.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		living.Add(-1)
		if err := b.inner.Delete(t.Context(), id, store.Fence{}); err != nil {
			t.Error(err)
		}
		served.Add(1)
		b.controller.Deleted(id)
	}
	var racing sync.WaitGroup
	for client := range clients {
		racing.Go(func() {
			made, ticket, err := b.create(fmt.Sprint("net", client%7))
			for err == nil && made == "" {
				made, _, err = b.poll(ticket)
			}
			if err != nil {
				t.Errorf("client %d: %v", client, err)
				return
			}
			order.Lock()
			claimed = append(claimed, client)
			order.Unlock()
			lives(made)
		})
	}
	racing.Wait()
	if served.Load() != clients || most.Load() > capacity {
		t.Errorf("%d of %d were served, at most %d at a time in %d places",
			served.Load(), clients, most.Load(), capacity)
	}
	if n := b.controller.Length(); n != 0 {
		t.Errorf("%d still wait", n)
	}
	if n, err := b.inner.Count(t.Context()); err != nil || n != 0 {
		t.Errorf("%d sandboxes, %v", n, err)
	}
}
