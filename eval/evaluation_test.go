package eval

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/cmd/platen/cli"
	"platen/internal/publish/economy"
	"platen/platentest"
)

func TestSeedsAreNumbersAndRanges(t *testing.T) {
	t.Parallel()
	seeds, err := ParseSeeds("3..5, 9,0")
	if err != nil || !slices.Equal(seeds, []uint64{3, 4, 5, 9, 0}) {
		t.Errorf("got %v, %v", seeds, err)
	}
	if seeds, err = ParseSeeds("1..1000"); err != nil || len(seeds) != 1000 {
		t.Errorf("got %d seeds, %v", len(seeds), err)
	}
	for _, text := range []string{"", "5..1", "1..", "..2", "-1", "x", "1..1001", "1..999,1..2", "9007199254740992"} {
		_, err := ParseSeeds(text)
		if _, ok := errors.AsType[cli.UsageError](err); !ok {
			t.Errorf("%q is read as seeds, with %v", text, err)
		}
	}
}

// TestLinesArePassedOnWhole, however the program cuts its writes.
func TestLinesArePassedOnWhole(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := &lines{out: &out, outMu: &sync.Mutex{}, prefix: "seed 1: "}
	for _, part := range []string{"a", "b\nc\n", "\n", strings.Repeat("x", maxLine+1), "\nend"} {
		if n, err := l.Write([]byte(part)); n != len(part) || err != nil {
			t.Errorf("wrote %d of %d, %v", n, len(part), err)
		}
	}
	l.Close()
	want := "seed 1: ab\nseed 1: c\nseed 1: \nseed 1: " + strings.Repeat("x", maxLine) +
		"\nseed 1: x\nseed 1: end\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

// TestARunIsComparedByItsReport: a company whose program cannot be started is played
// on idle, and counts with the result of that.
func TestARunIsComparedByItsReport(t *testing.T) {
	t.Parallel()
	var output bytes.Buffer
	e := &Evaluation{
		Preset: "agent_eval", Seeds: []uint64{4, 4}, Day: 2, Parallel: 2, Timeout: time.Minute,
		Command: []string{"no-such-program-anywhere"}, Output: &output,
	}
	s, err := e.Run(t.Context(), strings.TrimSuffix(platentest.Start(t).BaseURL, "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Counted != 2 || s.MeanMinor == 0 || s.SpreadMinor != 0 || s.Day != 2 || s.PresetVersion == 0 {
		t.Errorf("got %+v", s)
	}
	for _, r := range s.Runs {
		if r.Day != 2 || r.Finished || r.StoppedOn != 0 || r.ExitStatus != -1 || r.NetWorthMinor != s.MeanMinor ||
			!strings.Contains(r.Error, "no-such-program-anywhere") ||
			!strings.HasSuffix(r.Error, "; stopped on day 1; the company went on without it") ||
			!bytes.Contains(r.Report, []byte(`"state_hash"`)) {
			t.Errorf("got %+v", r)
		}
	}
	if err := s.Failed(); err == nil || err.Error() != "2 of 2 runs failed" {
		t.Errorf("got %v", err)
	}
	var shown bytes.Buffer
	if err := s.Print(&shown); err != nil || !strings.Contains(shown.String(), "day 2, 2 runs of agent_eval") {
		t.Errorf("%v, printed\n%s", err, &shown)
	}
}

func TestAnUnknownPresetIsRejectedBeforeItIsPlayed(t *testing.T) {
	t.Parallel()
	e := &Evaluation{Preset: "nothing", Seeds: []uint64{1}, Day: 1, Parallel: 1, Timeout: time.Minute}
	s, err := e.Run(t.Context(), strings.TrimSuffix(platentest.Start(t).BaseURL, "/v1"))
	_, ok := errors.AsType[cli.UsageError](err)
	if !ok || s != nil || !strings.Contains(err.Error(), "agent_eval") {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestImpossibleOptionsAreRejected(t *testing.T) {
	t.Parallel()
	good := Evaluation{Day: 1, Parallel: 1, Timeout: 1}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, bad := range []*Evaluation{
		{Parallel: 1, Timeout: 1}, {Day: 1, Timeout: 1}, {Day: 1, Parallel: 1}, {Day: 1, Parallel: -1, Timeout: 1},
	} {
		if _, ok := errors.AsType[cli.UsageError](bad.Check()); !ok {
			t.Errorf("%d, %d, %s passes", bad.Day, bad.Parallel, bad.Timeout)
		}
	}
}

// TestEveryPublishedPlayerIsExplained in one line, and amounts are readable.
func TestEveryPublishedPlayerIsExplained(t *testing.T) {
	t.Parallel()
	report, err := economy.Published()
	if err != nil {
		t.Fatal(err)
	}
	p, _ := report.Preset("agent_eval")
	s := Summary{Tries: 1, Day: 60, Preset: "agent_eval", Runs: []Run{{Seed: 1, Error: "x"}}}
	for _, player := range p.Players {
		if !player.Exploiter {
			s.Baselines = append(s.Baselines, Comparison{Player: player.Name, MeanMinor: -1234567, LeadMinor: 100_000})
		}
	}
	var shown bytes.Buffer
	if err := s.Print(&shown); err != nil {
		t.Fatal(err)
	}
	for _, b := range s.Baselines {
		line := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(b.Player) + `  +[a-z].{10,}$`)
		if !line.Match(shown.Bytes()) {
			t.Errorf("no line says how %s plays:\n%s", b.Player, &shown)
		}
	}
	if !regexp.MustCompile(`(?m) -12,345.67 +1,000.00$`).Match(shown.Bytes()) {
		t.Errorf("amounts have no separators:\n%s", &shown)
	}
}
