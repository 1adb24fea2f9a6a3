package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// document is a file with text, in any language.
type document struct {
	// path is relative to the module.
	path, text string
}

// notOurs are folders of programs that are installed or built.
var notOurs = []string{"node_modules", "bin", "data", "rapid", "__pycache__"}

// readDocuments reads all text in the module's folder. This program is left out,
// since the names that it searches for are in it.
func readDocuments(m *module) ([]document, error) {
	var documents []document
	err := filepath.WalkDir(m.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(m.dir, path)
		if err != nil {
			return err //nolint:wrapcheck // the walk is wrapped below
		}
		relative = filepath.ToSlash(relative)
		if entry.IsDir() {
			hidden := strings.HasPrefix(entry.Name(), ".") && relative != "."
			if hidden || relative == ownFolder || slices.Contains(notOurs, entry.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.IndexByte(text, 0) < 0 {
			documents = append(documents, document{relative, string(text)})
		}
		return err //nolint:wrapcheck // the walk is wrapped below
	})
	if err != nil {
		return nil, fmt.Errorf("read the module's files: %w", err)
	}
	return documents, nil
}
