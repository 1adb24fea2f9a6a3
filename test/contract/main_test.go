package contract

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen/platentest"
)

// shared is the server that all tests use which need no settings of their own.
var shared *service

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(testsAtOnce)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := resolver.serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	suite := &suite{}
	shared = serve(suite)
	code := m.Run()
	if *update {
		if err := seen.write(shared.judge); err != nil {
			suite.Errorf("write the examples: %v", err)
		}
	}
	if code == 0 {
		suite.expectEveryCode()
	}
	if !suite.end() && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// serve starts a server and learns its document.
func serve(t testing.TB, settings ...map[string]string) *service {
	t.Helper()
	p := platentest.Start(t, settings...)
	return &service{Platen: p, judge: newJudge(t, p.Origin)}
}

// suite is the testing.TB of what all tests share: it ends after the last one.
type suite struct {
	testing.TB

	folders  []string
	cleanups []func()
	failed   bool
}

func (*suite) Helper() {}

func (*suite) Context() context.Context { return context.Background() }

func (s *suite) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *suite) TempDir() string {
	folder, err := os.MkdirTemp("", "platen-contract-")
	if err != nil {
		panic(err)
	}
	s.folders = append(s.folders, folder)
	return folder
}

func (s *suite) Errorf(format string, values ...any) {
	s.failed = true
	fmt.Fprintf(os.Stderr, strings.TrimSpace(format)+"\n", values...)
}

func (s *suite) Fatal(values ...any) { panic(fmt.Sprint(values...)) }

func (s *suite) Fatalf(format string, values ...any) { panic(fmt.Sprintf(format, values...)) }

// end stops the server and reports whether that went well.
func (s *suite) end() bool {
	for _, cleanup := range slices.Backward(s.cleanups) {
		cleanup()
	}
	for _, folder := range s.folders {
		if err := os.RemoveAll(folder); err != nil {
			s.Errorf("%v", err)
		}
	}
	return !s.failed
}

// waitUntil returns at a time of the wall clock.
func waitUntil(t testing.TB, at time.Time) {
	t.Helper()
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
}

// patience is how many times longer a busy machine may take than a calm one
// before a test gives up.
const patience = 6

// eventually asks again until the answer is yes. Within is enough on a calm
// machine.
func eventually(t testing.TB, what string, within time.Duration, ask func() bool) {
	t.Helper()
	const pause = 50 * time.Millisecond
	for end := time.Now().Add(patience * within); !ask(); {
		if time.Now().After(end) {
			t.Fatalf("after %v still not so: %s", patience*within, what)
		}
		waitUntil(t, time.Now().Add(pause))
	}
}
