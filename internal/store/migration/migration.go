// Package migration lists the scripts that bring the tables of an engine up to
// date. To run them is the engine's own.
package migration

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// A Migration brings the tables one step further. Once released it is never
// changed.
type Migration struct {
	Number int
	Name   string
	Script string
}

// List returns the files migrations/*.sql in order. Their numbers are the first
// four characters of their names and count from 1.
func List(files fs.FS) ([]Migration, error) {
	paths, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var list []Migration
	for _, path := range paths {
		name := strings.TrimPrefix(path, "migrations/")
		digits, _, _ := strings.Cut(name, "_")
		number, err := strconv.Atoi(digits)
		if err != nil || number != len(list)+1 {
			return nil, fmt.Errorf("migration %s does not follow number %d", name, len(list))
		}
		script, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, err
		}
		list = append(list, Migration{number, name, string(script)})
	}
	return list, nil
}
