//go:build unix

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"platen/client"
	"platen/eval/player"
	"platen/test/testclient"
)

// These are the names under which this test binary is another program.
const (
	alone  = "platen"
	series = "platen-series"
	known  = "known-player"
)

// TestMain is the program too: one command line, as people start it, or one after the other.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case alone:
		Main()
		return
	case series:
		serveProcess()
		return
	case known:
		playAsKnown()
		return
	}
	os.Exit(withProgram(m.Run))
}

// withProgram has a shell find the program while tests run.
func withProgram(tests func() int) int {
	folder, err := os.MkdirTemp("", "platen")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	self, err := os.Executable()
	err = errors.Join(err, os.Symlink(self, filepath.Join(folder, alone)),
		os.Symlink(self, filepath.Join(folder, known)),
		os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH")))
	if err != nil {
		panic(err)
	}
	return tests()
}

// commandLine holds the arguments, environment and folder of a start.
type commandLine struct {
	Arguments, Environment []string
	Folder                 string
}

// outcome holds the output and the exit status of a command line.
type outcome struct {
	Status         int
	Stdout, Stderr string
}

// process runs the command lines of a script in turn, from which most of what a start takes is
// saved. In make check each has a process of its own.
type process struct {
	cmd     *exec.Cmd
	lines   io.WriteCloser
	answers *json.Decoder
}

// processOf starts the process of a script before its first command line, and ends it with the
// script.
func processOf(ts *testscript.TestScript) *process {
	p, _ := ts.Value(series).(*process)
	if p.cmd != nil {
		return p
	}
	cmd := exec.Command(os.Args[0])
	cmd.Args[0], cmd.Stderr = series, os.Stderr
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	p.lines, err = cmd.StdinPipe()
	ts.Check(err)
	p.cmd, p.answers = cmd, json.NewDecoder(out)
	ts.Check(cmd.Start())
	ts.Defer(func() { _ = errors.Join(p.lines.Close(), cmd.Wait()) }) // an answer that is missing has failed
	return p
}

// start runs a command line and returns its exit status.
func start(ts *testscript.TestScript, arguments []string) int {
	if testclient.Thorough() {
		err := ts.Exec(alone, arguments...)
		if ended, ok := errors.AsType[*exec.ExitError](err); ok {
			return ended.ExitCode()
		}
		ts.Check(err)
		return 0
	}
	p, line := processOf(ts), commandLine{Arguments: arguments, Folder: ts.MkAbs(".")}
	// A script does not say what its environment is, but to processes.
	for _, pair := range reflect.ValueOf(ts).Elem().FieldByName("env").Seq2() {
		line.Environment = append(line.Environment, pair.String())
	}
	var got outcome
	if err := errors.Join(json.NewEncoder(p.lines).Encode(line), p.answers.Decode(&got)); err != nil {
		ts.Fatalf("the process of the script is gone: %v", err)
	}
	fmt.Fprint(ts.Stdout(), got.Stdout)
	fmt.Fprint(ts.Stderr(), got.Stderr)
	return got.Status
}

// serveProcess runs the command lines that arrive.
//
//nolint:reassign // the input is for these, not for commands
func serveProcess() {
	lines, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	folder, err := os.MkdirTemp("", series)
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	if os.Stdin, err = os.Open(os.DevNull); err != nil {
		panic(err)
	}
	for {
		var line commandLine
		if lines.Decode(&line) != nil {
			return // the script is over
		}
		got, err := line.run(folder)
		if err := errors.Join(err, answers.Encode(got)); err != nil {
			panic(err)
		}
	}
}

// run does in this process as a process of its own would. Files in a folder take the output.
//
//nolint:reassign // a process of its own would begin with them
func (l commandLine) run(folder string) (got outcome, err error) {
	os.Clearenv()
	for _, pair := range l.Environment {
		name, value, _ := strings.Cut(pair, "=")
		err = errors.Join(err, os.Setenv(name, value))
	}
	out, complaints := filepath.Join(folder, "stdout"), filepath.Join(folder, "stderr")
	var wrong [2]error
	os.Stdout, wrong[0] = os.Create(out)
	os.Stderr, wrong[1] = os.Create(complaints)
	if err := errors.Join(err, wrong[0], wrong[1], os.Chdir(l.Folder)); err != nil {
		return got, err
	}
	os.Args = append([]string{alone}, l.Arguments...)
	got.Status = run(context.Background())
	stdout, err := os.ReadFile(out)
	stderr, again := os.ReadFile(complaints)
	got.Stdout, got.Stderr = string(stdout), string(stderr)
	return got, errors.Join(err, again, os.Stdout.Close(), os.Stderr.Close())
}

// playAsKnown plays the sandbox of an evaluation as a player of known skill: known-player greedy 5.
func playAsKnown() {
	days, err := strconv.Atoi(os.Args[2])
	if err == nil {
		err = fmt.Errorf("nobody is %q", os.Args[1])
		for _, p := range player.Policies() {
			if p.Name == os.Args[1] {
				keys := client.Keys{Office: os.Getenv("PLATEN_OFFICE_KEY"), Factory: os.Getenv("PLATEN_FACTORY_KEY")}
				err = p.PlayRemote(context.Background(), client.New(os.Getenv("PLATEN_URL"), keys), days)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
