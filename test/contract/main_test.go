package contract

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"platen/platentest"
	"platen/test/testclient"
)

// shared is the server that all tests use which need no settings of their own.
var shared *service

func TestMain(m *testing.M) {
	flag.Parse()
	testclient.OnlyConcurrent(concurrent...)
	if err := flag.Set("test.parallel", strconv.Itoa(testsAtOnce)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := resolver.serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	shared = serve(&suite)
	code := m.Run()
	switch {
	case *update && !whole():
		suite.Errorf("a part of the tests does not see all examples, so none are written: run -update without -run")
	case *update:
		if err := seen.write(shared.judge); err != nil {
			suite.Errorf("write the examples: %v", err)
		}
	}
	if code == 0 {
		expectEveryCode(&suite)
	}
	os.Exit(suite.End(code))
}

// serve starts a server and learns its document.
func serve(t testing.TB, settings ...map[string]string) *service {
	t.Helper()
	s := &service{}
	if w := wireOf(t); w != nil {
		s.Platen, s.client = w.start(t, settings...), w.client
	} else {
		s.Platen = platentest.Start(t, settings...)
	}
	// The answers in a document differ with the presets only.
	other := slices.ContainsFunc(settings, func(set map[string]string) bool { return set["presets"] != "" })
	if shared != nil && !other {
		s.judge = shared.judge
	} else {
		s.judge = newJudge(t, s)
	}
	return s
}

// suite holds what lives longer than a test, such as the shared servers.
var suite testclient.Suite

// sharedPrivate is the server of the tests whose receivers are on this machine.
var sharedPrivate = sync.OnceValue(func() *service {
	return serve(&suite, map[string]string{"private-webhooks": "true"})
})

// usual is the shared server; a test in a bubble gets one of its own.
func usual(t testing.TB) *service {
	t.Helper()
	if wireOf(t) != nil {
		return serve(t)
	}
	return shared
}

var waitUntil = testclient.WaitUntil

// patience is how many times longer a busy machine may take than a calm one
// before a test gives up.
const patience = 6

// eventually asks again until the answer is yes. Within is enough on a calm
// machine.
func eventually(t testing.TB, what string, within time.Duration, ask func() bool) {
	t.Helper()
	if wireOf(t) == nil {
		testclient.Eventually(t, what, patience*within, ask)
		return
	}
	// In a bubble each look is all that takes time.
	const looks, least = 100, 50 * time.Millisecond
	for end := time.Now().Add(within); !ask(); waitUntil(t, time.Now().Add(max(within/looks, least))) {
		if time.Now().After(end) {
			t.Fatalf("after %v still not so: %s", within, what)
		}
	}
}
