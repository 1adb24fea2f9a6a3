package server

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/pires/go-proxyproto"

	"platen/internal/edge/network"
)

const (
	// crowdedPercent of all places taken is when idle connections give way to
	// newcomers (contract: OPEN.CONN.IDLE).
	crowdedPercent = 90
	// cutTime is how long a request that gave way has for its response.
	cutTime = time.Second
	// freshTime is how long a connection that waits for a request is kept while there still are
	// free places, or requests that have been coming for long, so that newcomers do not drive
	// each other out before they have sent anything.
	freshTime = time.Second
	// stuckTime is how long a connection is kept that does not send or read, when all places or all memory are taken: a
	// request that is read by a busy server must not look like one that does not arrive.
	stuckTime = time.Second / 4
	// fewPart is the part of all places that a block may have and still be one with few.
	fewPart = 128
)

// connectionLimits bound the open connections of a listener.
type connectionLimits struct {
	// total is the most connections, group the most of one network group and block of
	// one block of groups, 0 for no limit.
	total, group, block int
	// network finds the groups and blocks; it may be nil when both are 0.
	network *network.Rules
	// late is set when an address is known only after the first bytes were read,
	// as with the PROXY protocol.
	late bool
	// ended, if there is one, counts a connection that was closed for a reason.
	ended func(reason string)
	// busy, if there is one, reports whether more goroutines are ready to run than the processors get through soon.
	busy func(more int) bool
	// full, if there is one, is called when all places are taken by requests, once until there is room. It is told for
	// which reason others are closed, "" while newcomers wait.
	full func(reason string)
}

// Reasons for which the server closes a connection early.
const (
	groupFull  = "network"
	blockFull  = "block"
	gaveWay    = "idle"
	requestCut = "incomplete"
	unread     = "unread"
)

// limitListener keeps three rules.
//
// How many places: each connection has one, and each network group and block no more
// than its share of them (contract: OPEN.CONN.GROUP, OPEN.CONN.BLOCK). A connection above that
// share is closed before anything is read from it. The last tenth of the places is for blocks that have few
// (contract: OPEN.CONN.RESERVE). Held responses have half of the places at most (message.Held).
//
// By when: net/http closes a connection whose head, body or response takes too long, or that is idle for too long.
//
// Who gives way to a newcomer: when nearly all places are taken, the connection that has waited longest for a request
// (contract: OPEN.CONN.IDLE); when all are taken, the one whose request has been coming longest (contract:
// OPEN.CONN.INCOMPLETE), then the one whose client has not read its response for longest (contract: OPEN.CONN.STUCK).
// Those two also give way to a request that waits for its share of the memory (shares). Newcomers wait in
// newcomers, and those of the block that has fewest come first. While the processors are busy only blocks that have few
// get more: all requests under way share the processors alike, however many a block has sent.
//
// Connections of this machine, of trusted proxies and of peers without an
// address count for no group: behind each of these are many clients. The total
// is their only bound.
type limitListener struct {
	net.Listener
	limits connectionLimits

	// receiving is whether connections are received already.
	receiving sync.Once

	mu sync.Mutex // guards the fields below and those of connections that say so
	// changed is told when there is something to accept, and when there may be room for a newcomer.
	changed *sync.Cond
	closed  bool
	taken   int
	newcomers
	// spell is set from the moment that all places were taken until there is room again.
	spell bool
	// shares counts the connections of groups and of blocks.
	shares map[share]int
	// waiting are the connections that have sent nothing yet, resting those between two requests, coming those of whose
	// request a part has come, and busy those whose request is there, the longest first.
	waiting, resting, coming, busy *list.List
}

// share names a group, or a block of groups, that a connection counts for.
type share struct {
	prefix netip.Prefix
	block  bool
}

func limitConnections(l net.Listener, limits connectionLimits) *limitListener {
	limited := &limitListener{
		Listener: l, limits: limits, shares: map[share]int{}, newcomers: newcomers{of: map[share][]*limitConn{}},
		waiting: list.New(), resting: list.New(), coming: list.New(), busy: list.New(),
	}
	limited.changed = sync.NewCond(&limited.mu)
	return limited
}

// Close implements net.Listener.
func (l *limitListener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.dismiss()
	l.mu.Unlock()
	l.changed.Broadcast()
	return l.Listener.Close() //nolint:wrapcheck // net/http looks at it
}

// open is the number of open connections.
func (l *limitListener) open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

