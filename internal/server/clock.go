package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"platen/internal/store"
)

const (
	// jumpLeast is how far the wall clock may move away from the one that only counts, between two looks, before
	// somebody is taken to have set it.
	jumpLeast = time.Minute
	// doubtLasts is how long nothing is deleted because of its age after that: a clock that was set by mistake is
	// often set right soon.
	doubtLasts = 10 * time.Minute
	// keepTimeEvery is how often the newest time is stored.
	keepTimeEvery = time.Minute
	// farAhead is how far ahead of the clock the stored time may be and still be believed.
	farAhead = time.Hour

	// keyTime names the record of the newest time that this database has seen.
	keyTime = "newest time"
)

// clock is the time of a server. It follows the wall clock of the machine, but begins no earlier than the newest time
// that was stored, so that nobody is shown an earlier one after a restart. It also tells when not to trust it.
type clock struct {
	// wall is the machine's clock, elapsed counts from some moment and cannot be set.
	wall    func() time.Time
	elapsed func() time.Duration
	log     *slog.Logger

	// began is the stored time where the wall clock was behind it, and beganAt when it was read.
	began   time.Time
	beganAt time.Duration

	mu sync.Mutex // guards the fields below
	// seen is the time of the newest look, and seenAt when that was.
	seen   time.Time
	seenAt time.Duration
	// doubted says until when the clock is doubted.
	doubted time.Duration
}

// machineClock is the clock of this machine.
func machineClock(log *slog.Logger) *clock {
	start := time.Now()
	return &clock{wall: time.Now, elapsed: func() time.Duration { return time.Since(start) }, log: log}
}

// Now is the time. It is never before the stored time and what has passed since.
func (c *clock) Now() time.Time {
	now := c.wall()
	if c.began.IsZero() {
		return now
	}
	if least := c.began.Add(c.elapsed() - c.beganAt); now.Before(least) {
		return least
	}
	return now
}

// Steady reports whether what is old at a time may be deleted for good. It may not for a while after the clock was set:
// ahead by mistake, everything would be old.
func (c *clock) Steady(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now = now.Round(0) // without the reading of the other clock
	elapsed := c.elapsed()
	jump := now.Sub(c.seen) - (elapsed - c.seenAt)
	if !c.seen.IsZero() && jump.Abs() > jumpLeast {
		c.doubted = elapsed + doubtLasts
		c.log.Warn("the clock was set, or the machine slept: nothing is deleted because of its age for a while",
			"moved", jump.Round(time.Second).String(), "for", doubtLasts.String())
	}
	c.seen, c.seenAt = now, elapsed
	return elapsed >= c.doubted
}

// resume goes on from the newest time that a store has seen.
func (c *clock) resume(ctx context.Context, db store.Store) error {
	record, err := db.Find(ctx, kindServer, keyTime)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up the newest time of the database: %w", err)
	}
	micros, err := strconv.ParseInt(string(record.Body), 10, 64)
	if err != nil {
		return fmt.Errorf("read the newest time of the database: %w", err)
	}
	newest, wall := time.UnixMicro(micros), c.wall()
	switch ahead := newest.Sub(wall); {
	case ahead <= 0:
	case ahead <= farAhead:
		c.began, c.beganAt = newest, c.elapsed()
		c.log.Warn("the clock of this machine is behind the newest time of this database, and time goes on from "+
			"there: set the clock", "clock", wall.UTC(), "newest", newest.UTC())
	default:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.doubted = c.elapsed() + doubtLasts
		c.log.Warn("the clock of this machine is far behind the newest time of this database, one of them is wrong: "+
			"time goes on from the clock, so in-world time may go back, and nothing is deleted because of its age for "+
			"a while", "clock", wall.UTC(), "newest", newest.UTC(), "for", doubtLasts.String())
	}
	return nil
}

// keep stores the time, unless it is doubted.
func (c *clock) keep(ctx context.Context, db store.Store) error {
	now := c.Now()
	if !c.Steady(now) {
		return nil
	}
	return db.Write(ctx, []store.Write{{Record: store.Record{
		Kind: kindServer, Key: keyTime, Body: strconv.AppendInt(nil, now.UnixMicro(), 10),
		EndsAt: now.Add(canaryLasts).UTC().Truncate(time.Microsecond),
	}}})
}

// keepTime stores the time again and again until the context ends.
func (s *Server) keepTime(ctx context.Context) {
	ticker := time.NewTicker(keepTimeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := s.clock.keep(ctx, s.store); err != nil && ctx.Err() == nil {
			s.log.Warn("keep the time for the next start", "error", err)
		}
	}
}
