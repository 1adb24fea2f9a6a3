package server

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
)

// shares gives out the memory for responses under way. It implements message.Shares. While a request waits for it,
// those give way that hold a share and make no progress: clients that do not read, and requests that do not arrive.
type shares struct {
	all      *semaphore.Weighted
	most     int64
	listener *limitListener
}

func newShares(bytes int64) *shares { return &shares{all: semaphore.NewWeighted(bytes), most: bytes} }

// Reserve implements message.Shares. It waits for a client that has closed its side for writing, too, which looks like
// one that is gone and still reads.
func (s *shares) Reserve(ctx context.Context, bytes int64) (release func(), err error) {
	bytes = min(bytes, s.most)
	if !s.all.TryAcquire(bytes) {
		served := make(chan struct{})
		go s.urge(served)
		err = s.all.Acquire(context.WithoutCancel(ctx), bytes)
		close(served)
		if err != nil {
			return nil, err //nolint:wrapcheck // there is none without an end of the context
		}
	}
	c, ok := ctx.Value(connectionKey{}).(*limitConn)
	if ok {
		c.shared.Store(true)
	}
	return func() {
		if ok {
			c.shared.Store(false)
		}
		s.all.Release(bytes)
	}, nil
}

// urge has others give way until the request that waits is served.
func (s *shares) urge(served <-chan struct{}) {
	pause := time.NewTicker(stuckTime)
	defer pause.Stop()
	for {
		s.listener.giveWayWithShare()
		select {
		case <-served:
			return
		case <-pause.C:
		}
	}
}

// giveWayWithShare closes the connection that holds a share and has made no progress for longest.
func (l *limitListener) giveWayWithShare() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.stuck(func(c *limitConn) bool { return c.shared.Load() }); c != nil {
		l.cut(c)
		l.admit()
	}
}
