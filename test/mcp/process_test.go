package mcp

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"platen/test/selfexec"
	"platen/test/testclient"
)

// startTimeout is far beyond what a loaded machine takes: it ends a test that
// would hang.
const startTimeout = 60 * time.Second

// binary is the program under test: this test binary under another name.
var binary string

func TestMain(m *testing.M) {
	selfexec.Main()
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "platen-mcp-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	if binary, err = selfexec.Platen(folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// program is a server that can be started again over the same database, at the
// same address.
type program struct {
	t         testing.TB
	address   string
	arguments []string
	cmd       *exec.Cmd
	log       *watched
}

// launch starts the shipped binary with no limits but those that are set.
func launch(t testing.TB, settings ...string) *program {
	t.Helper()
	address := testclient.FreeAddress(t)
	p := &program{t: t, address: address, arguments: append([]string{
		"serve", "--listen", address, "--database", filepath.Join(t.TempDir(), "platen.db"),
		"--key-rate", "0", "--ip-rate", "0", "--anonymous-rate", "0", "--ip-active", "0", "--ip-creations", "0",
	}, settings...)}
	p.start()
	t.Cleanup(p.stop)
	return p
}

func (p *program) origin() string { return "http://" + p.address }

func (p *program) url() string { return p.origin() + "/mcp" }

func (p *program) start() {
	p.t.Helper()
	p.log = &watched{wanted: []byte("Platen is running"), seen: make(chan struct{})}
	p.cmd = exec.Command(binary, p.arguments...)
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-p.log.seen:
	case <-time.After(startTimeout):
		p.t.Fatalf("the server did not start:\n%s", p.log)
	}
}

// stop ends the server as an operator would.
func (p *program) stop() {
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		p.t.Errorf("stop the server: %v", err)
	}
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the server ended with %v:\n%s", err, p.log)
	}
}

func (p *program) restart() {
	p.t.Helper()
	p.stop()
	p.start()
}

// watched keeps a log and tells when a text was in it.
type watched struct {
	wanted []byte
	seen   chan struct{}

	mu   sync.Mutex // guards what follows
	text []byte
	told bool
}

// Write implements io.Writer.
func (w *watched) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, b...)
	if !w.told && bytes.Contains(w.text, w.wanted) {
		w.told = true
		close(w.seen)
	}
	return len(b), nil
}

// String returns the log.
func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.text)
}

// within ends a test that would hang.
func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
