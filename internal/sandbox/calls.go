package sandbox

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"platen/internal/company/fault"
	"platen/internal/moment"
	"platen/internal/sandbox/apikey"
)

// MaxCalls is the number of its clients' requests that a sandbox remembers
// (contract: OPEN.ROUTE.REQUESTS).
const MaxCalls = 500

// Call is one request of a client and its result. It holds no key.
type Call struct {
	// Ordinal counts the requests of a sandbox from 1.
	Ordinal uint64
	// ID is the id of the request.
	ID     string
	Method string
	Path   string
	System apikey.System
	Status int
	// Code is that of a refusal, "" for none.
	Code     string
	Replayed bool
	// Traceparent is that of its trace context, "" for none.
	Traceparent string
	// Faults are those that were injected into it.
	Faults []fault.Kind
	// At is when the response was sent, Milliseconds how long it took.
	At           moment.Instant
	Milliseconds int64
	// Exchange is the exchange on the wire, nil where that is not remembered.
	Exchange *Exchange
}

// callLog remembers the newest requests. It lives beside the company, outside
// its state and its commits: the requests of clients are no part of the
// company's history. It does not outlive the process.
type callLog struct {
	mu sync.Mutex
	// calls are in the order of their responses; the oldest is at first, which is
	// 0 until all places are taken.
	calls []Call
	first int
	count uint64
	// base is the ordinal before the first.
	base uint64
	// exchanges are the ordinals of the calls that have an Exchange, oldest first, held is
	// how much memory these take up, in bytes, and rows that of the calls without them.
	exchanges  []uint64
	held, rows int64
}

// callMemory bounds the bytes of the remembered requests of all sandboxes, and of the faults that happened in them.
type callMemory struct {
	limit int64
	bytes atomic.Int64
}

const (
	// callBytes is about how much memory a remembered request takes up beside its texts and its Exchange: a list that
	// grows has room for as many again as a quarter of its rows.
	callBytes = 256
	// spared is the number of requests that are remembered of each sandbox, without their exchanges,
	// however short memory is, callSample how many sandboxes are looked at for
	// the one that was used least recently, and callsLooked how many for any.
	spared      = 16
	callSample  = 16
	callsLooked = 1000
)

// Note remembers a request, unless the sandbox's time is over. Requests are
// noted before their responses are sent, so that a client that has a response
// finds its request here. Note copies the texts: they are parts of the request's line and headers, which would
// stay in memory with them.
func (s *Sandbox) Note(c Call) {
	if int64(c.At) >= s.endsAt.Load() {
		return
	}
	for _, text := range []*string{&c.ID, &c.Method, &c.Path, &c.Traceparent} {
		*text = strings.Clone(*text)
	}
	if grown := s.calls.note(c); grown != 0 {
		all := &s.registry.calls
		all.bytes.Add(grown)
		for grown > 0 && all.bytes.Load() > all.limit && s.registry.shortenCalls() {
		}
	}
}

// Unhit takes back that a remembered request met a fault.
func (s *Sandbox) Unhit(id string, kind fault.Kind) {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	for i := range s.calls.calls {
		if c := &s.calls.calls[i]; c.ID == id {
			c.Faults = slices.DeleteFunc(slices.Clone(c.Faults), func(k fault.Kind) bool { return k == kind })
		}
	}
}

// epochOrdinals is the number of ordinals of an epoch.
const epochOrdinals = 1 << 32

// begin lets ordinals count from a place that no owner before had, so that nothing that
// refers to one of its requests fits one of ours.
func (l *callLog) begin(epoch uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == 0 {
		l.base = epoch * epochOrdinals
	}
}

// note remembers a request, and returns how many more bytes the log takes up for it.
func (l *callLog) note(c Call) (grown int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.held + l.rows
	l.count++
	c.Ordinal = l.base + l.count
	if n := len(l.calls); n > 0 { // also when the clock is set back
		c.At = max(c.At, l.calls[(l.first+n-1)%n].At+moment.Microsecond)
	}
	if c.Exchange != nil {
		l.exchanges, l.held = append(l.exchanges, c.Ordinal), l.held+c.Exchange.size()
	}
	l.rows += c.size()
	if len(l.calls) < MaxCalls {
		l.calls = append(l.calls, c)
	} else {
		l.rows -= l.calls[l.first].size()
		l.calls[l.first] = c
		l.first = (l.first + 1) % MaxCalls
	}
	for len(l.exchanges) > MaxExchanges || l.held > maxExchangeBytes {
		l.dropExchange()
	}
	return l.held + l.rows - before
}