// place gives a connection its place, for which another one may be closed. It is false when there is none: all have
// a whole request under way that makes progress. The lock is held.
func (l *limitListener) place(c *limitConn) bool {
	places := l.limits.total
	if !l.few(c) {
		places = l.taking()
	}
	other := l.givesWay(places, l.few(c))
	if l.taken >= places && other == nil {
		l.reportFull("")
		return false
	}
	if other != nil {
		if l.taken >= places && !l.idle(other) {
			reason := unread
			if other.list == l.coming {
				reason = requestCut
			}
			l.reportFull(reason)
		}
		l.cut(other)
	}
	l.taken++
	c.placed = true
	l.move(c, l.waiting)
	return true
}

// few reports whether the block of a connection has so few that they may have the last places. The lock is held.
func (l *limitListener) few(c *limitConn) bool {
	const atLeast = 4
	return l.shares[c.home()] <= max(l.limits.total/fewPart, atLeast)
}

// taking is the number of places from which on idle connections give way, and others are for blocks with few.
func (l *limitListener) taking() int {
	const whole = 100
	return (l.limits.total*crowdedPercent + whole - 1) / whole
}

// cut closes a connection that gives way. The lock is held.
func (l *limitListener) cut(c *limitConn) {
	from := c.list
	l.release(c)
	switch from {
	case l.coming: // the handler sees a body that does not come, and has a moment for the response
		_ = c.Conn.SetReadDeadline(time.Now())
		time.AfterFunc(cutTime, func() { _ = c.Conn.Close() })
		l.end(requestCut)
	case l.waiting, l.resting:
		c.abandoned.Store(c.abandoned.Load() || isPending(c.Conn))
		_ = c.hangUp() // its own goroutine sees the end
		l.end(gaveWay)
	default:
		c.abandoned.Store(true)
		_ = c.hangUp()
		l.end(unread)
	}
}

func isPending(c net.Conn) bool {
	tcp := tcpOf(c)
	return tcp != nil && pending(tcp)
}

// tcpOf is the connection of the kernel below, nil in a test without one.
func tcpOf(c net.Conn) *net.TCPConn {
	switch of := c.(type) {
	case *net.TCPConn:
		return of
	case *envelopeConn:
		return tcpOf(of.Conn)
	case *proxyproto.Conn:
		return tcpOf(of.Raw())
	}
	return nil
}

// reportFull reports that all places are taken, once until there is room, and the reason why others are closed, ""
// while newcomers wait. The lock is held.
func (l *limitListener) reportFull(reason string) {
	if !l.spell && l.limits.full != nil {
		l.limits.full(reason)
	}
	l.spell = true
}

// crowded reports whether so many places are taken that idle connections give way. The lock is held.
func (l *limitListener) crowded() bool {
	return l.taken >= l.taking()
}

// givesWay is the connection to close for a newcomer, nil for none: one of a block that has many, and if there is none,
// any, but for a newcomer of a block with many only one that has been idle for long. places are those that the newcomer
// may have, and few is whether its block has few. The lock is held.
func (l *limitListener) givesWay(places int, few bool) *limitConn {
	if !l.crowded() {
		return nil
	}
	if c := l.longest(places, true, func(c *limitConn) bool { return !l.few(c) }); c != nil {
		return c
	}
	return l.longest(places, few, func(*limitConn) bool { return true })
}

// longest is, of the connections that are asked for, the one that has waited longest for a request. Where that is young
// itself, there is no other place and any may be closed, it is one that was served, then the one whose request has been
// coming for long, or whose response is not read. The lock is held.
func (l *limitListener) longest(places int, anyOne bool, asked func(c *limitConn) bool) *limitConn {
	idle, resting := l.firstIdle(l.waiting, asked), l.firstIdle(l.resting, asked)
	if idle == nil || resting != nil && resting.since.Before(idle.since) {
		idle = resting
	}
	switch {
	case idle != nil && time.Since(idle.since) >= freshTime:
		return idle
	case l.taken < places || !anyOne:
		return nil
	case resting != nil: // it was served
		return resting
	}
	if c := l.stuck(asked); c != nil {
		return c
	}
	if idle != nil && time.Since(idle.since) >= stuckTime {
		return idle
	}
	return nil
}

// idle reports whether a connection is between two requests, or before the first. The lock is held.
func (l *limitListener) idle(c *limitConn) bool { return c.list == l.waiting || c.list == l.resting }

