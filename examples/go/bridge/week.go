package main

import (
	"context"
	"fmt"
	"time"

	"platen/client"
)

const (
	weekDays = 7
	// fridayFromMonday is how many days the last working day is after the first.
	fridayFromMonday = 4
	// lastMinute is the minute at which the gate closes on a Friday. The API
	// takes hours from noon on; after this minute nothing can change them.
	lastMinute = "15:59"
	// hoursPerDay is the hours that a day of illness or leave counts.
	hoursPerDay = 8
)

// carryWeeks is the hand-off that no event asks for: when a week is over, its
// attendance at the Factory's gate becomes the timesheet by which Head Office
// pays.
func (b *bridge) carryWeeks(ctx context.Context, today client.Date) error {
	if b.state.Week == "" {
		if err := b.findFirstWeek(ctx); err != nil || b.state.Week == "" {
			return err
		}
	}
	for {
		over, err := b.weekIsOver(ctx, today)
		if err != nil || !over {
			return err
		}
		monday := b.state.Week
		// One timesheet for a week, one key for it.
		err = b.report(ctx, "the week of "+string(monday), "bridge-week-"+string(monday),
			func(ctx context.Context) (string, error) {
				return b.recordHours(ctx, monday)
			})
		if err != nil {
			return err
		}
		b.state.Week = after(monday, weekDays)
		if err := b.state.save(b.path); err != nil {
			return err
		}
	}
}

// findFirstWeek begins with the week of the company's first event. While one system is away the
// feed may show none: then there is no week yet.
func (b *bridge) findFirstWeek(ctx context.Context) error {
	page, err := b.api.ListEvents(ctx, client.ListEventsParams{Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return err
	}
	first := page.Items[0].SimDate
	sinceMonday := (int(first.Time().Weekday()) + weekDays - int(time.Monday)) % weekDays
	b.state.Week = after(first, -sinceMonday)
	return b.state.save(b.path)
}

// weekIsOver reports whether the gate has closed behind the week that is to be
// carried next.
func (b *bridge) weekIsOver(ctx context.Context, today client.Date) (bool, error) {
	if b.state.Week == "" {
		return false, nil
	}
	friday := after(b.state.Week, fridayFromMonday)
	if today != friday {
		return today > friday, nil
	}
	sandbox, err := b.api.GetSandbox(ctx)
	if err != nil {
		return false, fmt.Errorf("read the clock: %w", err)
	}
	return sandbox.Clock.SimDate > friday || sandbox.Clock.SimTime >= lastMinute, nil
}

// recordHours records the attendance of a week by badge, since both systems
// know employees by their badge.
func (b *bridge) recordHours(ctx context.Context, monday client.Date) (string, error) {
	var in client.CreateTimesheetInput
	err := anew(func() (err error) {
		in, err = b.hours(ctx, monday)
		return err
	})
	if err != nil {
		return "", err
	}
	if len(in.Entries) == 0 {
		return "nobody was at work", nil
	}
	sheet, err := b.api.CreateTimesheet(ctx, in)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the hours of %d people are timesheet %s", len(in.Entries), sheet.ID), nil
}

// hours adds up the attendance of a week.
func (b *bridge) hours(ctx context.Context, monday client.Date) (client.CreateTimesheetInput, error) {
	in := client.CreateTimesheetInput{WeekStart: monday}
	entries := map[string]int{}
	for row, err := range b.api.Attendance(ctx, client.ListAttendanceParams{WeekStart: string(monday)}) {
		if err != nil {
			return in, err
		}
		at, ok := entries[row.BadgeNo]
		if !ok {
			at = len(in.Entries)
			entries[row.BadgeNo] = at
			in.Entries = append(in.Entries, client.HoursEntryInput{BadgeNo: &row.BadgeNo})
		}
		switch entry := &in.Entries[at]; row.Absence {
		case client.FactoryAbsenceNone:
			entry.HoursWorked += row.Hours
		case client.FactoryAbsenceSick:
			entry.HoursSick += hoursPerDay
		case client.FactoryAbsenceLeave:
			entry.HoursLeave += hoursPerDay
		}
	}
	return in, nil
}

// after is the day so many days after another.
func after(day client.Date, days int) client.Date {
	return client.DateOf(day.Time().AddDate(0, 0, days))
}
