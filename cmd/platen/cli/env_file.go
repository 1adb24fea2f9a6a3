package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// writable returns the error that writeEnv would meet, before there are keys
// that could be lost.
func writable(name string) error {
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("write %s: it is no regular file", name)
	}
	temporary, err := os.CreateTemp(filepath.Dir(name), ".env-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return errors.Join(temporary.Close(), os.Remove(temporary.Name()))
}

// writeEnv puts variables into a file that only its owner can read. Its other
// lines stay, but for a grading key: one of another sandbox would be taken for this one's.
func writeEnv(name string, lines []string) error {
	old, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read %s: %w", name, err)
	}
	var kept []string
	for line := range strings.Lines(strings.TrimPrefix(string(old), "\ufeff")) {
		variable, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if strings.TrimSpace(variable) != gradingVariable && !slices.ContainsFunc(lines, func(l string) bool {
			return strings.HasPrefix(l, strings.TrimSpace(variable)+"=")
		}) {
			kept = append(kept, strings.TrimRight(line, "\r\n"))
		}
	}
	text := strings.Join(append(kept, lines...), "\n") + "\n"
	temporary, err := os.CreateTemp(filepath.Dir(name), ".env-*") // readable by its owner alone
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer func() { _ = os.Remove(temporary.Name()) }() // when it has not got its name
	if _, err := temporary.WriteString(text); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := temporary.Close(); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := os.Rename(temporary.Name(), name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
