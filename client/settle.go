package client

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Settlement is the integration score of a sandbox as it would be if your program stopped now: Counts and ExactlyOnce
// have the Findings alone, and there are no Kinds.
type Settlement struct {
	*Integration

	// Findings are the obligations that began by AsOf, and the effects without one, also the exact ones.
	Findings []Finding
	// AsOf is the in-world day of the sandbox.
	AsOf Date
	// Faulty is whether the sandbox was asked for faults: by a plan, or by a fault that was injected.
	Faulty bool
}

const (
	// settleDays of the calendar have at least four working days: then everything that was due is judged.
	settleDays = 6
	// settleMinutes is the longest tick.
	settleMinutes = 4800
	// settleTime is how long the deletion of the fork may take after the context has ended.
	settleTime = 10 * time.Second
)

// SettleIntegration judges what your program owed by now, without waiting for it: it forks the sandbox, lets four
// working days pass in the fork, counts the findings that began before, and deletes the fork. The sandbox itself
// does not change. Call it when your program has nothing left to do. With the auto bridge there is an Integration
// without a score. The fork counts towards the limits of the server like a new sandbox.
func SettleIntegration(ctx context.Context, c *Client) (*Settlement, error) {
	status, err := c.GetSandbox(ctx)
	if err != nil {
		return nil, err
	}
	fork, err := c.ForkSandbox(ctx, ForkSandboxInput{})
	if err != nil {
		return nil, err
	}
	settled, err := fork.Client().settle(ctx)
	ended, stop := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer stop()
	if _, deleted := fork.Client().DeleteSandbox(ended); err == nil {
		err = deleted
	}
	if err != nil {
		return nil, err
	}
	injected, err := c.ListFaults(ctx, ListFaultsParams{Limit: 1})
	if err != nil {
		return nil, err
	}
	settled.Faulty = status.Faults != nil || len(injected.Items) > 0
	return settled, nil
}

// settle lets time pass in a fork and reads its score.
func (c *Client) settle(ctx context.Context) (*Settlement, error) {
	status, err := c.GetSandbox(ctx)
	if err != nil {
		return nil, err
	}
	if status.Clock.Mode != ClockModeManual {
		if _, err = c.UpdateSandbox(ctx, UpdateSandboxInput{Clock: ClockModeManual}); err != nil {
			return nil, err
		}
	}
	s := &Settlement{AsOf: status.Clock.SimDate}
	until := DateOf(s.AsOf.Time().AddDate(0, 0, settleDays))
	_, err = c.AdvanceTime(ctx, TickInput{Minutes: new(int64(settleMinutes)), Until: &TickUntilInput{SimDate: &until}})
	if err != nil {
		return nil, err
	}
	if s.Integration, err = c.GetIntegration(ctx); err != nil || s.Bridge != BridgeManual {
		return s, err
	}
	for f, err := range c.IntegrationFindings(ctx, ListIntegrationFindingsParams{Limit: 100}) {
		if err != nil {
			return nil, err
		}
		if f.SinceOn <= s.AsOf { // both are YYYY-MM-DD
			s.Findings = append(s.Findings, f)
		}
	}
	s.recount()
	return s, nil
}

// recount counts the findings that are kept.
func (s *Settlement) recount() {
	n := IntegrationCount{}
	for _, f := range s.Findings {
		switch f.Verdict {
		case IntegrationVerdictExact:
			n.Exact++
		case IntegrationVerdictLate:
			n.Late++
		case IntegrationVerdictMissed:
			n.Missed++
		case IntegrationVerdictDoubled:
			n.Doubled++
		case IntegrationVerdictWrong:
			n.Wrong++
		case IntegrationVerdictUnexpected:
			n.Unexpected++
		case IntegrationVerdictRepeated:
			n.Repeated++
		}
	}
	whole := int64(len(s.Findings))
	n.Due = whole - n.Unexpected - n.Repeated
	s.Counts, s.Kinds, s.ExactlyOnce, s.FailuresPerThousand, s.DaysWithoutFailure = n, nil, nil, nil, nil
	if whole > 0 {
		const thousand = 1000
		s.ExactlyOnce = new((float64(n.Exact) + float64(n.Late)/2) / float64(whole))
		s.FailuresPerThousand = new(thousand * float64(whole-n.Exact-n.Late) / float64(whole))
	}
}

// Considerate is the part of the requests without a harmless mistake, nil before the first: those that did not come
// early, were no refused write, and did not read again what had not changed.
func (s *Settlement) Considerate() *float64 {
	m := &s.Manners
	if m.Requests == 0 {
		return nil
	}
	return new(max(0, 1-float64(m.Early+m.WritesRefused+m.UnchangedReads)/float64(m.Requests)))
}

// Failures are the findings that are not exact.
func (s *Settlement) Failures() []Finding {
	failures := []Finding{}
	for _, f := range s.Findings {
		if f.Verdict != IntegrationVerdictExact {
			failures = append(failures, f)
		}
	}
	return failures
}

// Gate is the least that a test demands of an integration.
type Gate struct {
	// Carried is the least exactly_once, Client the least client; 0 demands none.
	Carried, Client float64
	// Manners is the least part of the requests without a harmless mistake (Considerate); 0 demands none.
	Manners float64
	// MinDue is the least number of obligations that were due, MinHit of the writes that a fault hit.
	MinDue, MinHit int64
}

// Check returns an error that names each demand that a settlement does not meet, and what lost the score, one in a
// line; nil for none. A score that is null
// meets no demand: a program to which nothing happened has proven nothing.
func (g Gate) Check(s *Settlement) error {
	var missed []string
	demand := func(name string, got *float64, least float64, none string) {
		switch {
		case least <= 0 || got != nil && *got >= least:
		case got == nil:
			missed = append(missed, fmt.Sprintf("%s is null: %s", name, none))
		default:
			missed = append(missed, fmt.Sprintf("%s is %s, less than %s", name, short(*got),
				strconv.FormatFloat(least, 'f', -1, 64)))
		}
	}
	demand("exactly_once", s.ExactlyOnce, g.Carried, "nothing was due")
	demand("client", s.Client, g.Client, "no injected fault has hit a write of your program")
	demand("manners", s.Considerate(), g.Manners, "your program has sent no request")
	if s.Counts.Due < g.MinDue {
		missed = append(missed, fmt.Sprintf("%d due, fewer than %d", s.Counts.Due, g.MinDue))
	}
	if s.Hit < g.MinHit {
		missed = append(missed, fmt.Sprintf("%d writes hit by a fault, fewer than %d", s.Hit, g.MinHit))
	}
	if len(missed) == 0 {
		return nil
	}
	for _, f := range s.Failures() {
		if len(missed) < mostReasons {
			missed = append(missed, fmt.Sprintf("%s: %s", f.Verdict, f.Message))
		}
	}
	for _, u := range s.Unrecovered {
		if len(missed) < mostReasons {
			missed = append(missed, fmt.Sprintf("%s: %s", u.Outcome, u.Message))
		}
	}
	return errors.New(strings.Join(missed, "\n"))
}

// mostReasons is how many reasons the error of a gate names.
const mostReasons = 12

// short writes a score with three decimals, and never rounds up.
func short(score float64) string {
	const thousand, inexact = 1000, 1e-9 // of the product: 0.57 times 1000 is a little less than 570
	return strconv.FormatFloat(math.Floor(score*thousand+inexact)/thousand, 'f', 3, 64)
}
