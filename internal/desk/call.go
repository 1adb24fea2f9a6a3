package desk

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/company/fault"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/moment"
)

// MaxCalls is the number of its clients' requests that a sandbox remembers
// (contract: OPEN.ROUTE.REQUESTS).
const MaxCalls = 500

// Call is one request of a client and its result. It holds no key.
type Call struct {
	// Ordinal counts the requests of a sandbox from 1.
	Ordinal uint64
	// Number counts the requests of a player from 1 (contract: OPEN.REQUEST.NUMBER).
	Number int64
	// ID is the id of the request.
	ID     string
	Method string
	Path   string
	System apikey.System
	Status int
	// Operation is the id of its operation, "" for a path that none has.
	Operation string
	// Code is that of a refusal, "" for none.
	Code     string
	Replayed bool
	// Key is a hash of a write and its Idempotency-Key, 0 for none, and where no faults are injected. RepeatedAfter is
	// how long after the response to the request before with that key a replay came, nil where that is not known.
	Key           uint64
	RepeatedAfter *time.Duration
	// Traceparent is that of its trace context, "" for none.
	Traceparent string
	// Faults are those that were injected into it.
	Faults []fault.Kind
	// At is when the response was sent, Milliseconds how long it took.
	At           moment.Instant
	Milliseconds int64
	// First and Last are the numbers of the events that it wrote, both 0 for none.
	First, Last uint64
	// Exchange is the exchange on the wire, nil where that is not remembered.
	Exchange *Exchange
}

// CallLog remembers the newest requests. It lives beside the company, outside
// its state and its commits: the requests of clients are no part of the
// company's history. It does not outlive the process.
type CallLog struct {
	mu sync.Mutex
	// noted is closed by the next request, nil while nobody waits for one.
	noted chan struct{}
	// calls are in the order of their responses; the oldest is at first, which is
	// 0 until all places are taken.
	calls []Call
	first int
	count uint64
	// base is the ordinal before the first.
	base uint64
	// handed is when the sandbox was handed to its player, 0 before and elsewhere, numbered the requests since then.
	handed   moment.Instant
	numbered int64
	// exchanges are the ordinals of the calls that have an Exchange, oldest first, held is
	// how much memory these take up, in bytes, and rows that of the calls without them.
	exchanges  []uint64
	held, rows int64
}

// Memory bounds the bytes of the remembered requests of all sandboxes, and of the faults that happened in them.
type Memory struct {
	Limit int64
	Bytes atomic.Int64
}

const (
	// callBytes is about how much memory a remembered request takes up beside its texts and its Exchange: a list that
	// grows has room for as many again as a quarter of its rows.
	callBytes = 256
	// spared is the number of requests that are remembered of each sandbox, without their exchanges,
	// however short memory is.
	spared = 16
)

// Note remembers a request, and counts the bytes that this takes up. Requests are noted before their responses are
// sent, so that a client that has a response finds its request here. Note copies the texts: they are parts of the
// request's line and headers, which would stay in memory with them. handed is when the sandbox got its player,
// 0 for not yet, or where nobody knows. It reports whether the memory is full.
func (c *Client) Note(call Call, handed moment.Instant) (full bool) {
	for _, text := range []*string{&call.ID, &call.Method, &call.Path, &call.Traceparent} {
		*text = strings.Clone(*text)
	}
	l := &c.Calls
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.held + l.rows
	if l.noted != nil {
		close(l.noted)
		l.noted = nil
	}
	if call.Replayed && call.Key != 0 {
		call.RepeatedAfter = l.sinceBefore(&call)
	}
	l.count++
	call.Ordinal = l.base + l.count
	if n := len(l.calls); n > 0 { // also when the clock is set back
		call.At = max(call.At, l.calls[(l.first+n-1)%n].At+moment.Microsecond)
	}
	if handed > l.handed {
		l.handed, l.numbered = handed, 0
	}
	if call.At > l.handed { // one that began before may end after
		l.numbered++
	}
	call.Number = l.numbered
	if call.Exchange != nil {
		l.exchanges, l.held = append(l.exchanges, call.Ordinal), l.held+call.Exchange.size()
	}
	l.rows += call.size()
	if len(l.calls) < MaxCalls {
		l.calls = append(l.calls, call)
	} else {
		l.rows -= l.calls[l.first].size()
		l.calls[l.first] = call
		l.first = (l.first + 1) % MaxCalls
	}
	for len(l.exchanges) > MaxExchanges || l.held > maxExchangeBytes {
		l.dropExchange()
	}
	grown := l.held + l.rows - before
	return c.memory.Bytes.Add(grown) > c.memory.Limit && grown > 0
}

