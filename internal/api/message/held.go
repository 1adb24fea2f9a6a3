package message

import (
	"container/list"
	"sync"
)

// Held are the responses that wait before anything of them is sent: for a fault's delay, for an event, for changes
// that a console shows, or for a place in the queue. When there are too many, the one held longest gives way: it is
// sent as it is (contract: OPEN.FEED.POLL, OPEN.FAULT.SLOW_RESPONSE).
type Held struct {
	most  int
	bytes int64

	mu sync.Mutex // guards the fields below
	// order has *hold, the one held longest first, size the bytes of all.
	order list.List
	size  int64
}

type hold struct {
	cut   chan struct{}
	bytes int64
}

// NewHeld holds at most so many responses, of so many bytes in all. A nil Held holds any number.
func NewHeld(most int, bytes int64) *Held { return &Held{most: most, bytes: bytes} }

// Hold notes that a response of a size is held, until end is called. Cut is closed when it has to give way.
func (h *Held) Hold(bytes int64) (cut <-chan struct{}, end func()) {
	if h == nil {
		return nil, func() {}
	}
	mine := &hold{make(chan struct{}), bytes}
	h.mu.Lock()
	defer h.mu.Unlock()
	at := h.order.PushBack(mine)
	for h.size += bytes; h.order.Len() > h.most || h.size > h.bytes && h.order.Len() > 1; {
		h.release(h.order.Front())
	}
	return mine.cut, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.release(at)
	}
}

// release lets a response go on, once. The lock is held.
func (h *Held) release(at *list.Element) {
	of := at.Value.(*hold) //nolint:forcetypeassert // Hold puts nothing else in
	select {
	case <-of.cut:
		return
	default:
	}
	close(of.cut)
	h.order.Remove(at)
	h.size -= of.bytes
}
