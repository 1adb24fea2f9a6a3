package server

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/network"
	"platen/internal/ratelimit"
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
	// full, if there is one, is called when all places are taken by requests, once until there is room.
	full func()
}

// Reasons for which the server closes a connection early.
const (
	groupFull  = "network"
	blockFull  = "block"
	gaveWay    = "idle"
	requestCut = "incomplete"
)

// limitListener gives each connection a place, and each network group and block no more
// than its share of them (contract: OPEN.CONN.GROUP, OPEN.CONN.BLOCK). A connection above that
// share is closed before anything is read from it. When nearly all places are taken, those that have
// waited longest for a request are closed for newcomers; when all are taken, the one whose request
// has been coming longest (contract: OPEN.CONN.INCOMPLETE). When all requests have come whole, newcomers wait.
//
// Connections of this machine, of trusted proxies and of peers without an
// address count for no group: behind each of these are many clients. The total
// is their only bound.
type limitListener struct {
	net.Listener
	limits connectionLimits

	mu sync.Mutex // guards the fields below and those of connections that say so
	// changed is signalled when there may be a place.
	changed *sync.Cond
	closed  bool
	taken   int
	// spell is set from the moment that all places were taken until there is room again.
	spell bool
	// shares counts the connections of groups and of blocks.
	shares map[share]int
	// waiting are the connections without a request, coming those of whose request a part has
	// come, the longest first.
	waiting, coming *list.List
}

// share names a group, or a block of groups, that a connection counts for.
type share struct {
	prefix netip.Prefix
	block  bool
}

func limitConnections(l net.Listener, limits connectionLimits) *limitListener {
	limited := &limitListener{Listener: l, limits: limits, shares: map[share]int{}, waiting: list.New(),
		coming: list.New()}
	limited.changed = sync.NewCond(&limited.mu)
	return limited
}

// Accept implements net.Listener.
func (l *limitListener) Accept() (net.Conn, error) {
	for {
		inner, err := l.Listener.Accept()
		if err != nil {
			return nil, err //nolint:wrapcheck // net/http looks at it
		}
		c := &limitConn{Conn: inner, listener: l, since: time.Now()}
		if !l.limits.late && !l.join(c) {
			continue
		}
		if !l.enter(c) {
			_ = c.Close() // nobody waits for it
			return nil, net.ErrClosed
		}
		return c, nil
	}
}

// Close implements net.Listener.
func (l *limitListener) Close() error {
	l.mu.Lock()
	l.closed = true
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

// enter gives a connection its place, for which another one may be closed. It
// waits while all have a whole request under way; ok is false when the listener was
// closed.
func (l *limitListener) enter(c *limitConn) (ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for !l.closed && l.taken >= l.limits.total && l.waiting.Len() == 0 && l.coming.Len() == 0 {
		l.reportFull()
		l.changed.Wait()
	}
	if l.closed {
		return false
	}
	switch other := l.givesWay(); {
	case other == nil:
	case other.list == l.coming:
		l.reportFull()
		l.release(other)
		// The handler sees a body that does not come, and has a moment for the response.
		_ = other.Conn.SetReadDeadline(time.Now())
		time.AfterFunc(cutTime, func() { _ = other.Conn.Close() })
		l.end(requestCut)
	default:
		l.release(other)
		_ = other.Conn.Close() // its own goroutine sees the end
		l.end(gaveWay)
	}
	l.taken++
	c.placed = true
	l.move(c, l.waiting)
	return true
}

// reportFull reports that all places are taken, once until there is room. The lock is held.
func (l *limitListener) reportFull() {
	if !l.spell && l.limits.full != nil {
		l.limits.full()
	}
	l.spell = true
}

// crowded reports whether so many places are taken that idle connections give way. The lock is held.
func (l *limitListener) crowded() bool {
	const whole = 100
	return l.taken*whole >= l.limits.total*crowdedPercent
}

// givesWay is the connection to close for a newcomer, nil for none: the one that
// has waited longest for a request, or when that is young itself and there is no other place,
// the one whose request has been coming longest. The lock is held.
func (l *limitListener) givesWay() *limitConn {
	if !l.crowded() {
		return nil
	}
	idle, coming := first(l.waiting), first(l.coming)
	switch {
	case idle != nil && time.Since(idle.since) >= freshTime:
		return idle
	case l.taken < l.limits.total:
		return nil
	case coming != nil:
		return coming
	}
	return idle
}

func first(l *list.List) *limitConn {
	if l.Len() == 0 {
		return nil
	}
	return l.Front().Value.(*limitConn) //nolint:forcetypeassert // move puts nothing else in
}

// join counts a connection for its network group and block, or closes it when one of them
// has its share already.
func (l *limitListener) join(c *limitConn) bool {
	if l.limits.group == 0 {
		return true
	}
	peer := c.Conn.RemoteAddr().String()
	group := l.limits.network.Group(peer, nil)
	if !group.IsValid() || ratelimit.Spared(group) || l.limits.network.Trusts(peer) {
		return true
	}
	shares := []share{{prefix: group}}
	if block := l.limits.network.Block(group); block.IsValid() && l.limits.block > 0 {
		shares = append(shares, share{prefix: block, block: true})
	}
	l.mu.Lock()
	full := l.fullShare(shares)
	if full == "" && !c.released {
		c.shares = shares
		for _, s := range shares {
			l.shares[s]++
		}
	}
	l.mu.Unlock()
	if full != "" {
		_ = c.Close() // its client sees the end
		l.end(full)
	}
	return full == ""
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
	case c.list == l.waiting:
		l.move(c, nil)
	}
}

// rest lists a connection as one that waits. The lock is held.
func (l *limitListener) rest(c *limitConn) {
	if l.move(c, l.waiting) {
		l.changed.Signal()
	}
}

// lingers lists a connection that is about to close as the first that gives way.
func (l *limitListener) lingers(c *limitConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rest(c); c.list != nil {
		c.since = time.Time{}
		l.waiting.MoveToFront(c.place)
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
	c.waits.Store(c.list == l.waiting)
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
	l.changed.Signal()
}

// limitConn is a connection with a place.
type limitConn struct {
	net.Conn
	listener *limitListener
	// joined counts the connection for its group, once its address is known.
	joined sync.Once
	// waits is whether it is in the list of those that wait, for those who do not hold the lock.
	waits atomic.Bool

	// The listener's lock guards the fields below.
	// list is the one that it is in, nil for none, place its place in it, since when it came there.
	list  *list.List
	place *list.Element
	since time.Time
	// shares are those that it counts for.
	shares []share
	// placed and released are whether it has, and whether it had, a place.
	placed, released bool
}

// RemoteAddr implements net.Conn. With the PROXY protocol it waits for the
// address; http.Server asks for it before anything else.
func (c *limitConn) RemoteAddr() net.Addr {
	address := c.Conn.RemoteAddr()
	if c.listener.limits.late {
		c.joined.Do(func() { c.listener.join(c) })
	}
	return address
}

// Read implements net.Conn. With its first byte a request is coming.
func (c *limitConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && c.waits.Load() {
		c.listener.mu.Lock()
		c.listener.move(c, c.listener.coming)
		c.listener.mu.Unlock()
	}
	return n, err //nolint:wrapcheck // net/http looks at it
}

// Close implements net.Conn.
func (c *limitConn) Close() error {
	l := c.listener
	l.mu.Lock()
	l.release(c)
	l.mu.Unlock()
	return c.Conn.Close() //nolint:wrapcheck // net/http looks at it
}
