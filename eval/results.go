package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"sync"

	"platen/client"
	"platen/cmd/platen/cli"
)

// resultsFormat is the number of the form in which results are written.
const resultsFormat = 1

// head is the first line of a file of results: the evaluation to which they belong.
type head struct {
	Format int                 `json:"platen_results"`
	Preset string              `json:"preset"`
	Day    int                 `json:"day"`
	Bridge *client.Bridge      `json:"bridge,omitempty"`
	Clock  *client.ClockMode   `json:"clock,omitempty"`
	Faults *client.FaultsInput `json:"faults,omitempty"`
	Split  *client.Split       `json:"split,omitempty"`
	// Secret is that of fresh worlds, which only this file knows.
	Secret string `json:"evaluation_secret,omitempty"`
}

// results is a file that has a line for each run that is over.
type results struct {
	mu   sync.Mutex // guards file
	file *os.File
	done map[place]Run
}

// place is a run in its evaluation.
type place struct {
	seed uint64
	try  int
}

// Resume keeps each run in a file when it is over, and takes those that the file has already
// for played. The file must be one of the same evaluation, or new; a line that was cut while it was
// written counts for nothing. Fresh worlds are those of the file.
func (e *Evaluation) Resume(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return cli.UsageError{Err: fmt.Errorf("--resume: %w", err)}
	}
	r := &results{file: file, done: map[place]Run{}}
	if err := e.readResults(r); err != nil {
		return errors.Join(cli.UsageError{Err: fmt.Errorf("--resume %s: %w", path, err)}, file.Close())
	}
	e.results = r
	return nil
}

func (e *Evaluation) readResults(r *results) error {
	text, err := io.ReadAll(r.file)
	if err != nil {
		return err //nolint:wrapcheck // Resume names the file
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if err := errors.Join(r.file.Truncate(int64(whole)), seek(r.file, int64(whole))); err != nil {
		return err
	}
	want := head{
		Format: resultsFormat, Preset: e.Preset, Day: e.Day, Bridge: e.Bridge, Clock: e.Clock, Faults: e.Faults,
		Split: e.Split, Secret: e.FreshSecret,
	}
	if whole == 0 {
		return r.write(want)
	}
	lines := bufio.NewReader(bytes.NewReader(text[:whole]))
	for first := true; ; first = false {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		switch {
		case err != nil:
			return err //nolint:wrapcheck // Resume names the file
		case first:
			err = e.continues(line, want)
		default:
			err = r.read(line)
		}
		if err != nil {
			return err
		}
	}
}

func seek(file *os.File, at int64) error {
	_, err := file.Seek(at, io.SeekStart)
	return err //nolint:wrapcheck // Resume names the file
}

// continues compares the head of a file with what is asked for, and takes over its worlds.
func (e *Evaluation) continues(line []byte, want head) error {
	var is head
	if err := json.Unmarshal(line, &is); err != nil || is.Format == 0 {
		return errors.New("it has no results of platen eval")
	}
	fresh := is.Secret
	if (fresh == "") != (want.Secret == "") {
		return errors.New("it has results of another evaluation: fresh worlds and those of a split do not go together")
	}
	is.Secret, want.Secret = "", ""
	if !reflect.DeepEqual(is, want) {
		return errors.New("it has results of another evaluation: preset, day, bridge, clock, faults or split differ")
	}
	e.FreshSecret = fresh
	return nil
}

// read takes in a run.
func (r *results) read(line []byte) error {
	var run Run
	if err := json.Unmarshal(line, &run); err != nil {
		return fmt.Errorf("read a result: %w", err)
	}
	if run.Report != nil {
		run.report = &client.Report{}
		if err := json.Unmarshal(run.Report, run.report); err != nil {
			return fmt.Errorf("read a result: %w", err)
		}
	}
	r.done[place{run.Seed, run.Try}] = run
	return nil
}

// note keeps a run.
func (r *results) note(run *Run) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.write(run)
}

func (r *results) write(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("keep a result: %w", err)
	}
	if _, err := r.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep a result: %w", err)
	}
	return nil
}

// played returns a run from the file, if it is there.
func (r *results) played(seed uint64, try int) (run Run, ok bool) {
	if r == nil {
		return run, false
	}
	run, ok = r.done[place{seed, try}]
	return run, ok
}

func (r *results) close() error {
	if r == nil {
		return nil
	}
	return r.file.Close() //nolint:wrapcheck // it names the file
}
