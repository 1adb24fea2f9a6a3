package testclient

import (
	"testing"
	"time"
)

// WaitUntil returns at a time of the wall clock.
func WaitUntil(t testing.TB, at time.Time) {
	t.Helper()
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
}

// Eventually asks again until the answer is yes, and fails when that takes longer
// than within.
func Eventually(t testing.TB, what string, within time.Duration, ask func() bool) {
	t.Helper()
	const pause = 50 * time.Millisecond
	for end := time.Now().Add(within); !ask(); {
		if time.Now().After(end) {
			t.Fatalf("after %v still not so: %s", within, what)
		}
		WaitUntil(t, time.Now().Add(pause))
	}
}
