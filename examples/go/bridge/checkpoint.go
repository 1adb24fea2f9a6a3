package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"platen/client"
)

// checkpoint is the state that the program keeps across restarts.
type checkpoint struct {
	// SandboxID keeps the numbers of one sandbox from being used with another.
	SandboxID string `json:"sandbox_id"`
	// Seq is the number of the last event that has been dealt with.
	Seq uint64 `json:"seq"`
	// Week is the Monday of the first week whose hours have not been carried.
	Week client.Date `json:"week"`
}

// errState begins errors of the state file.
var errState = errors.New("state file")

// loadCheckpoint reads a state file. One that does not exist is empty.
func loadCheckpoint(path string) (checkpoint, error) {
	var c checkpoint
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		return c, fmt.Errorf("%w: %s: %w", errState, path, err)
	}
	return c, nil
}

// save replaces the state file. A crash leaves the old one or the new one,
// never half of either.
func (c checkpoint) save(path string) (err error) {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("%w: %w", errState, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w: %w", errState, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path) //nolint:wrapcheck // wrapped above
}
