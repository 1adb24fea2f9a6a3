package bounds

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const (
	mebi = 1 << 20
	// tolerated is the most anonymous memory of the process, hard the limit of its control group, in per cent of
	// --memory.
	tolerated, hard = 115, 130
	// patience ends a test that would hang.
	patience = time.Minute
	// sampleTime is the time between two looks at the memory.
	sampleTime = 20 * time.Millisecond
)

// binary is the program under test, built as a release is.
var binary string

func TestMain(m *testing.M) {
	if os.Getenv("PLATEN_TEST_BOUNDS") == "" {
		os.Exit(m.Run()) // every test skips itself
	}
	os.Exit(built(m))
}

func built(m *testing.M) int {
	folder, err := os.MkdirTemp("", "platen-bounds-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	binary = filepath.Join(folder, "platen")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, "platen/cmd/platen")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// sizes are those of --memory at which each limit is driven, from PLATEN_TEST_BOUNDS: 256,1024 in MiB. A test without
// any is skipped.
func sizes(t *testing.T) (all []int64) {
	t.Helper()
	named := os.Getenv("PLATEN_TEST_BOUNDS")
	if named == "" {
		t.Skip("in make check, and with more sizes in make bounds (PLATEN_TEST_BOUNDS=256,1024)")
	}
	for text := range strings.SplitSeq(named, ",") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n*mebi)
	}
	return all
}

// program is the built program at work.
type program struct {
	t        *testing.T
	cmd      *exec.Cmd
	address  string
	database string
	memory   int64
	log      *output
	ended    chan struct{}
	// group is the folder of its control group, "" where there is none.
	group string
	// peak is the most anonymous memory that was seen.
	peak atomic.Int64
}

// output collects the program's log, which names its address.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

// String returns what was printed so far.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

var address = regexp.MustCompile(`API\s+http://(\S+?)/`)

// serve starts the program with a memory and settings, behind the PROXY protocol.
func serve(t *testing.T, memory int64, settings ...string) *program {
	t.Helper()
	p := &program{
		t: t, database: filepath.Join(t.TempDir(), "platen.db"), memory: memory, log: &output{},
		ended: make(chan struct{}),
	}
	arguments := append([]string{
		"serve", "--listen", "127.0.0.1:0", "--database", p.database, "--memory", strconv.FormatInt(memory, 10),
		"--proxy-protocol", "--log-level", "warn",
	}, settings...)
	p.cmd = exec.Command(binary, arguments...)
	p.cmd.Stderr, p.cmd.Stdout = p.log, p.log
	p.cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	p.confine()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.end)
	if p.group != "" {
		p.write("cgroup.procs", strconv.Itoa(p.cmd.Process.Pid))
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	for deadline := time.Now().Add(patience); p.address == ""; {
		if match := address.FindStringSubmatch(p.log.String()); match != nil {
			p.address = match[1]
		} else if !p.alive() || time.Now().After(deadline) {
			t.Fatalf("the program did not say where it is:\n%s", p.log)
		}
		<-time.After(sampleTime)
	}
	go p.watch()
	return p
}

// groups is where control groups of version 1 for memory are.
const groups = "/sys/fs/cgroup/memory"

// confine gives the program a control group with a hard limit, where that is possible.
func (p *program) confine() {
	name := fmt.Sprint("platen-bounds-", os.Getpid(), "-", time.Now().UnixNano())
	folder := filepath.Join(groups, name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		p.t.Logf("no control group: %v", err)
		return
	}
	if _, err := os.Stat(filepath.Join(folder, "memory.limit_in_bytes")); err != nil {
		p.t.Logf("no control group for memory: %v", err)
		return
	}
	p.group = folder
	p.write("memory.limit_in_bytes", strconv.FormatInt(p.memory*hard/100, 10))
	p.write("memory.kmem.tcp.limit_in_bytes", strconv.FormatInt(1<<40, 10)) // has them counted
}

func (p *program) write(file, text string) {
	if err := os.WriteFile(filepath.Join(p.group, file), []byte(text), 0o644); err != nil {
		p.t.Logf("control group: %v", err)
	}
}

// kernel is the most memory of the kernel's buffers for connections so far, -1 where it is not told.
func (p *program) kernel() int64 {
	text, err := os.ReadFile(filepath.Join(p.group, "memory.kmem.tcp.max_usage_in_bytes"))
	if err != nil {
		return -1
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}

func (p *program) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// end stops the program.
func (p *program) end() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.ended
		p.t.Errorf("the program did not end:\n%s", p.log)
	}
	if p.group != "" {
		_ = os.Remove(p.group)
	}
}

// anonymous is the anonymous memory of the process in bytes, 0 when it is gone.
func (p *program) anonymous() int64 { return p.status("RssAnon:") }

func (p *program) status(name string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

// watch notes the most memory until the process ends.
func (p *program) watch() {
	for p.alive() {
		p.peak.Store(max(p.peak.Load(), p.anonymous()))
		<-time.After(sampleTime)
	}
}

// size is that of the database with its log.
func (p *program) size() (bytes int64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(p.database + suffix); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// discard reads a response to its end.
func discard(r *http.Response, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, r.Body)
	return r.StatusCode, errors.Join(err, r.Body.Close())
}
