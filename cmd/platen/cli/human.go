package cli

import (
	"fmt"
	"time"
)

// span is a duration as people say it, in its two largest units.
func span(d time.Duration) string {
	day, hour := 24*time.Hour, time.Hour
	switch d = max(d, 0).Round(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < day && d%hour < time.Minute:
		return fmt.Sprintf("%d h", d/hour)
	case d < day:
		return fmt.Sprintf("%d h %d min", d/hour, d%hour/time.Minute)
	case d%day < hour:
		return fmt.Sprintf("%d d", d/day)
	default:
		return fmt.Sprintf("%d d %d h", d/day, d%day/hour)
	}
}

// moment is a time as people say it, seen from now on the same clock.
func moment(t, now time.Time) string {
	t = t.In(now.Location())
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch {
	case t.Before(midnight) || !t.Before(midnight.AddDate(0, 0, 7)):
		return t.Format("2 January 15:04")
	case t.Before(midnight.AddDate(0, 0, 1)):
		return t.Format("15:04")
	case t.Before(midnight.AddDate(0, 0, 2)):
		return t.Format("tomorrow 15:04")
	default:
		return t.Format("Monday 15:04")
	}
}

// count is a number with the word for what is counted: "1 order", "2 orders".
func count[N ~int | ~int64 | ~uint64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
