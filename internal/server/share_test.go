package server

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestAShareIsWaitedForInTurn, also by a client that has closed its side for writing, whose context has ended.
func TestAShareIsWaitedForInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newShares(100)
		s.listener = limitConnections(newPipes(), connectionLimits{total: 1})
		first, err := s.Reserve(t.Context(), 1000) // no request needs more than all
		if err != nil {
			t.Fatal(err)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		served := make(chan func(), 1)
		go func() {
			release, err := s.Reserve(ended, 60)
			if err != nil {
				t.Error(err)
			}
			served <- release
		}()
		synctest.Wait()
		select {
		case <-served:
			t.Error("a share is given out twice")
		default:
		}
		first()
		(<-served)()
		if release, err := s.Reserve(t.Context(), 100); err != nil {
			t.Error("a share was not given back")
		} else {
			release()
		}
	})
}
