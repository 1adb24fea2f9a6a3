package task

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

const (
	// rounding is the error that a mean of many scores may have.
	rounding = 1e-9
	// mostReasons is how many reasons the error of a gate names.
	mostReasons = 12
)

// Require returns an error unless the grade has the least score. What a task asks to be carried is in its checks, so
// that a score needs no number of obligations beside it.
func (g *Grade) Require(least float64) error {
	if g.Score >= least-rounding {
		return nil
	}
	return gate(append([]string{below(g.Task, g.Score, least)}, g.reasons("")...))
}

// Require returns an error unless the mean score of each task is the least one.
func Require(all []Outcome, least float64) error {
	var missed, reasons []string
	for i := range all {
		o := &all[i]
		if o.Mean >= least-rounding {
			continue
		}
		missed = append(missed, below(o.Task, o.Mean, least))
		for _, t := range o.Tries {
			of := fmt.Sprintf("%s, seed %d: ", o.Task, t.Seed)
			if t.Error != "" {
				reasons = append(reasons, of+t.Error)
			}
			if t.Grade != nil {
				reasons = append(reasons, t.Grade.reasons(of)...)
			}
		}
	}
	if len(missed) == 0 {
		return nil
	}
	return gate(append(missed, reasons...))
}

// reasons are those for which a grade is not 1.
func (g *Grade) reasons(of string) []string {
	var all []string
	for _, reason := range []string{g.Void, g.Over} {
		if reason != "" {
			all = append(all, of+reason)
		}
	}
	for _, r := range g.Checks {
		if r.Why != "" {
			all = append(all, of+r.Name+": "+r.Why)
		}
	}
	return all
}

// below says that a score is too low. It never rounds one up.
func below(name string, score, least float64) string {
	const thousand = 1000
	return fmt.Sprintf("%s: score %.3f, less than %g", name, math.Floor((score+rounding)*thousand)/thousand, least)
}

func gate(reasons []string) error {
	return errors.New(strings.Join(reasons[:min(len(reasons), mostReasons)], "\n"))
}
