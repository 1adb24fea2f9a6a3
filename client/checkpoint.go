package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// FeedCheckpoint keeps how far the feed has been handled: in a file, or in the program's
// own database, beside the effects of its events. It belongs to one sandbox and to one
// program that reads its feed.
type FeedCheckpoint interface {
	// Load returns the number of the last event that was handled, 0 for none.
	Load(ctx context.Context) (uint64, error)
	// Save keeps the number. Its context does not end with that of FollowEvents, so that a
	// program that is being stopped still saves what it has done.
	Save(ctx context.Context, seq uint64) error
}

// FileCheckpoint is the path of a file in which a number is kept. A crash leaves the old
// one or the new one. A file that does not exist is 0.
type FileCheckpoint string

// Load implements FeedCheckpoint.
func (path FileCheckpoint) Load(context.Context) (uint64, error) {
	text, err := os.ReadFile(string(path))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("platen: read the checkpoint: %w", err)
	}
	seq, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("platen: %s holds no checkpoint, which is a number", string(path))
	}
	return seq, nil
}

// Save implements FeedCheckpoint. It writes a new file, has it stored, and renames it.
func (path FileCheckpoint) Save(_ context.Context, seq uint64) error {
	next, err := os.CreateTemp(filepath.Dir(string(path)), filepath.Base(string(path))+".*")
	if err != nil {
		return fmt.Errorf("platen: write the checkpoint: %w", err)
	}
	_, err = next.WriteString(strconv.FormatUint(seq, 10) + "\n")
	if err = errors.Join(err, next.Sync(), next.Close()); err == nil {
		err = os.Rename(next.Name(), string(path))
	}
	if err != nil {
		return fmt.Errorf("platen: write the checkpoint: %w", errors.Join(err, os.Remove(next.Name())))
	}
	return nil
}
