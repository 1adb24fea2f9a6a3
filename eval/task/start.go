package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// interpreter runs filed programs.
const interpreter = "python3"

// Gradable says why this machine cannot grade a task: nil where it can.
func (t *Task) Gradable() error {
	if t.Program == nil {
		return nil
	}
	if _, err := exec.LookPath(interpreter); err != nil {
		return fmt.Errorf("the task %s is graded by running a program with %s, which is not on the PATH; name other "+
			"tasks, or install it: %w", t.Name, interpreter, err)
	}
	return nil
}

// runHere makes all starts of a trial on this machine, in a folder of their own. The program is untrusted: it has the
// permissions of this process, and nothing in its environment but the address and the keys of the company.
func (tr *Trial) runHere(ctx context.Context) error {
	if err := tr.task.Gradable(); err != nil {
		return err
	}
	// The python3 of the PATH may be a script that looks for it, and finds nothing in an empty environment.
	found, err := exec.CommandContext(ctx, interpreter, "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return fmt.Errorf("look for %s: %w", interpreter, err)
	}
	python := strings.TrimSpace(string(found))
	folder, err := os.MkdirTemp("", "platen-program-")
	if err != nil {
		return fmt.Errorf("make a folder for the program: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // what is left of it is in the folder of temporary files
	for ended := (*Ended)(nil); ; {
		start, err := tr.Next(ctx, ended)
		if err != nil || start == nil {
			return err
		}
		why, err := start.run(ctx, python, folder, tr.task.Program.File)
		if err != nil {
			return err
		}
		ended = &Ended{Why: why}
	}
}

// run makes a start in a folder, and says why it does not count, "" where it does.
func (s *Start) run(ctx context.Context, python, folder, name string) (why string, err error) {
	file := filepath.Join(folder, name)
	if err := os.WriteFile(file, []byte(s.Program), 0o600); err != nil {
		return "", fmt.Errorf("write the program: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, time.Duration(s.Seconds)*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, python, "-B", "-s", file) //nolint:gosec // running it is the purpose
	printed := &bounded{most: s.OutputBytes, exceeded: stop}
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = folder, printed, printed, time.Second
	for name, value := range s.Environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	together(cmd)
	err = cmd.Run()
	_ = cmd.Cancel() // what it has started and left
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case printed.full:
		return fmt.Sprintf("printed more than %d bytes", s.OutputBytes), nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Sprintf("did not end within %d seconds", s.Seconds), nil
	case ended:
		return fmt.Sprintf("ended with status %d: %s", exit.ExitCode(), printed.last()), nil
	case errors.Is(err, exec.ErrWaitDelay):
		return "left another program behind that holds its output", nil
	case err != nil:
		return "", fmt.Errorf("run the program: %w", err)
	}
	return "", nil
}

// bounded keeps what a program prints up to a size, and has it stopped beyond that.
type bounded struct {
	text     bytes.Buffer
	most     int
	exceeded func()
	full     bool
}

// Write implements io.Writer.
func (b *bounded) Write(text []byte) (int, error) {
	if b.text.Len()+len(text) > b.most {
		b.full = true
		b.exceeded()
		return len(text), nil
	}
	return b.text.Write(text) //nolint:wrapcheck // it never fails
}

// last is the last line that was printed.
func (b *bounded) last() string {
	const most = 200
	lines := strings.Split(strings.TrimSpace(b.text.String()), "\n")
	line := lines[len(lines)-1]
	return line[:min(most, len(line))]
}
