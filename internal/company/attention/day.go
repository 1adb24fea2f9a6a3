package attention

import (
	"fmt"
	"strings"

	"platen/internal/words/moment"
)

// This file says when something is due. The next working day is tomorrow from Monday to Thursday, and has a date on
// Friday.

// on says when a day of the past, of today or of the next working day is.
func (l *look) on(d moment.Date) string {
	switch {
	case d == l.today:
		return "today"
	case d == l.tomorrow && d == l.today.AddDays(1):
		return "tomorrow"
	default:
		return "on " + d.String()
	}
}

// evening says when a day ends.
func (l *look) evening(d moment.Date) string {
	switch l.on(d) {
	case "today":
		return "tonight"
	case "tomorrow":
		return "tomorrow evening"
	default:
		return "on the evening of " + d.String()
	}
}

// group are some things of which the same is said.
type group struct {
	n         int
	one, many string
}

// said is a sentence, without its end, about things of which different things are said.
func said(one, many string, groups ...group) string {
	var parts []string
	all, last := 0, ""
	for _, g := range groups {
		if g.n > 0 {
			all, last = all+g.n, verb(g.n, g.one, g.many)
			parts = append(parts, fmt.Sprintf("%d %s", g.n, last))
		}
	}
	if len(parts) == 1 {
		return count(all, one, many) + " " + last
	}
	return count(all, one, many) + ": " + strings.Join(parts, ", ")
}

// dues are numbers of things by the days on which they are due.
type dues struct{ past, today, next int }

func (l *look) tally(all *dues, d moment.Date) {
	switch {
	case d < l.today:
		all.past++
	case d == l.today:
		all.today++
	default:
		all.next++
	}
}

// groups say when they are due.
func (l *look) groups(all dues) []group {
	next := "due " + l.on(l.tomorrow)
	return []group{
		{all.past, "is overdue", "are overdue"},
		{all.today, "is due today", "are due today"},
		{all.next, "is " + next, "are " + next},
	}
}

// dueText says when one thing is or was due, as a part of a sentence.
func (l *look) dueText(d moment.Date) string {
	if d < l.today {
		return "which was due on " + d.String()
	}
	return "due " + l.on(d)
}
