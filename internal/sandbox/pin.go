package sandbox

import (
	"sync"

	"platen/internal/company/sim"
	"platen/internal/sandbox/apikey"
)

// pins are the states that reads of the keys of Head Office and of the Factory show for a while. They are in the
// process only.
type pins struct {
	mu     sync.Mutex // guards the field below
	pinned [2]pin
}

// pin is a state that reads of a key show for a while.
type pin struct {
	view *View
	left int
}

const (
	// maxStaleMinutes is how far behind a stale read is at most, in working minutes.
	maxStaleMinutes sim.Minute = 60
	// maxStaleReads is how many reads of a key are stale in a row at most.
	maxStaleReads = 20
)

func keyNumber(system apikey.System) int {
	if system == apikey.Factory {
		return 1
	}
	return 0
}

// Pin lets the reads of a key show a state for a while.
func (s *Sandbox) Pin(system apikey.System, v *View) {
	s.pins.mu.Lock()
	defer s.pins.mu.Unlock()
	s.pins.pinned[keyNumber(system)] = pin{v, maxStaleReads}
}

// Unpin ends that: the key has written.
func (s *Sandbox) Unpin(system apikey.System) {
	s.pins.mu.Lock()
	defer s.pins.mu.Unlock()
	s.pins.pinned[keyNumber(system)] = pin{}
}

// Pinned returns the state that a read of a key shows in place of the present one, and whether
// it is another one.
func (s *Sandbox) Pinned(system apikey.System, v *View) (shown *View, stale bool) {
	s.pins.mu.Lock()
	defer s.pins.mu.Unlock()
	p := &s.pins.pinned[keyNumber(system)]
	if p.view == nil {
		return v, false
	}
	if p.left--; p.left < 0 || v.Summary.Now-p.view.Summary.Now > maxStaleMinutes {
		*p = pin{}
		return v, false
	}
	return p.view, p.view.Version != v.Version
}
