package cli

import (
	"testing"
	"time"
)

func TestTimesAreSaidAsPeopleSayThem(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second: "0 s", 45 * time.Second: "45 s", 90 * time.Second: "1 min", 3599 * time.Second: "59 min",
		86399 * time.Second: "23 h 59 min", 2 * time.Hour: "2 h", 24 * time.Hour: "1 d", 50 * time.Hour: "2 d 2 h",
	} {
		if got := span(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
	zone := time.FixedZone("here", 7200)
	now := time.Date(2026, 9, 9, 23, 30, 0, 0, zone) // a Wednesday
	for after, want := range map[time.Duration]string{
		20 * time.Minute: "23:50", 30 * time.Minute: "tomorrow 00:00", 24 * time.Hour: "tomorrow 23:30",
		25 * time.Hour: "Friday 00:30", 8 * 24 * time.Hour: "17 September 23:30", -24 * time.Hour: "8 September 23:30",
	} {
		if got := moment(now.Add(after).UTC(), now); got != want {
			t.Errorf("%s from now is %q, want %q", after, got, want)
		}
	}
	if got := count(1, "bill") + count(0, "bill"); got != "1 bill0 bills" {
		t.Error(got)
	}
}
