package crash

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen/test/selfexec"
	"platen/test/testclient"
)

const (
	// startTimeout and stopTimeout are far beyond what a loaded machine takes:
	// they end a test that would hang.
	startTimeout = 60 * time.Second
	stopTimeout  = 60 * time.Second
	callTimeout  = 60 * time.Second
)

// binary is the program under test: this test binary under another name.
var binary string

func TestMain(m *testing.M) {
	selfexec.Main()
	traceMain()
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "platen-crash-")
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

// process is a server that can be killed.
type process struct {
	cmd  *exec.Cmd
	base string
	http *http.Client
	// dying is set before the process is told to end: only then may it be gone.
	dying atomic.Bool
	ended chan struct{}
	log   *tail
	// fleet is set for a front of several servers.
	fleet interface {
		send(q request) (*testclient.Answer, error)
		// unsettled reports, once, whether an attempt of a request got no answer before
		// one did: it may yet be done, whatever that answer says.
		unsettled(q request) bool
	}
}

var address = regexp.MustCompile(`API\s+(http://\S+)`)

// begin starts the binary over a database and does not wait for it.
func begin(database string, settings ...string) (*process, error) {
	arguments := append([]string{"serve", "--listen", "127.0.0.1:0", "--database", database, "--max-sandboxes",
		"100000", "--key-rate", "0", "--ip-rate", "0", "--anonymous-rate", "0", "--ip-active", "0", "--ip-creations",
		"0"}, settings...)
	return beginCommand(exec.Command(binary, arguments...))
}

func beginCommand(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, ended: make(chan struct{}), log: &tail{found: make(chan string, 1)}}
	p.http = &http.Client{
		Timeout: callTimeout, Transport: &http.Transport{MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute},
	}
	p.cmd.Stderr = p.log
	p.cmd.Env = append(cmd.Environ(), "GOGC=") // the tests may have another
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// launch starts the binary and waits until it says where it is.
func launch(database string, settings ...string) (*process, error) {
	p, err := begin(database, settings...)
	if err != nil {
		return nil, err
	}
	return p, p.await()
}

func (p *process) await() error {
	select {
	case p.base = <-p.log.found:
		return nil
	case <-p.ended:
		return fmt.Errorf("the server ended before it said where it is:\n%s", p.log)
	case <-time.After(startTimeout):
		p.kill()
		return fmt.Errorf("the server did not say where it is:\n%s", p.log)
	}
}

// kill ends the process as the loss of its machine would, as far as a process
// goes: nothing of it runs any more.
func (p *process) kill() {
	p.dying.Store(true)
	p.cmd.Process.Kill()
	<-p.ended
	p.http.CloseIdleConnections()
}

// stop ends the process as an operator would.
func (p *process) stop() error {
	p.dying.Store(true)
	p.http.CloseIdleConnections()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	select {
	case <-p.ended:
	case <-time.After(stopTimeout):
		p.kill()
		return fmt.Errorf("the server did not stop:\n%s", p.log)
	}
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("the server stopped with status %d:\n%s", code, p.log)
	}
	return nil
}

// complaints returns what the server logged as an error of its own.
func (p *process) complaints() error {
	if text := p.log.String(); strings.Contains(text, `"level":"ERROR"`) || strings.Contains(text, "panic:") {
		return fmt.Errorf("the server complained:\n%s", text)
	}
	return nil
}

// tail keeps the end of a process's log and finds its address.
type tail struct {
	// found has room for the one address.
	found chan string

	mu    sync.Mutex // guards what follows
	text  []byte
	known bool // the address was found
}

const tailBytes = 64 << 10

// Write implements io.Writer.
func (l *tail) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, b...)
	if !l.known {
		lines := bufio.NewScanner(bytes.NewReader(l.text[:bytes.LastIndexByte(l.text, '\n')+1]))
		for lines.Scan() {
			if match := address.FindStringSubmatch(lines.Text()); match != nil {
				l.found <- match[1]
				l.known = true
				break
			}
		}
	}
	if len(l.text) > 2*tailBytes {
		l.text = append([]byte(nil), l.text[len(l.text)-tailBytes:]...)
	}
	return len(b), nil
}

// String returns the end of the log.
func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// request is a request to send; key, idempotency and body may be empty.
type request struct {
	method, path, key, idempotency, body string
}

// errGone reports that the server was not there, or left in the middle of its
// answer, after it had been told to end.
var errGone = errors.New("the server is gone")

// send sends a request: once to a server, to several until one of them has answered.
func (p *process) send(q request) (*testclient.Answer, error) {
	if p.fleet != nil {
		return p.fleet.send(q)
	}
	return p.once(q)
}

// once sends a request once.
func (p *process) once(q request) (*testclient.Answer, error) {
	// The context of the test must not end a call: only the kill may.
	r, err := testclient.Request{
		Method: q.method, URL: p.base + q.path, Key: q.key, Body: q.body,
		Headers: []string{"Idempotency-Key", q.idempotency},
	}.Build(context.Background())
	if err != nil {
		return nil, err
	}
	// The transport would repeat a request on its own that has an idempotency key and a body that
	// it can read again, when its connection breaks, and hide what happened to the first attempt.
	// It knows the key by the usual spelling of its name alone; an empty body it can always repeat.
	r.GetBody = nil
	if key, ok := r.Header["Idempotency-Key"]; ok {
		delete(r.Header, "Idempotency-Key")
		r.Header["idempotency-key"] = key
	}
	a, err := testclient.Exchange(p.http, r)
	if a == nil {
		return nil, p.gone(err)
	}
	return a, err
}

// TestAWriteIsSentOnce shows that a write whose connection breaks is not sent a second time
// unseen: the refusal of the second would hide what the first has done.
func TestAWriteIsSentOnce(t *testing.T) {
	t.Parallel()
	var heard atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			if r.Header.Get("Idempotency-Key") != "once" {
				t.Errorf("the request has the headers %v", r.Header)
			}
			heard.Add(1)
			panic(http.ErrAbortHandler)
		}
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(s.Close)
	p := &process{base: s.URL, http: s.Client(), log: &tail{}}
	for _, body := range []string{"", `{"minutes":1}`} {
		// A transport repeats what breaks on a connection that has served before.
		if _, err := p.once(request{method: http.MethodGet, path: "/"}); err != nil {
			t.Fatal(err)
		}
		heard.Store(0)
		if _, err := p.once(request{method: http.MethodPost, path: "/", idempotency: "once", body: body}); err == nil {
			t.Errorf("a broken connection with the body %q is no error", body)
		}
		if n := heard.Load(); n != 1 {
			t.Errorf("a write with the body %q was sent %d times", body, n)
		}
	}
}

func (p *process) gone(err error) error {
	if p.dying.Load() {
		return errGone
	}
	return fmt.Errorf("a server that nobody told to end: %w\n%s", err, p.log)
}
