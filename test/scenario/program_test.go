package scenario

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"platen/test/selfexec"
	"platen/test/testclient"
)

const (
	// testsAtOnce is how many tests run together. They wait for programs and for
	// their pauses, so there are more than processors.
	testsAtOnce = 16
	// patience is how long a program may take for one run: far beyond what it
	// does on a loaded machine.
	patience = 10 * time.Minute
	// examples is where the programs are.
	examples = "../../examples"
)

func TestMain(m *testing.M) {
	selfexec.Main()
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(testsAtOnce)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testclient.OnlyConcurrent(concurrent...)
	os.Exit(suite.End(m.Run()))
}

// program is a reference integration.
type program struct {
	name string
	// needs is the command it is run by, if it is not built here.
	needs string
	// argv is how it is started.
	argv func(t testing.TB) []string
}

var inGo = program{name: "go", argv: func(t testing.TB) []string {
	t.Helper()
	path, err := builtBridge()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path}
}}

var (
	builtBridge = sync.OnceValues(func() (string, error) { return built("bridge") })
	builtAgent  = sync.OnceValues(func() (string, error) { return built("agent") })
)

// built asks the go command for the program that its cache keeps of a `go run`, so that it
// is linked when it has changed, not in each run of the tests.
func built(example string) (string, error) {
	for range 2 { // what was built first is there for that call only
		run := exec.Command("go", "run", "-exec", "echo", "platen/examples/go/"+example)
		run.Env = append(os.Environ(), "CGO_ENABLED=0") // as its users build it, also under the race detector
		var complaints bytes.Buffer
		run.Stderr = &complaints
		out, err := run.Output()
		if err != nil {
			return "", fmt.Errorf("build the %s: %w\n%s", example, err, complaints.String())
		}
		path := strings.TrimSpace(string(out))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("build the %s: the cache of the go command does not keep it", example)
}

var inPython = program{name: "python", needs: "python3", argv: func(t testing.TB) []string {
	t.Helper()
	testclient.Need(t, "python3")
	path, err := testclient.Python()
	if err != nil {
		t.Fatal(err)
	}
	return []string{path, "-B", filepath.Join(examples, "python", "bridge.py")}
}}

var inJavaScript = program{name: "javascript", needs: "node", argv: func(t testing.TB) []string {
	t.Helper()
	return []string{testclient.Need(t, "node"), filepath.Join(examples, "javascript", "bridge.mjs")}
}}

var programs = []program{inGo, inPython, inJavaScript}

// integration is a program with the settings of one sandbox.
type integration struct {
	t           testing.TB
	argv        []string
	environment []string
	state       string
}

// install sets a program up for a company, with a state file of its own.
func (p program) install(t testing.TB, w *world) *integration {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state.json")
	return &integration{
		t: t, argv: append(p.argv(t), "--state", state), state: state,
		environment: []string{
			"PLATEN_URL=" + w.url, "PLATEN_OFFICE_KEY=" + w.keys.Office, "PLATEN_FACTORY_KEY=" + w.keys.Factory,
			"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "PYENV_VERSION=" + os.Getenv("PYENV_VERSION"),
		},
	}
}

// at is the same integration with another address of the API.
func (i *integration) at(url string) *integration {
	other := *i
	other.environment = append([]string{"PLATEN_URL=" + url}, i.environment[1:]...)
	return &other
}

// run is how a program went.
type run struct {
	status         int
	stdout, stderr string
	// killed is set when it was killed before it could end.
	killed bool
}

func (r run) String() string {
	return fmt.Sprintf("exit status %d (killed: %t)\n%s%s", r.status, r.killed, r.stdout, r.stderr)
}

// process is a program that has been started.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	ended          chan struct{}
	err            error
	killed         atomic.Bool
}

// start starts the program with more arguments.
func (i *integration) start(arguments ...string) *process {
	i.t.Helper()
	argv := append(append([]string{}, i.argv...), arguments...)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	p := &process{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = i.environment, &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		cancel()
		i.t.Fatal(err)
	}
	go func() {
		defer cancel()
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p
}

// kill ends a process at once, whatever it is doing, and waits until it is
// gone.
func (p *process) kill() {
	p.killed.Store(true)
	_ = p.cmd.Process.Kill() // an error says that it has ended
	<-p.ended
}

// wait waits for the end.
func (p *process) wait() run {
	<-p.ended
	r := run{stdout: p.stdout.String(), stderr: p.stderr.String()}
	if ended, ok := errors.AsType[*exec.ExitError](p.err); ok {
		r.status, r.killed = ended.ExitCode(), p.killed.Load()
	} else if p.err != nil {
		r.status, r.stderr = -1, r.stderr+p.err.Error()
	}
	return r
}

// once catches up.
func (i *integration) once() run {
	i.t.Helper()
	return i.start("--once").wait()
}

// carry catches up, and nothing may go wrong.
func (i *integration) carry() {
	i.t.Helper()
	if r := i.once(); r.status != 0 {
		i.t.Fatalf("the integration failed: %v", r)
	}
}
