package cli

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"platen/client"
)

// inWorld is an in-world date with or without a time, as --until takes it.
var inWorld = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}))?$`)

// Most minutes of a tick, without and with until (contract: OPEN.TICK.UNTIL).
const longestTick, longestTickUntil = 480, 4800

// TickInput reads the arguments of platen tick. Each text of until is an event
// type; one alone may also be decision, the number of an event, or an in-world
// date, with or without a time.
func TickInput(minutes string, until []string) (in client.TickInput, err error) {
	if minutes != "" {
		n, err := strconv.ParseInt(minutes, 10, 64)
		if err != nil {
			return in, usagef("the minutes must be a whole number, not %q", minutes)
		}
		in.Minutes = &n
		if len(until) == 0 && n > longestTick {
			return in, usagef("a tick without --until moves at most %d minutes, one working day: platen tick %d "+
				"--until decision stops at the first decision, and --until 2026-09-10 or another date at its opening",
				longestTick, min(n, longestTickUntil))
		}
	}
	if len(until) == 0 {
		return in, nil
	}
	in.Until = &client.TickUntilInput{}
	if len(until) > 1 || strings.Contains(until[0], ".") || until[0] == "*" {
		for _, kind := range until {
			in.Until.EventTypes = append(in.Until.EventTypes, client.EventType(kind))
		}
		return in, nil
	}
	if at := inWorld.FindStringSubmatch(until[0]); at != nil {
		in.Until.SimDate = new(client.Date(at[1]))
		if at[2] != "" {
			in.Until.SimTime = &at[2]
		}
		return in, nil
	}
	if until[0] == "decision" {
		in.Until.Decision = new(true)
		return in, nil
	}
	seq, err := strconv.ParseInt(until[0], 10, 64)
	if err != nil {
		return in, usagef("--until takes decision, event types, the number of an event, or a date such as "+
			"2026-09-09 or 2026-09-09T13:30, not %q", until[0])
	}
	in.Until.Seq = &seq
	return in, nil
}

// WriteClock writes what the clock shows and how it moves, for a person.
func WriteClock(out io.Writer, s *client.SandboxStatus) {
	fmt.Fprintf(out, "%s, %s: the clock is %s and %s\n",
		paintFor(out).in(bold, string(s.Clock.SimDate)+" "+s.Clock.SimTime), workingDay(s.Clock.DayNumber),
		s.Clock.Mode, pace(s))
}

// workingDay counts days from 1, as people do and as platen eval --day does; the API counts from 0.
func workingDay(number int64) string { return fmt.Sprintf("working day %d", number+1) }

// pace says how the clock of a sandbox moves.
func pace(s *client.SandboxStatus) string {
	how := "runs"
	if s.Clock.Waiting {
		how = "waits for your next request"
	}
	switch s.Clock.Mode {
	case client.ClockModeManual:
		how = "moves with platen tick"
	case client.ClockModeRealtime:
	case client.ClockModeSkip:
		how = "jumps while a program waits for events, until " + string(*s.Clock.SkipsUntil)
	}
	return how
}

// WriteTick writes what a tick did, for a person.
func WriteTick(out io.Writer, r *client.TickResult) {
	p := paintFor(out)
	fmt.Fprintf(out, "%s, %s, after %s (stopped by %s); newest event %d\n",
		p.in(bold, string(r.SimDate)+" "+r.SimTime), workingDay(r.DayNumber), count(r.AdvancedMinutes, "minute"),
		r.StoppedBy, r.LastSeq)
	for _, e := range r.Digest.Events {
		fmt.Fprintf(out, "%6d  %s\n", e.Count, e.Type)
	}
	if r.Digest.DecisionsTotal == 0 {
		return
	}
	fmt.Fprintf(out, "%s\n", p.in(bold, fmt.Sprintf("%d waiting for you", r.Digest.DecisionsTotal)))
	for _, d := range r.Digest.Decisions {
		fmt.Fprintf(out, "        %-8s %-17s %s\n", d.System, d.Resource, d.ID)
	}
}
