package docsite

import "fmt"

// Markdown is a guide as text, such as handbook.md, with this server's addresses and numbers.
func (s *Site) Markdown(file string) (string, error) {
	source, _, err := s.source(file)
	if err != nil {
		return "", fmt.Errorf("guide %s: %w", file, err)
	}
	return string(source), nil
}
