package contract

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"platen/internal/testclient"
	"platen/platentest"
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
	suite := &testclient.Suite{}
	shared = serve(suite)
	code := m.Run()
	if *update {
		if err := seen.write(shared.judge); err != nil {
			suite.Errorf("write the examples: %v", err)
		}
	}
	if code == 0 {
		expectEveryCode(suite)
	}
	os.Exit(suite.End(code))
}

// serve starts a server and learns its document.
func serve(t testing.TB, settings ...map[string]string) *service {
	t.Helper()
	p := platentest.Start(t, settings...)
	return &service{Platen: p, judge: newJudge(t, p.Origin)}
}

var waitUntil = testclient.WaitUntil

// patience is how many times longer a busy machine may take than a calm one
// before a test gives up.
const patience = 6

// eventually asks again until the answer is yes. Within is enough on a calm
// machine.
func eventually(t testing.TB, what string, within time.Duration, ask func() bool) {
	t.Helper()
	testclient.Eventually(t, what, patience*within, ask)
}
