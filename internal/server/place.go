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
	// freshTime is how long a connection that waits for a request is kept while
	// there still are free places, so that newcomers do not drive each other out
	// before they have sent anything.
	freshTime = time.Second
)

// connectionLimits bound the open connections of a listener.
type connectionLimits struct {
	// total is the most connections, group the most of one network group, 0 for
	// no limit.
	total, group int
	// network finds the groups; it may be nil when group is 0.
	network *network.Rules
	// late is set when an address is known only after the first bytes were read,
	// as with the PROXY protocol.
	late bool
	// ended, if there is one, counts a connection that was closed for a reason.
	ended func(reason string)
}

// Reasons for which a connection is closed before its client wants it.
const (
	groupFull = "network"
	gaveWay   = "idle"
)

// limitListener gives each connection a place, and each network group no more
// than its share of them (contract: OPEN.CONN.GROUP). A connection above that
// share is closed before anything is read from it. When nearly all places are taken, those that have
// waited longest for a request are closed for newcomers. When all have a request
// under way, newcomers wait.
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
	groups  map[netip.Prefix]int
	// waiting are the connections without a request, the longest waiting first.
	waiting *list.List
}

func limitConnections(l net.Listener, limits connectionLimits) *limitListener {
	limited := &limitListener{Listener: l, limits: limits, groups: map[netip.Prefix]int{}, waiting: list.New()}
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
// waits while all have a request under way; ok is false when the listener was
// closed.
func (l *limitListener) enter(c *limitConn) (ok bool) {
	l.mu.Lock()
	for !l.closed && l.taken >= l.limits.total && l.waiting.Len() == 0 {
		l.changed.Wait()
	}
	if l.closed {
		l.mu.Unlock()
		return false
	}
	idle := l.givesWay()
	if idle != nil {
		l.release(idle)
	}
	l.taken++
	c.placed = true
	l.wait(c)
	l.mu.Unlock()
	if idle != nil {
		_ = idle.Conn.Close() // its own goroutine sees the end
		l.end(gaveWay)
	}
	return true
}

// givesWay is the connection to close for a newcomer, nil for none: the one that
// has waited longest for a request. The lock is held.
func (l *limitListener) givesWay() *limitConn {
	const whole = 100
	first := l.waiting.Front()
	if first == nil || l.taken*whole < l.limits.total*crowdedPercent {
		return nil
	}
	c := first.Value.(*limitConn) //nolint:forcetypeassert // wait puts nothing else in
	if l.taken < l.limits.total && time.Since(c.since) < freshTime {
		return nil
	}
	return c
}

// join counts a connection for its network group, or closes it when the group
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
	l.mu.Lock()
	full := l.groups[group] >= l.limits.group
	if !full && !c.released {
		l.groups[group]++
		c.group = group
	}
	l.mu.Unlock()
	if full {
		_ = c.Close() // its client sees the end
		l.end(groupFull)
	}
	return !full
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
	l.unwait(c)
	if state == http.StateIdle && !c.released {
		c.since = time.Now()
		l.wait(c)
		l.changed.Signal()
	}
}

// wait lists a connection as one without a request. The lock is held.
func (l *limitListener) wait(c *limitConn) {
	c.place = l.waiting.PushBack(c)
	c.waits.Store(true)
}

// unwait takes a connection from that list. The lock is held.
func (l *limitListener) unwait(c *limitConn) {
	if c.place != nil {
		l.waiting.Remove(c.place)
		c.place = nil
		c.waits.Store(false)
	}
}

// release takes a connection out of all counts, once. The lock is held.
func (l *limitListener) release(c *limitConn) {
	if c.released {
		return
	}
	c.released = true
	l.unwait(c)
	if c.placed {
		l.taken--
	}
	if c.group.IsValid() {
		if l.groups[c.group]--; l.groups[c.group] == 0 {
			delete(l.groups, c.group)
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
	// waits is whether place is set, for those who do not hold the lock.
	waits atomic.Bool

	// The listener's lock guards the fields below.
	// since is when it began to wait for a request, place its place in the list
	// of those that do.
	since time.Time
	place *list.Element
	// group is that which it counts for, the zero one for none.
	group netip.Prefix
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

// Read implements net.Conn. With its first byte a request is under way.
func (c *limitConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && c.waits.Load() {
		c.listener.mu.Lock()
		c.listener.unwait(c)
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
