package sim

import (
	"cmp"
	"slices"
)

// Class orders the timers due at the same minute: the steps of a day's
// protocol.
type Class uint8

// Timer is a future step. Timers are data: they are stored and restored as they
// are, and their kind decides their effect.
type Timer struct {
	Due   Minute `json:"due"`
	Class Class  `json:"class"`
	// Sequence is given by the schedule and orders timers of one class and
	// minute by when they were set.
	Sequence uint64 `json:"sequence"`
	Kind     string `json:"kind"`
	// Ref names the record that the timer is about, Index any further number
	// that it needs.
	Ref   string `json:"ref"`
	Index int64  `json:"index"`
}

func (t Timer) compare(u Timer) int {
	return cmp.Or(cmp.Compare(t.Due, u.Due), cmp.Compare(t.Class, u.Class), cmp.Compare(t.Sequence, u.Sequence))
}

// Schedule holds timers ordered by due minute, class and sequence. It notes the
// timers set and fired since the last call of Taken, so that a commit can store
// the difference.
type Schedule struct {
	// heap is a binary heap by compare.
	heap  []Timer
	next  uint64
	set   []Timer
	fired []uint64
}

// NewSchedule returns a schedule of timers as they were stored, in any order.
// next is the sequence number of the next timer to be set.
func NewSchedule(timers []Timer, next uint64) *Schedule {
	heap := slices.Clone(timers)
	slices.SortFunc(heap, Timer.compare) // a sorted slice is a heap
	return &Schedule{heap: heap, next: next}
}

// Next returns the sequence number of the next timer to be set.
func (s *Schedule) Next() uint64 { return s.next }

// Len returns how many timers are waiting.
func (s *Schedule) Len() int { return len(s.heap) }

// Set adds a timer; its Sequence is overwritten.
func (s *Schedule) Set(t Timer) {
	t.Sequence = s.next
	s.next++
	s.set = append(s.set, t)
	s.heap = append(s.heap, t)
	s.up(len(s.heap) - 1)
}

// Peek returns the earliest timer.
func (s *Schedule) Peek() (Timer, bool) {
	if len(s.heap) == 0 {
		return Timer{}, false
	}
	return s.heap[0], true
}

// Pop removes and returns the earliest timer. It panics on an empty schedule.
func (s *Schedule) Pop() Timer {
	t := s.heap[0]
	last := len(s.heap) - 1
	s.heap[0] = s.heap[last]
	s.heap = s.heap[:last]
	s.down(0)
	s.fired = append(s.fired, t.Sequence)
	return t
}

// Waits reports whether a timer of a kind waits that is about a record.
func (s *Schedule) Waits(kind, ref string) bool {
	return slices.ContainsFunc(s.heap, func(t Timer) bool { return t.Kind == kind && t.Ref == ref })
}

// Withdraw removes the timers of a kind that are about a record, and returns them in
// their order.
func (s *Schedule) Withdraw(kind, ref string) []Timer {
	var withdrawn []Timer
	s.heap = slices.DeleteFunc(s.heap, func(t Timer) bool {
		if t.Kind != kind || t.Ref != ref {
			return false
		}
		withdrawn = append(withdrawn, t)
		s.fired = append(s.fired, t.Sequence)
		return true
	})
	slices.SortFunc(s.heap, Timer.compare) // a sorted slice is a heap
	slices.SortFunc(withdrawn, Timer.compare)
	return withdrawn
}

// Changed reports whether Taken has anything to return.
func (s *Schedule) Changed() bool { return len(s.set) > 0 || len(s.fired) > 0 }

// Sorted returns the waiting timers in their order.
func (s *Schedule) Sorted() []Timer {
	timers := slices.Clone(s.heap)
	slices.SortFunc(timers, Timer.compare)
	return timers
}

// Taken returns the timers set and fired since the last call. A timer that was
// both is in neither.
func (s *Schedule) Taken() (set []Timer, fired []uint64) {
	set, fired = s.set, s.fired
	s.set, s.fired = nil, nil
	if len(set) == 0 || len(fired) == 0 {
		return set, fired
	}
	first := set[0].Sequence
	gone := make(map[uint64]bool, len(fired))
	kept := fired[:0]
	for _, sequence := range fired {
		if sequence >= first {
			gone[sequence] = true
			continue
		}
		kept = append(kept, sequence)
	}
	set = slices.DeleteFunc(set, func(t Timer) bool { return gone[t.Sequence] })
	return set, kept
}

func (s *Schedule) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if s.heap[parent].compare(s.heap[i]) <= 0 {
			return
		}
		s.heap[parent], s.heap[i] = s.heap[i], s.heap[parent]
		i = parent
	}
}

func (s *Schedule) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.heap); child++ {
			if s.heap[child].compare(s.heap[least]) < 0 {
				least = child
			}
		}
		if least == i {
			return
		}
		s.heap[i], s.heap[least] = s.heap[least], s.heap[i]
		i = least
	}
}
