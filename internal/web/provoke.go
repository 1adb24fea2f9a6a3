package web

import (
	"strings"

	"platen/internal/problem"
)

// provocation is how one gets a code on purpose.
type provocation struct{ Text, Command string }

// provocation finds that of a code; BASE stands for the base URL.
func (s *site) provocation(code problem.Code) *provocation {
	p, ok := provocations[code]
	if !ok {
		return nil
	}
	p.Command = strings.ReplaceAll(p.Command, "BASE", s.BaseURL())
	return &p
}

// provocations are calls that are refused in a sandbox that has just begun.
var provocations = map[problem.Code]provocation{} //nolint:gochecknoglobals // read only
