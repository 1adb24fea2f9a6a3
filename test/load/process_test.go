package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen/internal/config"
	"platen/internal/server"
)

const (
	// measuredWord begins the arguments of a process that is measured.
	measuredWord = "measured-process"
	// closingTime is how long such a process may take to end.
	closingTime = 15 * time.Second
	// clockTick is the unit in which Linux counts processor time.
	clockTick = 10 * time.Millisecond
)

// setup holds the settings in which measured servers differ.
type setup struct {
	// Database is a file, or the URL of a PostgreSQL database.
	Database string
	// Memory is the setting of that name, "" for its default.
	Memory string
	// Node is the address for other servers on the database, "" for a server that works alone.
	Node string
}

// config returns settings without limits for clients.
func (s setup) config() *config.Config {
	c := config.Default()
	c.Listen, c.Database, c.Memory = "127.0.0.1:0", s.Database, s.Memory
	c.IPActive, c.IPCreations, c.KeyRate, c.IPRate, c.AnonymousRate = 0, 0, 0, 0, 0
	c.MaxSandboxes, c.TickPause, c.PrivateWebhooks = 1<<20, 0, true
	if s.Node != "" {
		c.NodeAddress, c.PublicURL = s.Node, []string{"http://platen.test"}
		c.SecretKey = strings.Repeat("k", config.SecretLeast)
	}
	return c
}

// start starts a server in this process.
func (s setup) start(ctx context.Context) (*server.Server, error) {
	srv, err := server.New(ctx, s.config(), slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, fmt.Errorf("make a server: %w", err)
	}
	return srv, srv.Start(ctx)
}

// beMeasured serves, prints the address, and ends when its standard input does, so also when the first process
// dies.
func beMeasured(role, argument string) error {
	ctx := context.Background()
	if role == "bare" {
		at, err := startBare(ctx, argument)
		if err != nil {
			return err
		}
		fmt.Fprintln(os.Stdout, at)
		_, err = io.Copy(io.Discard, os.Stdin)
		return err
	}
	var s setup
	if err := json.Unmarshal([]byte(argument), &s); err != nil {
		return fmt.Errorf("read the setup: %w", err)
	}
	limit, err := server.MemoryLimit(s.config())
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(limit) // as cmd/platen does
	srv, err := s.start(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stdout, srv.Addr())
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, srv.Stop(ctx))
}

// process is a server that is measured.
type process struct {
	cmd     *exec.Cmd
	in      io.Closer
	address string
	ended   bool
}

// spawn starts Platen in a process of its own, which ends with the benchmark.
func (s setup) spawn(b *testing.B) *process {
	b.Helper()
	argument, err := json.Marshal(s)
	must(b, err)
	return spawn(b, "platen", string(argument))
}

func spawn(b *testing.B, role, argument string) *process {
	b.Helper()
	program, err := os.Executable()
	must(b, err)
	p := &process{cmd: exec.Command(program, measuredWord, role, argument)}
	p.cmd.Stderr, p.cmd.WaitDelay = os.Stderr, closingTime
	p.in, err = p.cmd.StdinPipe()
	must(b, err)
	out, err := p.cmd.StdoutPipe()
	must(b, err)
	must(b, p.cmd.Start())
	b.Cleanup(func() { p.close(b) })
	line, err := bufio.NewReader(out).ReadString('\n')
	must(b, err)
	p.address = strings.TrimSpace(line)
	return p
}

// close has the process end in order, and waits for it.
func (p *process) close(b *testing.B) {
	b.Helper()
	if p.ended {
		return
	}
	p.ended = true
	late := time.AfterFunc(closingTime, func() { _ = p.cmd.Process.Kill() })
	defer late.Stop()
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		b.Errorf("a server ended badly: %v", err)
	}
}

// kill ends the process as a crash does.
func (p *process) kill(*testing.B) {
	p.ended = true
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // reports the kill
}

// cpu returns the processor time that the process has used, in seconds.
func (p *process) cpu(b *testing.B) float64 {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	must(b, err)
	// After the program's name, in brackets, user and system time are the 12th and 13th field.
	_, after, _ := strings.Cut(string(stat), ") ")
	ticks := 0
	for _, field := range strings.Fields(after)[11:13] {
		n, err := strconv.Atoi(field)
		must(b, err)
		ticks += n
	}
	return (time.Duration(ticks) * clockTick).Seconds()
}

// resident returns the bytes of the process in memory, without pages of its program file.
func (p *process) resident(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	must(b, err)
	_, rest, _ := strings.Cut(string(status), "\nRssAnon:")
	var kib float64
	_, err = fmt.Sscan(rest, &kib)
	must(b, err)
	return kib * 1024
}
