package sandbox_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"platen/internal/company/sim"
	"platen/internal/desk"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
)

func TestCallsAreBoundedAndInOrder(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	s := b.create(sim.Mode("manual"))
	var noting sync.WaitGroup
	for client := range 8 {
		noting.Go(func() {
			for i := range 100 {
				// the clock is set back
				s.Note(desk.Call{
					ID: fmt.Sprint(client, " ", i), At: moment.InstantOf(b.Now().Add(-time.Duration(i) * time.Second)),
				})
			}
		})
	}
	noting.Wait()
	calls, count := s.Client().Calls.All()
	if count != 800 || len(calls) != desk.MaxCalls {
		t.Fatalf("of %d calls %d are remembered", count, len(calls))
	}
	for i, c := range calls {
		if want := count - uint64(len(calls)) + uint64(i) + 1; c.Ordinal != want || i > 0 && c.At <= calls[i-1].At {
			t.Fatalf("call %d has the ordinal %d, want %d, and is of %s", i, c.Ordinal, want, c.At)
		}
	}
	// Of the bodies those of the newest are kept, as long as they are short together.
	text := make([]byte, desk.MaxExchangeBody)
	short := (&desk.Exchange{Request: text[:10]}).Kept(false)
	for range 2 * desk.MaxExchanges {
		s.Note(desk.Call{At: moment.InstantOf(b.Now()), Exchange: short})
	}
	if kept := exchanges(s); kept != desk.MaxExchanges {
		t.Errorf("of short bodies those of %d calls are kept", kept)
	}
	for range 2 * desk.MaxExchanges {
		long := desk.Exchange{Request: text, Response: slices.Clone(text)}
		s.Note(desk.Call{At: moment.InstantOf(b.Now()), Exchange: long.Kept(false)})
	}
	if kept := exchanges(s); kept < 20 || kept > 32 {
		t.Errorf("of long bodies those of %d calls are kept", kept)
	}
	_, count = s.Client().Calls.All()
	// Companies come and go from memory; what their clients sent stays.
	b.pass(6 * time.Minute)
	b.registry.Sweep(t.Context())
	b.view(s)
	if calls, _ := s.Client().Calls.All(); len(calls) != desk.MaxCalls {
		t.Errorf("after the company was loaded again %d calls are remembered", len(calls))
	}
	b.pass(lease)
	s.Note(desk.Call{At: moment.InstantOf(b.Now())})
	if _, now := s.Client().Calls.All(); now != count {
		t.Error("a call after the end is remembered")
	}
}

// exchanges counts the calls whose bodies are kept: they are the newest.
func exchanges(s *sandbox.Sandbox) (kept int) {
	calls, _ := s.Client().Calls.All()
	for i := range calls {
		if calls[i].Exchange != nil {
			kept++
		} else if kept > 0 {
			return -1
		}
	}
	return kept
}
