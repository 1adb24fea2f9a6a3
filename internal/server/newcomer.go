package server

import (
	"errors"
	"net"
	"time"
)

// newcomers are the connections that have no place yet. The listener's lock guards them.
type newcomers struct {
	// unknown are those whose address has not come yet, with the PROXY protocol, the oldest first.
	unknown []*limitConn
	// of are those that wait for a place, by their block, the oldest first, and queued is how many they are.
	of     map[share][]*limitConn
	queued int
	// watched is set while someone looks from time to time for connections that have become stuck.
	watched bool
	// ready are those that Accept returns, in this order.
	ready []accepted
}

// accepted is a connection that has its place, or the error of accepting one.
type accepted struct {
	conn *limitConn
	err  error
}

// Accept implements net.Listener.
func (l *limitListener) Accept() (net.Conn, error) {
	l.receiving.Do(func() { go l.receive() })
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.ready) == 0 && !l.closed {
		l.changed.Wait()
	}
	if l.closed {
		return nil, net.ErrClosed
	}
	next := l.ready[0]
	if l.ready = l.ready[1:]; len(l.ready) == 0 {
		l.ready = nil
		l.changed.Broadcast() // after an error the next one is received
	}
	if next.err != nil {
		return nil, next.err //nolint:wrapcheck // net/http looks at it
	}
	return next.conn, nil
}

// receive takes connections from the listener below as they come, so that none waits behind others.
func (l *limitListener) receive() {
	for {
		l.pause()
		inner, err := l.Listener.Accept()
		if err != nil {
			if l.fail(err); errors.Is(err, net.ErrClosed) {
				return
			}
			continue
		}
		now := time.Now()
		c := &limitConn{Conn: inner, listener: l, since: now, opened: now}
		c.silent.Store(true)
		if !l.limits.late {
			l.arrive(c)
			continue
		}
		l.ask(c)
		go func() {
			c.Conn.RemoteAddr() // it waits for the header
			l.arrive(c)
		}()
	}
}

// pause waits while as many newcomers wait as there are places, and most of them count for no group: behind these are
// many clients, so none is turned away.
func (l *limitListener) pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.queued >= l.limits.total && l.longestQueue() == (share{}) && !l.closed {
		l.changed.Wait()
	}
}

// fail has Accept return an error, and waits until it has.
func (l *limitListener) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready = append(l.ready, accepted{err: err})
	l.changed.Broadcast()
	for len(l.ready) > 0 && !l.closed {
		l.changed.Wait()
	}
}

// ask keeps a connection until its address is known. When there are as many as places, the oldest is closed: a proxy
// sends the address at once.
func (l *limitListener) ask(c *limitConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unknown = append(l.unknown, c)
	for len(l.unknown) > l.limits.total && !l.closed {
		oldest := l.unknown[0]
		if rest := stuckTime - time.Since(oldest.since); rest > 0 {
			l.mu.Unlock()
			<-time.After(rest)
			l.mu.Lock()
			continue
		}
		l.unknown = l.unknown[1:]
		l.turnAway(oldest, requestCut)
	}
}

// arrive gives a connection whose address is known its place, or has it wait for one.
func (l *limitListener) arrive(c *limitConn) {
	peer := c.Conn.RemoteAddr().String()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known(c)
	if l.closed || c.released { // it counts for no network any more
		l.turnAway(c, "")
		return
	}
	if full := l.join(c, peer); full != "" {
		l.turnAway(c, full)
		return
	}
	l.of[c.home()] = append(l.of[c.home()], c)
	l.queued++
	l.admit()
	if home := l.longestQueue(); l.queued > l.limits.total && home != (share{}) {
		queue := l.of[home]
		last := queue[len(queue)-1]
		l.leave(home, queue[:len(queue)-1])
		l.turnAway(last, blockFull)
	}
}

// known takes a connection from those whose address has not come. The lock is held.
func (l *limitListener) known(c *limitConn) {
	for i, other := range l.unknown {
		if other == c {
			l.unknown = append(l.unknown[:i], l.unknown[i+1:]...)
			return
		}
	}
}

// turnAway closes a newcomer, for a reason or for "". The lock is held.
func (l *limitListener) turnAway(c *limitConn, reason string) {
	l.release(c)
	_ = c.hangUp() // its client sees the end
	if reason != "" {
		l.end(reason)
	}
}

// admit gives newcomers places while there are some, first those of the block that has fewest. The lock is held.
func (l *limitListener) admit() {
	if l.queued == 0 {
		return
	}
	before := l.queued
	for l.queued > 0 && !l.closed {
		home := l.fewest()
		queue := l.of[home]
		if !l.few(queue[0]) && l.limits.busy != nil && l.limits.busy(len(l.ready)) || !l.place(queue[0]) {
			break
		}
		l.ready = append(l.ready, accepted{conn: queue[0]})
		l.leave(home, queue[1:])
	}
	if l.queued < before {
		l.changed.Broadcast()
	}
	l.watch()
}

// watch looks again soon while newcomers wait: a connection may be stuck by then. The lock is held.
func (l *limitListener) watch() {
	const looks = 25
	if l.watched || l.queued == 0 || l.closed {
		return
	}
	l.watched = true
	time.AfterFunc(stuckTime/looks, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.watched = false
		l.admit()
	})
}

// leave sets those that still wait of a block, one less than before. The lock is held.
func (l *limitListener) leave(home share, rest []*limitConn) {
	l.queued--
	if l.of[home] = rest; len(rest) == 0 {
		delete(l.of, home)
	}
}

// fewest is the block with the fewest connections, of those whose newcomers wait. The lock is held.
func (l *limitListener) fewest() (home share) {
	found := false
	for s := range l.of {
		if !found || l.shares[s] < l.shares[home] {
			home, found = s, true
		}
	}
	return home
}

// longestQueue is the block of which most newcomers wait. The lock is held.
func (l *limitListener) longestQueue() (home share) {
	for s, queue := range l.of {
		if len(queue) > len(l.of[home]) {
			home = s
		}
	}
	return home
}

// dismiss closes the newcomers of a listener that is closed. The lock is held.
func (l *limitListener) dismiss() {
	all := l.unknown
	for _, queue := range l.of {
		all = append(all, queue...)
	}
	for _, next := range l.ready {
		if next.conn != nil {
			all = append(all, next.conn)
		}
	}
	l.newcomers = newcomers{of: map[share][]*limitConn{}, watched: l.watched}
	for _, c := range all {
		l.turnAway(c, "")
	}
}
