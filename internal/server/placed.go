package server

import (
	"container/list"
	"net"
	"sync/atomic"
	"time"
)

// limitConn is a connection with a place.
type limitConn struct {
	net.Conn
	listener *limitListener
	// waits is whether it has no request under way, and reading whether the server has begun to read, for those who do
	// not hold the lock.
	waits, reading atomic.Bool
	// writing is when the write under way began, in nanoseconds since 1970, 0 for none. shared is set while its request
	// holds a share of the memory.
	writing atomic.Int64
	shared  atomic.Bool
	// abandoned is set when its client has not read what was sent.
	abandoned atomic.Bool
	// opened is when the connection came, and silent is set until its first byte. silence is how long that took, until
	// the time for the first request has been moved by it.
	opened  time.Time
	silent  atomic.Bool
	silence atomic.Int64

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

// home is the block of a connection, or its network group where there is none, and the zero share of one that counts
// for no group. The listener's lock is held.
func (c *limitConn) home() share {
	if len(c.shares) == 0 {
		return share{}
	}
	return c.shares[len(c.shares)-1]
}

// Read implements net.Conn. With its first byte a request is coming.
func (c *limitConn) Read(b []byte) (int, error) {
	if !c.reading.Load() {
		c.listener.mu.Lock()
		c.reading.Store(true)
		c.listener.move(c, c.list) // it waits for its client from now on
		c.listener.mu.Unlock()
	}
	n, err := c.Conn.Read(b)
	if n > 0 && c.silent.Load() {
		c.begin()
	}
	if n > 0 && c.waits.Load() {
		c.listener.mu.Lock()
		c.listener.move(c, c.listener.coming)
		c.listener.mu.Unlock()
	}
	return n, err //nolint:wrapcheck // net/http looks at it
}

// begin starts the time for the first request.
func (c *limitConn) begin() {
	c.silence.Store(int64(time.Since(c.opened)))
	c.silent.Store(false)
	_ = c.Conn.SetReadDeadline(time.Now().Add(headerTimeout)) // a connection has one
}

// SetReadDeadline implements net.Conn. Until its first byte a connection is as idle as one between two requests
// (contract: OPEN.CONN.SILENT): clients open more than they need, and keep those for later. net/http counts the time
// for the first request from when the connection came.
func (c *limitConn) SetReadDeadline(t time.Time) error {
	switch {
	case c.silent.Load() && t.After(c.opened):
		t = c.opened.Add(idleTimeout)
	case !t.IsZero():
		t = t.Add(time.Duration(c.silence.Swap(0)))
	}
	return c.Conn.SetReadDeadline(t) //nolint:wrapcheck // net/http looks at it
}

// Write implements net.Conn.
func (c *limitConn) Write(b []byte) (int, error) {
	c.writing.Store(time.Now().UnixNano())
	defer c.writing.Store(0)
	n, err := c.Conn.Write(b)
	if err != nil {
		c.abandoned.Store(true)
	}
	return n, err //nolint:wrapcheck // net/http looks at it
}

// Close implements net.Conn.
func (c *limitConn) Close() error {
	l := c.listener
	l.mu.Lock()
	l.release(c)
	l.admit()
	l.mu.Unlock()
	return c.hangUp()
}

// hangUp closes the connection. What an abandoned one still has for its client goes with it: the kernel would keep that
// for minutes.
func (c *limitConn) hangUp() error {
	if tcp := tcpOf(c.Conn); tcp != nil && c.abandoned.Load() {
		_ = tcp.SetLinger(0)
	}
	return c.Conn.Close() //nolint:wrapcheck // net/http looks at it
}
