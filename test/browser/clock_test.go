package browser_test

import (
	"fmt"
	"net/http"
	"testing"

	"platen/platentest"
)

// TestTheClockIsMovedFromTheConsole: it waits for the first request, runs and is
// paused, and goes by an hour, by a day and to the next decision.
func TestTheClockIsMovedFromTheConsole(t *testing.T) {
	t.Parallel()
	for _, l := range looksOf(2) {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			p := platentest.Start(t, private)
			c := found(t, p, platentest.Options{Preset: "manual", Clock: "realtime"})
			x := open(t, p.Origin, l)
			x.enter(c.Sandbox, "/console")
			x.shows("#clock-waits", "The clock starts with your first request")
			x.shows(".inworld", "08:00")
			x.accessible("a clock that waits")
			x.shot("clock-waits-" + l.String())

			c.list("/office/sales-orders")
			x.shows("#clock-mode", "Pause")
			x.click("#clock-mode")
			x.shows(".toast", "The clock is paused")
			x.shows("#clock-mode", "Run")
			before := c.clock()
			if before["mode"] != "manual" {
				t.Errorf("after the pause the clock is %v", before)
			}
			x.click("#clock-hour")
			x.shows(".toast", "event")
			x.shows("#clock-hour:enabled", "+1 hour")
			if got := workingMinutes(t, c.clock()) - workingMinutes(t, before); got != 60 {
				t.Errorf("an hour took the clock from %v to %v", before, c.clock())
			}
			x.click("#clock-day")
			x.shows("#clock-day:enabled", "+1 day")
			if got := workingMinutes(t, c.clock()) - workingMinutes(t, before); got != 540 {
				t.Errorf("an hour and a day took the clock from %v to %v", before, c.clock())
			}
			x.shows(".inworld", text(c.clock(), "sim_time"))
			x.click("#clock-decision")
			x.shows(".toast", "open")
			if got := workingMinutes(t, c.clock()) - workingMinutes(t, before); got <= 540 {
				t.Errorf("the next decision took the clock from %v to %v", before, c.clock())
			}
			x.accessible("the clock's buttons")
			x.shot("clock-paused-" + l.String())
			x.click("#clock-mode")
			x.shows("#clock-mode", "Pause")
			if now := c.clock(); now["mode"] != "realtime" {
				t.Errorf("the clock was let run and is %v", now)
			}
		})
	}
}

// clock is the clock of the sandbox.
func (c *company) clock() record {
	c.Helper()
	clock, _ := c.must(http.MethodGet, "/sandbox", nil)["clock"].(record)
	return clock
}

// workingMinutes returns the time of a clock, in minutes since the opening.
func workingMinutes(t testing.TB, clock record) (minutes int) {
	t.Helper()
	var day, hour, minute int
	if _, err := fmt.Sscanf(fmt.Sprint(clock["day_number"], " ", clock["sim_time"]), "%d %d:%d", &day, &hour,
		&minute); err != nil {
		t.Fatalf("the clock is %v: %v", clock, err)
	}
	return day*480 + (hour-8)*60 + minute
}
