package config

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
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
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), byteOrderMark))
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if ok && strings.TrimSpace(name) == variable {
			return bare(strings.TrimSpace(value)), nil
		}
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("look for %s in %s: %w", variable, DotEnv, err)
	}
	return "", nil
}

// byteOrderMark begins a file of some editors on Windows.
const byteOrderMark = "\ufeff"

// comment finds a comment behind a value and a space.
var comment = regexp.MustCompile(`\s+#.*$`)

// bare takes one pair of quotes away, or the comment behind a value.
func bare(value string) string {
	for _, quote := range []string{`"`, `'`} {
		inner, quoted := strings.CutPrefix(value, quote)
		if end := strings.Index(inner, quote); quoted && end >= 0 && comment.ReplaceAllString(inner[end+1:], "") == "" {
			return inner[:end]
		}
	}
	if strings.HasPrefix(value, "#") {
		return ""
	}
	return comment.ReplaceAllString(value, "")
}
