package sim

import "platen/internal/words/moment"

// Mode is the way in which a clock moves.
type Mode string

// Modes.
const (
	// Realtime clocks run with the wall clock, and by ticks too.
	Realtime Mode = "realtime"
	// Manual clocks move by ticks alone.
	Manual Mode = "manual"
	// Skip clocks jump while a client waits for events, and move by ticks too.
	Skip Mode = "skip"
)

// Speed is simulated minutes per wall second, in thousandths.
type Speed int64

// Speeds.
const (
	// DefaultSpeed makes a working day take one minute of wall time.
	DefaultSpeed Speed = 8_000
	// MinSpeed and MaxSpeed bound the speed of a preset.
	MinSpeed Speed = 100
	MaxSpeed Speed = 480_000
)

// microsecondsTimesThousand converts between microseconds at a Speed and
// minutes: minutes = microseconds * speed / microsecondsTimesThousand.
const microsecondsTimesThousand = 1_000_000 * 1_000

// Clock maps wall time to simulated time. It is a value: moving it makes
// another one.
type Clock struct {
	Mode       Mode           `json:"mode"`
	Speed      Speed          `json:"speed"`
	AnchorWall moment.Instant `json:"anchor_wall"`
	Anchor     Minute         `json:"anchor"`
	// Stopped clocks show their anchor for ever.
	Stopped bool `json:"stopped,omitzero"`
	// Waiting clocks show their anchor until they are started.
	Waiting bool `json:"waiting,omitzero"`
	// Skip bounds the jumps of a Skip clock.
	Skip Skipping `json:"skip,omitzero"`
}

// Skipping bounds the jumps of a clock in the mode Skip.
type Skipping struct {
	// SettleMS is how long no client has sent anything before a jump, in milliseconds.
	SettleMS int64 `json:"settle_ms,omitzero"`
	// Until is the moment at which the clock becomes a manual one.
	Until Minute `json:"until"`
}

// Stands reports whether wall time does not move the clock.
func (c Clock) Stands() bool { return c.Stopped || c.Waiting || c.Mode != Realtime }

// Minute returns the simulated moment at a wall time, never before the anchor.
func (c Clock) Minute(wall moment.Instant) Minute {
	if c.Stands() || wall <= c.AnchorWall {
		return c.Anchor
	}
	// Whole units first, so that centuries do not overflow.
	passed, speed := int64(wall-c.AnchorWall), int64(c.Speed)
	whole, rest := passed/microsecondsTimesThousand, passed%microsecondsTimesThousand
	return c.Anchor + Minute(whole*speed+rest*speed/microsecondsTimesThousand)
}

// Wall returns the earliest wall time at which the clock shows m. For moments
// before the anchor it is the anchor's. A manual, a waiting or a stopped clock has
// no such time; ok is then false for moments after the anchor.
func (c Clock) Wall(m Minute) (wall moment.Instant, ok bool) {
	if m <= c.Anchor {
		return c.AnchorWall, true
	}
	if c.Stands() {
		return 0, false
	}
	micros := (int64(m-c.Anchor)*microsecondsTimesThousand + int64(c.Speed) - 1) / int64(c.Speed)
	return c.AnchorWall + moment.Instant(micros), true
}

// MovedTo returns the clock set to show m at a wall time.
func (c Clock) MovedTo(m Minute, wall moment.Instant) Clock {
	c.Anchor, c.AnchorWall = m, wall
	return c
}