// Noted returns a channel that the next request closes.
func (l *CallLog) Noted() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.noted == nil {
		l.noted = make(chan struct{})
	}
	return l.noted
}

// sinceBefore is how long after the request before with its key a call came, nil without one. The lock is held.
func (l *CallLog) sinceBefore(call *Call) *time.Duration {
	arrived := call.At.Add(-time.Duration(call.Milliseconds) * time.Millisecond)
	for back := range len(l.calls) {
		if before := &l.calls[(l.first+len(l.calls)-1-back)%len(l.calls)]; before.Key == call.Key {
			return new(max(0, arrived.Sub(before.At)))
		}
	}
	return nil
}

// Unhit takes back that a remembered request met a fault.
func (l *CallLog) Unhit(id string, kind fault.Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.calls {
		if c := &l.calls[i]; c.ID == id {
			c.Faults = slices.DeleteFunc(slices.Clone(c.Faults), func(k fault.Kind) bool { return k == kind })
		}
	}
}

// epochOrdinals is the number of ordinals of an epoch.
const epochOrdinals = 1 << 32

// Begin lets ordinals count from a place that no owner before had, so that nothing that
// refers to one of its requests fits one of ours.
func (l *CallLog) Begin(epoch uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == 0 {
		l.base = epoch * epochOrdinals
	}
}

// size is about how much memory a request takes up without its Exchange, in bytes.
func (c *Call) size() int64 {
	return int64(callBytes + len(c.ID) + len(c.Method) + len(c.Path) + len(c.Traceparent))
}

// dropExchange forgets the oldest exchange. There are fewer of them than calls, so that its call
// is remembered still.
func (l *CallLog) dropExchange() {
	back := int(l.base + l.count - l.exchanges[0]) // how many calls came after it
	at := &l.calls[(l.first+len(l.calls)-1-back)%len(l.calls)]
	l.held -= at.Exchange.size()
	at.Exchange = nil
	l.exchanges = l.exchanges[1:]
}

// Shortens reports whether there is something that Shorten forgets.
func (c *Client) Shortens() bool {
	f := c.faults.Load()
	return c.Calls.shortens() || f != nil && f.shortens()
}

// Shorten forgets older requests and faults.
func (c *Client) Shorten() {
	c.memory.Bytes.Add(-c.Calls.shorten())
	if f := c.faults.Load(); f != nil {
		f.shorten(false)
	}
}

// shortens reports whether there is something that shorten forgets.
func (l *CallLog) shortens() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.calls) > spared || l.held > 0
}

// shorten forgets all exchanges and the older half of the requests, and returns how many bytes
// that makes free.
func (l *CallLog) shorten() int64 {
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

// Forget counts out the requests and faults of a sandbox that was deleted.
func (c *Client) Forget() {
	if f := c.faults.Load(); f != nil {
		f.shorten(true)
	}
	l := &c.Calls
	l.mu.Lock()
	defer l.mu.Unlock()
	c.memory.Bytes.Add(-l.rows - l.held)
	l.calls, l.first, l.exchanges, l.held, l.rows = nil, 0, nil, 0, 0
}

// All returns the remembered requests, oldest first, and the ordinal of the
// newest.
func (l *CallLog) All() (calls []Call, newest uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Concat(l.calls[l.first:], l.calls[:l.first]), l.base + l.count
}

// After returns the oldest remembered request after an ordinal, and false when there is none.
func (l *CallLog) After(ordinal uint64) (c Call, ok bool) {
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

// Since returns the remembered requests after a moment, oldest first, and the ordinal of the newest of all.
func (l *CallLog) Since(at moment.Instant) (calls []Call, newest uint64) {
	calls, newest = l.All()
	return slices.DeleteFunc(calls, func(c Call) bool { return c.At <= at }), newest
}
