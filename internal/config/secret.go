package config

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// DotEnv is the file in which people keep keys beside their program.
const DotEnv = ".env"

// Secret returns the value that a command was given by a flag, or else finds in
// a variable of the environment, or else in a .env file of the working
// directory. It is empty when it is in none of them.
func Secret(flag, variable string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	if value := os.Getenv(variable); value != "" {
		return value, nil
	}
	return dotEnv(variable)
}

// InDotEnv reports whether Secret finds a variable in the .env file.
func InDotEnv(variable string) (bool, error) {
	if os.Getenv(variable) != "" {
		return false, nil
	}
	value, err := dotEnv(variable)
	return value != "", err
}

// dotEnv returns the value of a variable in the .env file, "" when it has none.
func dotEnv(variable string) (string, error) {
	file, err := os.Open(DotEnv)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", variable, err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "export "), "=")
		if ok && strings.TrimSpace(name) == variable {
			return unquoted(strings.TrimSpace(value)), nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("look for %s in %s: %w", variable, DotEnv, err)
	}
	return "", nil
}

// unquoted takes one pair of quotes away.
func unquoted(value string) string {
	for _, quote := range []string{`"`, `'`} {
		if inner, ok := strings.CutPrefix(value, quote); ok && strings.HasSuffix(inner, quote) {
			return strings.TrimSuffix(inner, quote)
		}
	}
	return value
}
