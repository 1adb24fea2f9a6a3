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
	// CompatibleFrom is the number of migrations that a program has to know at least to
	// work with the tables after this one: Number, unless the script begins with
	// "-- compatible from N". So programs of before and after it can work side by side.
	CompatibleFrom int
}

const compatible = "-- compatible from "

// CheckFirst refuses the tables of an unreleased version: the promise that later versions
// read a database begins with 0.1.0. It is given the name of the first migration that was applied.
func CheckFirst(known []Migration, name string) error {
	if name == known[0].Name {
		return nil
	}
	return fmt.Errorf("it was written by an unreleased version of Platen, before 0.1.0, which this version " +
		"cannot read: delete it, or give this version another one")
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
		m := Migration{number, name, string(script), number}
		if line, said := strings.CutPrefix(m.Script, compatible); said {
			line, _, _ = strings.Cut(line, "\n")
			m.CompatibleFrom, err = strconv.Atoi(line)
			if err != nil || m.CompatibleFrom < 1 || m.CompatibleFrom > number {
				return nil, fmt.Errorf("migration %s is not compatible from %q", name, line)
			}
		}
		list = append(list, m)
	}
	return list, nil
}