// size is about how much memory a request takes up without its Exchange, in bytes.
func (c *Call) size() int64 {
	return int64(callBytes + len(c.ID) + len(c.Method) + len(c.Path) + len(c.Traceparent))
}

// dropExchange forgets the oldest exchange. There are fewer of them than calls, so that its call
// is remembered still.
func (l *callLog) dropExchange() {
	back := int(l.base + l.count - l.exchanges[0]) // how many calls came after it
	at := &l.calls[(l.first+len(l.calls)-1-back)%len(l.calls)]
	l.held -= at.Exchange.size()
	at.Exchange = nil
	l.exchanges = l.exchanges[1:]
}

// shortenCalls forgets older requests and faults of a sandbox that was not used for long, and reports whether it found
// one.
func (r *Registry) shortenCalls() bool {
	r.mu.RLock()
	var oldest *Sandbox
	looked := 0
	for _, s := range r.sandboxes {
		if looked++; looked > callSample && oldest != nil || looked > callsLooked {
			break
		}
		f := s.faults.Load()
		if (s.calls.shortens() || f != nil && f.shortens()) && (oldest == nil || s.used.Load() < oldest.used.Load()) {
			oldest = s
		}
	}
	r.mu.RUnlock()
	if oldest != nil {
		r.calls.bytes.Add(-oldest.calls.shorten())
		if f := oldest.faults.Load(); f != nil {
			f.shorten(false)
		}
	}
	return oldest != nil
}

// shortens reports whether there is something that shorten forgets.
func (l *callLog) shortens() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.calls) > spared || l.held > 0
}

// shorten forgets all exchanges and the older half of the requests, and returns how many bytes
// that makes free.
func (l *callLog) shorten() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.held + l.rows
	for len(l.exchanges) > 0 {
		l.dropExchange()
	}
	kept := slices.Concat(l.calls[l.first:], l.calls[:l.first])
	forgotten := len(kept) - min(len(kept), max(spared, len(kept)/2))
	for i := range forgotten {
		l.rows -= kept[i].size()
	}
	l.calls, l.first = slices.Clone(kept[forgotten:]), 0
	return before - l.held - l.rows
}

// forget counts out the requests and faults of a sandbox that was deleted.
func (m *callMemory) forget(s *Sandbox) {
	if f := s.faults.Load(); f != nil {
		f.shorten(true)
	}
	l := &s.calls
	l.mu.Lock()
	defer l.mu.Unlock()
	m.bytes.Add(-l.rows - l.held)
	l.calls, l.first, l.exchanges, l.held, l.rows = nil, 0, nil, 0, 0
}

// Calls returns the remembered requests, oldest first, and the ordinal of the
// newest.
func (s *Sandbox) Calls() (calls []Call, newest uint64) {
	l := &s.calls
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Concat(l.calls[l.first:], l.calls[:l.first]), l.base + l.count
}

// CallAfter returns the oldest remembered request after an ordinal, and false when there is none.
func (s *Sandbox) CallAfter(ordinal uint64) (c Call, ok bool) {
	l := &s.calls
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.calls)
	oldest := l.base + l.count - uint64(n) + 1
	next := max(ordinal+1, oldest)
	if next > l.base+l.count {
		return Call{}, false
	}
	return l.calls[(l.first+int(next-oldest))%n], true
}

// PlayersCalls returns the remembered requests that a player sees: in an evaluation those since it was handed over
// (contract: OPEN.EVAL.REQUESTS).
func (s *Sandbox) PlayersCalls(v *View) (calls []Call, newest uint64) {
	calls, newest = s.Calls()
	before := func(c Call) bool { return c.At <= v.Summary.HandedOver }
	return slices.DeleteFunc(calls, before), newest
}
