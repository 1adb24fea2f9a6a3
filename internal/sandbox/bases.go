package sandbox

import (
	"container/list"
	"sync"
)

// baseShare is the part of the memory that the states of which forks were made may take
// up.
const baseShare = 16

// bases are the states of which forks were made lately, as snapshots: a suite of tests
// forks the same one for each test. The least recently used go first.
type bases struct {
	limit int64

	mu    sync.Mutex                            // guards the fields below
	order list.List                             // of *keptBase, the newest first
	known map[string]map[ForkBase]*list.Element // by the id of the sandbox
	bytes int64
}

type keptBase struct {
	base ForkBase
	body []byte
}

func newBases(limit int64) *bases {
	return &bases{limit: limit, known: map[string]map[ForkBase]*list.Element{}}
}

// add keeps a state, unless it is known.
func (b *bases) add(base ForkBase, encode func() []byte) {
	_, _ = b.find(base, func() ([]byte, error) { return encode(), nil })
}

// find returns a state, from where it is read when it is not known.
func (b *bases) find(base ForkBase, read func() ([]byte, error)) ([]byte, error) {
	if body := b.get(base); body != nil {
		return body, nil
	}
	body, err := read()
	if err == nil {
		b.put(base, body)
	}
	return body, err
}

func (b *bases) get(base ForkBase) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.known[base.SandboxID][base]
	if e == nil {
		return nil
	}
	b.order.MoveToFront(e)
	kept, _ := e.Value.(*keptBase)
	return kept.body
}

// put keeps a state. One that is larger than all the room is not kept.
func (b *bases) put(base ForkBase, body []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.known[base.SandboxID]
	if known[base] != nil || int64(len(body)) > b.limit {
		return
	}
	if known == nil {
		known = map[ForkBase]*list.Element{}
		b.known[base.SandboxID] = known
	}
	known[base] = b.order.PushFront(&keptBase{base, body})
	b.bytes += int64(len(body))
	for b.bytes > b.limit {
		b.remove(b.order.Back())
	}
}

// drop forgets the states of a sandbox that is deleted: no fork begins with them any more.
func (b *bases) drop(sandboxID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.known[sandboxID] {
		b.remove(e)
	}
}

// remove forgets a state.
func (b *bases) remove(e *list.Element) {
	gone, _ := b.order.Remove(e).(*keptBase)
	known := b.known[gone.base.SandboxID]
	if delete(known, gone.base); len(known) == 0 {
		delete(b.known, gone.base.SandboxID)
	}
	b.bytes -= int64(len(gone.body))
}
