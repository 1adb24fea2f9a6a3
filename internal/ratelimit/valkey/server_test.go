//go:build unix

package valkey

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"platen/internal/ratelimit"
)

// guardScript ends the server when the other end of its input is closed: also
// after a test that was killed.
const guardScript = `"$@" & server=$!
cat >/dev/null
kill -KILL $server; wait $server`

// running is a server of our own: its socket is in a temporary folder, and it
// keeps nothing on disk.
type running struct {
	t       testing.TB
	program string
	socket  string
	guard   *exec.Cmd
	stdin   io.Closer
}

// begin starts a server until the test ends. Without a program the test is
// skipped, or fails where nothing is optional.
func begin(t testing.TB) *running {
	t.Helper()
	for _, name := range []string{"valkey-server", "redis-server"} {
		if program, err := exec.LookPath(name); err == nil {
			folder, err := os.MkdirTemp("", "platen-valkey-") //nolint:usetesting // a socket must have a short path
			if err != nil {
				t.Fatal(err)
			}
			r := &running{t: t, program: program, socket: filepath.Join(folder, "s")}
			r.start()
			t.Cleanup(func() {
				r.stop()
				os.RemoveAll(folder)
			})
			return r
		}
	}
	if os.Getenv("PLATEN_TEST_ALL") == "1" {
		t.Fatal("neither valkey-server nor redis-server is installed")
	}
	t.Skip("SKIPPED: neither valkey-server nor redis-server is installed")
	return nil
}

// start returns when the server takes connections.
func (r *running) start() {
	r.t.Helper()
	r.guard = exec.Command("/bin/sh", "-c", guardScript, "sh", r.program, "--port", "0", "--unixsocket", r.socket,
		"--save", "", "--appendonly", "no", "--daemonize", "no")
	r.guard.Dir = filepath.Dir(r.socket)
	r.guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := r.guard.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if r.stdin, err = r.guard.StdinPipe(); err != nil {
		r.t.Fatal(err)
	}
	if err := r.guard.Start(); err != nil {
		r.t.Fatal(err)
	}
	var heard strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		heard.WriteString(lines.Text() + "\n")
		if strings.Contains(strings.ToLower(lines.Text()), "ready to accept connections") {
			go io.Copy(io.Discard, out)
			return
		}
	}
	r.t.Fatalf("the server did not begin:\n%s", heard.String())
}

// stop kills the server and waits for its end.
func (r *running) stop() {
	if r.stdin == nil {
		return
	}
	r.stdin.Close()
	if err := r.guard.Wait(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			r.t.Error(err)
		}
	}
	r.stdin = nil
}

// patience is how long a node of a test waits: on a busy machine the server may
// be late, and is there all the same.
const patience = time.Minute

// open is a node of the server that asks again at once after a failure.
func (r *running) open(o ratelimit.Options) *Gate {
	r.t.Helper()
	g, err := open("unix://"+r.socket, o, slog.New(slog.DiscardHandler), patience)
	if err != nil {
		r.t.Fatal(err)
	}
	g.pause = 0
	r.t.Cleanup(func() { g.Close() })
	return g
}
