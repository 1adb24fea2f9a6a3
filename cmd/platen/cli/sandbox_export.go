package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"platen/client"
)

// SandboxExport writes a sandbox to a file.
type SandboxExport struct {
	Target

	// File gets it. When it is empty, the name is that of the sandbox.
	File  string
	Notes io.Writer
	// Check reads a file whole, and says what is in it.
	Check func(file io.Reader) (sandboxID, content string, err error)
}

// Run writes the file beside its place, checks it, and puts it there. A file that is there already is not replaced.
func (e *SandboxExport) Run(ctx context.Context) error {
	c, err := e.Connect()
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/sandbox.platen", http.NoBody)
	if err != nil {
		return fmt.Errorf("ask for the sandbox: %w", err)
	}
	response, err := c.Do(request)
	if err != nil {
		return Brief(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		return rejection(response, body)
	}
	part, err := os.CreateTemp(filepath.Dir(e.File), ".platen-export-*") // for its owner alone
	if err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	defer func() { _ = os.Remove(part.Name()) }() // gone when it has its name
	defer part.Close()
	size, err := io.Copy(part, response.Body)
	if err != nil {
		return fmt.Errorf("the export broke off; run it again: %w", err)
	}
	if _, err := part.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	id, content, err := e.Check(part)
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	e.File = cmp.Or(e.File, id+".platen")
	place, err := os.OpenFile(e.File, os.O_CREATE|os.O_EXCL, 0o600) // a name that is free
	if errors.Is(err, fs.ErrExist) {
		return usagef("%s is there already: name another file", e.File)
	}
	if err == nil {
		err = errors.Join(place.Close(), os.Rename(part.Name(), e.File))
	}
	if err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	fmt.Fprintf(e.Notes, "%s has %s, %d bytes, checked\n", e.File, content, size)
	return nil
}

// HandImported hands over the keys of a sandbox that was imported into a database.
func HandImported(h Handover, t *Target, s *client.Sandbox) error {
	origin, err := t.Origin()
	if err != nil {
		return err
	}
	return h.hand(s, origin)
}
