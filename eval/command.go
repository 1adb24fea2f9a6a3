package eval

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// killWait is how long a command may go on after it was asked to end.
	killWait = 5 * time.Second
	// maxLine bounds a line that is passed on, in bytes.
	maxLine = 4096
)

// runCommand runs the command once.
func (e *Evaluation) runCommand(ctx context.Context, seed uint64, environment []string) error {
	patient, cancel := context.WithTimeout(ctx, e.Timeout)
	defer cancel()
	output := &lines{out: e.Output, outMu: &e.outputMu, prefix: fmt.Sprintf("seed %d: ", seed)}
	defer output.Close()
	//nolint:gosec // running it is the purpose of eval
	cmd := exec.CommandContext(patient, e.Command[0], e.Command[1:]...)
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), secret), environment...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = output, output, killWait
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	err := cmd.Run()
	if patient.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("it took longer than %s", e.Timeout)
	}
	return err //nolint:wrapcheck // the command's outcome is shown as it is
}

// secret reports whether a variable is one of Platen's: what judges the program, or makes
// worlds, stays with the person that runs the evaluation.
func secret(variable string) bool { return strings.HasPrefix(variable, "PLATEN_") }

// lines passes whole lines on, each behind a prefix.
type lines struct {
	out    io.Writer
	outMu  *sync.Mutex // guards out, which several lines share
	prefix string

	mu   sync.Mutex // guards line
	line []byte
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.line = append(l.line, b...)
	for {
		end := bytes.IndexByte(l.line, '\n')
		if end < 0 && len(l.line) < maxLine {
			return len(b), nil
		}
		if end < 0 { // too long for one line: the rest goes on the next
			l.pass(l.line[:maxLine])
			l.line = l.line[maxLine:]
			continue
		}
		l.pass(l.line[:end])
		l.line = l.line[end+1:]
	}
}

// Close passes on a last line that has no line end.
func (l *lines) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 {
		l.pass(l.line)
	}
}

func (l *lines) pass(line []byte) {
	l.outMu.Lock()
	defer l.outMu.Unlock()
	fmt.Fprintf(l.out, "%s%s\n", l.prefix, line)
}
