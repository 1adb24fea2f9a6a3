//go:build unix

package valkey

import (
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"platen/internal/edge/ratelimit"
	"platen/internal/edge/ratelimit/valkey/valkeytest"
)

// running is a server of our own.
type running struct {
	t testing.TB
	*valkeytest.Server
}

// begin starts a server until the test ends. Without a program the test is
// skipped, or fails where nothing is optional.
func begin(t testing.TB) *running {
	t.Helper()
	s, err := valkeytest.Begin()
	if errors.Is(err, valkeytest.ErrNoServer) && os.Getenv("PLATEN_TEST_ALL") != "1" {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &running{t, s}
}

// patience is how long a node of a test waits: on a busy machine the server may
// be late, and is there all the same.
const patience = time.Minute

// open is a node of the server that asks again at once after a failure.
func (r *running) open(o ratelimit.Options) *Gate {
	r.t.Helper()
	g, err := open(r.Address(), o, slog.New(slog.DiscardHandler), patience)
	if err != nil {
		r.t.Fatal(err)
	}
	g.pause = 0
	r.t.Cleanup(func() { g.Close() })
	return g
}