// stuck is the connection that makes no progress for longest, of those that are asked for, nil for none: its request
// does not arrive, or its client does not read. The lock is held.
func (l *limitListener) stuck(asked func(c *limitConn) bool) *limitConn {
	for at := l.coming.Front(); at != nil; at = at.Next() {
		c := at.Value.(*limitConn) //nolint:forcetypeassert // move puts nothing else in
		if time.Since(c.since) < stuckTime {
			break
		}
		if asked(c) {
			return c
		}
	}
	var longest *limitConn
	now := time.Now().UnixNano()
	for at := l.busy.Front(); at != nil; at = at.Next() {
		c := at.Value.(*limitConn) //nolint:forcetypeassert // as above
		began := c.writing.Load()
		if began > 0 && now-began >= int64(stuckTime) && asked(c) &&
			(longest == nil || began < longest.writing.Load()) {
			longest = c
		}
	}
	return longest
}

// firstIdle is the first connection of a list that is asked for and that waits for its client, nil for none. One whose
// request the kernel has already is coming: the server is busy, not the client. The lock is held.
func (l *limitListener) firstIdle(from *list.List, asked func(c *limitConn) bool) *limitConn {
	for at := from.Front(); at != nil; {
		c := at.Value.(*limitConn) //nolint:forcetypeassert // move puts nothing else in
		at = at.Next()
		if !c.reading.Load() || !asked(c) {
			continue
		}
		if tcp := tcpOf(c.Conn); tcp == nil || !arrived(tcp) {
			return c
		}
		l.move(c, l.coming)
	}
	return nil
}

// join counts a connection for its network group and block, or says which of them has its share already. The lock is
// held.
func (l *limitListener) join(c *limitConn, peer string) (full string) {
	if l.limits.group == 0 {
		return ""
	}
	group := l.limits.network.Group(peer, nil)
	if !group.IsValid() || network.Loopback(group) || l.limits.network.Trusts(peer) {
		return ""
	}
	shares := []share{{prefix: group}}
	if block := l.limits.network.Block(group); block.IsValid() && l.limits.block > 0 {
		shares = append(shares, share{prefix: block, block: true})
	}
	if full = l.fullShare(shares); full != "" {
		return full
	}
	c.shares = shares
	for _, s := range shares {
		l.shares[s]++
	}
	return ""
}

// fullShare is the reason why there is no place within some shares, "" for none. The lock is held.
func (l *limitListener) fullShare(shares []share) (reason string) {
	for _, s := range shares {
		switch {
		case s.block && l.shares[s] >= l.limits.block:
			return blockFull
		case !s.block && l.shares[s] >= l.limits.group:
			return groupFull
		}
	}
	return ""
}

func (l *limitListener) end(reason string) {
	if l.limits.ended != nil {
		l.limits.ended(reason)
	}
}

// note follows the states of a connection, as http.Server tells them.
func (l *limitListener) note(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*limitConn)
	if !ok || state == http.StateNew { // Accept has noted it
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case state == http.StateIdle:
		l.rest(c)
	case l.idle(c):
		l.move(c, l.busy)
	}
}

// rest lists a connection as one between two requests. The lock is held.
func (l *limitListener) rest(c *limitConn) {
	if l.move(c, l.resting) {
		l.admit()
	}
}

// lingers lists a connection that is about to close as the first that gives way.
func (l *limitListener) lingers(c *limitConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rest(c); c.list != nil {
		c.since = time.Time{}
		l.resting.MoveToFront(c.place)
	}
}

// move puts a connection at the end of a list, nil for none, and reports whether it still had
// a place. The lock is held.
func (l *limitListener) move(c *limitConn, to *list.List) (placed bool) {
	if c.list != nil {
		c.list.Remove(c.place)
	}
	c.list, c.place = nil, nil
	if to != nil && !c.released {
		c.since = time.Now()
		c.list, c.place = to, to.PushBack(c)
	}
	c.waits.Store(c.list != nil && l.idle(c))
	return !c.released
}

// release takes a connection out of all counts, once. The lock is held.
func (l *limitListener) release(c *limitConn) {
	if c.released {
		return
	}
	c.released = true
	l.move(c, nil)
	if c.placed {
		l.taken--
	}
	l.spell = l.spell && l.crowded()
	for _, s := range c.shares {
		if l.shares[s]--; l.shares[s] == 0 {
			delete(l.shares, s)
		}
	}
}
