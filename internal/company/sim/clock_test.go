package sim_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

// maxMinutes is the most that a clock can count: 19 million days, or 217 days
// of wall time at the highest speed.
const maxMinutes = 9_000_000_000

func drawClock(t *rapid.T) sim.Clock {
	return sim.Clock{
		Mode: sim.Realtime,
		Speed: rapid.OneOf(
			rapid.SampledFrom([]sim.Speed{sim.DefaultSpeed, sim.MinSpeed, sim.MaxSpeed, 1_000}),
			rapid.Custom(func(t *rapid.T) sim.Speed {
				return sim.Speed(rapid.Int64Range(int64(sim.MinSpeed), int64(sim.MaxSpeed)).Draw(t, "any"))
			}),
		).Draw(t, "speed"),
		AnchorWall: moment.Instant(rapid.Int64Range(0, 1<<52).Draw(t, "anchor wall")),
		Anchor:     sim.Minute(rapid.Int64Range(0, 1_000_000).Draw(t, "anchor")),
	}
}

// TestWallIsTheFirstInstantOfItsMinute, at every speed: the clock shows the
// minute then, and not a microsecond before.
func TestWallIsTheFirstInstantOfItsMinute(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawClock(t)
		m := c.Anchor + sim.Minute(rapid.Int64Range(1, maxMinutes).Draw(t, "minutes"))
		wall, ok := c.Wall(m)
		if !ok || wall <= c.AnchorWall {
			t.Fatalf("%+v shows %d at %d (%t)", c, m, wall, ok)
		}
		if got := c.Minute(wall); got != m {
			t.Fatalf("%+v shows %d at %d, want %d", c, got, wall, m)
		}
		if got := c.Minute(wall - 1); got >= m {
			t.Fatalf("%+v shows %d a microsecond before %d already", c, got, m)
		}
	})
}

// TestClocksNeverGoBack, neither before their anchors nor between two instants.
func TestClocksNeverGoBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawClock(t)
		most := maxMinutes / int64(c.Speed) * 1_000_000_000 // microseconds
		a := c.AnchorWall + moment.Instant(rapid.Int64Range(-most, most).Draw(t, "a"))
		b := a + moment.Instant(rapid.Int64Range(0, int64(c.AnchorWall)+most-int64(a)).Draw(t, "b"))
		if c.Minute(a) > c.Minute(b) || c.Minute(a) < c.Anchor {
			t.Fatalf("%+v shows %d at %d and %d at %d", c, c.Minute(a), a, c.Minute(b), b)
		}
	})
}

// TestEveryStockSpeedIsExact: at a speed that divides a minute into whole
// microseconds, each minute begins on its microsecond.
func TestEveryStockSpeedIsExact(t *testing.T) {
	t.Parallel()
	for speed, micros := range map[sim.Speed]moment.Instant{
		sim.DefaultSpeed: 125_000, sim.MinSpeed: 10_000_000, 1_000: 1_000_000, 400_000: 2_500,
	} {
		c := sim.Clock{Mode: sim.Realtime, Speed: speed, AnchorWall: 77, Anchor: 3}
		for m := range moment.Instant(1000) {
			if got, _ := c.Wall(3 + sim.Minute(m)); got != 77+m*micros {
				t.Fatalf("at the speed %d minute %d begins at %d, want %d", speed, m, got-77, m*micros)
			}
		}
	}
}

func TestADayTakesAMinuteAtTheDefaultSpeed(t *testing.T) {
	t.Parallel()
	c := sim.Clock{Mode: sim.Realtime, Speed: sim.DefaultSpeed, AnchorWall: 1_000_000}
	for wall, want := range map[time.Duration]sim.Minute{
		-time.Hour: 0, 0: 0, 124_999 * time.Microsecond: 0, 125 * time.Millisecond: 1, time.Second: 8, time.Minute: 480,
		time.Hour: 60 * 480,
	} {
		if got := c.Minute(c.AnchorWall.Add(wall)); got != want {
			t.Errorf("after %s the clock shows %d, want %d", wall, got, want)
		}
	}
}

// TestManualClocksMoveByHandAlone.
func TestManualClocksMoveByHandAlone(t *testing.T) {
	t.Parallel()
	c := sim.Clock{Mode: sim.Manual, Speed: sim.DefaultSpeed, AnchorWall: 5}
	if got := c.Minute(1 << 50); got != 0 {
		t.Errorf("a manual clock has moved to %d by itself", got)
	}
	if wall, ok := c.Wall(1); ok {
		t.Errorf("a manual clock will show 1 at %d", wall)
	}
	c = c.MovedTo(480, 9)
	if wall, ok := c.Wall(480); c.Minute(0) != 480 || !ok || wall != 9 {
		t.Errorf("moved to 480 the clock shows %d, since %d (%t)", c.Minute(0), wall, ok)
	}
}

// TestWorkingDaysAndDatesAreInverse over ten years, with no weekend among the
// dates; a weekend belongs to the Monday after it.
func TestWorkingDaysAndDatesAreInverse(t *testing.T) {
	t.Parallel()
	date := sim.Start
	for day := range sim.Day(2600) {
		if got := day.Date(); got != date || sim.DayFrom(date) != day {
			t.Fatalf("day %d is %s, want %s; that date is day %d", day, got, date, sim.DayFrom(date))
		}
		next := date.AddDays(1)
		for next.Weekday() == time.Saturday || next.Weekday() == time.Sunday {
			if got := sim.DayFrom(next); got != day+1 {
				t.Fatalf("%s %s is day %d, want %d", next.Weekday(), next, got, day+1)
			}
			next = next.AddDays(1)
		}
		if got := sim.DayAfter(date); got != day+1 {
			t.Fatalf("the day after %s is %d, want %d", date, got, day+1)
		}
		date = next
	}
	for _, early := range []moment.Date{sim.Start, sim.Start - 1, sim.Start - 1000} {
		if got := sim.DayFrom(early); got != 0 {
			t.Errorf("%s is day %d, want 0", early, got)
		}
	}
}

func TestMinutesReadAsTimesOfTheWorkingDay(t *testing.T) {
	t.Parallel()
	for m, want := range map[sim.Minute]string{
		0: "2026-09-07T08:00", 1: "2026-09-07T08:01", 479: "2026-09-07T15:59", 480: "2026-09-08T08:00",
		5*480 - 1: "2026-09-11T15:59", 5 * 480: "2026-09-14T08:00", 82*480 + 90: "2026-12-30T09:30",
		84 * 480: "2027-01-01T08:00",
	} {
		if got := m.Text(); got != want {
			t.Errorf("minute %d is %s, want %s", m, got, want)
		}
		if got := m.Day().At(m.OfDay()); got != m {
			t.Errorf("minute %d is %d of its day", m, got)
		}
	}
}
