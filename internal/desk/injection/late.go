package injection

import (
	"maps"
	"slices"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
)

// Late is a write whose client got no response, and that arrives later. It holds no key of the sandbox.
type Late struct {
	// ID is that of the request, Operation that of its operation.
	ID        string `json:"id"`
	Operation string `json:"operation"`
	// Key is the system of the key that was sent.
	Key    System `json:"key"`
	Method string `json:"method"`
	// URL is the path and the query.
	URL string `json:"url"`
	// ContentType, IdempotencyKey and IfMatch are headers, "" for none.
	ContentType    string `json:"content_type,omitempty"`
	IdempotencyKey string `json:"idempotency_key,omitempty"`
	IfMatch        string `json:"if_match,omitempty"`
	Body           []byte `json:"body,omitempty"`
	// Requests is how many requests of the key come before it, and Until the in-world minute from which it comes
	// before them under a clock that runs, 0 for none.
	Requests int64      `json:"requests"`
	Until    sim.Minute `json:"until,omitzero"`
	// Place is where it is stored, which no other one has, and Sent counts them.
	Place int    `json:"-"`
	Sent  uint64 `json:"sent"`
}

// Lengths of the way of a late request, in requests of its key and, under a clock that runs, in minutes of the company.
// Each is a request of its key, too: three of a key are on their way at most.
const (
	leastLateRequests, mostLateRequests = 1, 3
	leastLateMinutes, mostLateMinutes   = 8, 40
)

// Send puts the request of a call on its way.
func (m *Memory) Send(d *Draw, l Late) {
	long := d.plan.stream(fault.RequestLate)
	l.Key = d.call.Key
	l.Requests = leastLateRequests + long.Below(mostLateRequests-leastLateRequests+1, d.call.what(), d.n, drawLong)
	if !d.call.Manual {
		l.Until = d.call.Minute + leastLateMinutes +
			sim.Minute(long.Below(mostLateMinutes-leastLateMinutes+1, d.call.what(), d.n, drawLong, 1))
	}
	l.Place, l.Sent = 0, 1
	if n := len(m.Late); n > 0 {
		l.Sent += m.Late[n-1].Sent
	}
	for slices.ContainsFunc(m.Late, func(other Late) bool { return other.Place == l.Place }) {
		l.Place++
	}
	m.Late = append(m.Late, l)
	m.MarkLate(l.Place)
}

// Arrive takes out the requests that arrive before a request with a key, "" for one that does not count, in the order
// in which they were sent: those that enough requests of their key or minutes came before, or all before a tick.
func (m *Memory) Arrive(key System, minute sim.Minute, tick bool) (arrived []Late) {
	m.Late = slices.DeleteFunc(m.Late, func(l Late) bool {
		due := tick || l.Key == key && l.Requests == 0 || l.Until > 0 && minute >= l.Until
		if due {
			arrived = append(arrived, l)
			m.MarkLate(l.Place)
		}
		return due
	})
	for i := range m.Late {
		if l := &m.Late[i]; l.Key == key {
			l.Requests--
			m.MarkLate(l.Place)
		}
	}
	return arrived
}

// InPlace returns a copy of the late request in a place, nil for none.
func (m *Memory) InPlace(place int) *Late {
	at := slices.IndexFunc(m.Late, func(l Late) bool { return l.Place == place })
	if at < 0 {
		return nil
	}
	return new(m.Late[at])
}

// MarkLate marks a place for a late request as changed.
func (m *Memory) MarkLate(place int) {
	if m.late == nil {
		m.late = map[int]bool{}
	}
	m.late[place] = true
}

// TakenLate returns the places that have changed since it was last called.
func (m *Memory) TakenLate() []int {
	places := slices.Sorted(maps.Keys(m.late))
	m.late = nil
	return places
}
