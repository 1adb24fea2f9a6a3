package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen/client"
	"platen/cmd/platen/cli"
	"platen/eval/results"
	"platen/internal/words/money"
)

// playedIn writes the results of a player in six worlds. In the last one too little was due to judge it.
func playedIn(t *testing.T, bridge client.Bridge, worth money.Minor, once float64) (path string) {
	t.Helper()
	lines := []any{head{Format: results.Format, Preset: "agent_eval", Day: 10, Bridge: &bridge}}
	const worlds = 6
	for seed := range uint64(worlds) {
		r := Run{
			Seed: seed, Try: 1, Day: 10, Finished: true, NetWorthMinor: worth,
			Baselines: []Known{{Player: "greedy", NetWorthMinor: 10_000}, {Player: "watchful", NetWorthMinor: 20_000}},
			Report:    json.RawMessage(`{"preset_version": 1, "engine_version": 1}`),
		}
		if bridge == client.BridgeManual {
			r.ExactlyOnce, r.TooLittleToJudge = &once, seed == worlds-1
			r.Integration = &cli.Integration{}
		}
		lines = append(lines, r)
	}
	path = filepath.Join(t.TempDir(), fmt.Sprint(worth)+".jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, line := range lines {
		if err := json.NewEncoder(file).Encode(line); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestAReportOfIntegrationsBeginsWithTheirScore: with the manual bridge both leads are in its headline, the result has
// a column of scores, and a note says which count as 0; with the automatic one neither is there.
func TestAReportOfIntegrationsBeginsWithTheirScore(t *testing.T) {
	t.Parallel()
	for _, bridge := range []client.Bridge{client.BridgeManual, client.BridgeAuto} {
		files := []string{playedIn(t, bridge, 15_000, 0.9), playedIn(t, bridge, 30_000, 0.6)}
		page, err := Report(files, []string{"careful", "rich"}, true, 1)
		if err != nil {
			t.Fatal(err)
		}
		score, worth := "careful leads rich in exactly-once score", "rich leads careful in net worth"
		want := []string{worth}
		if bridge == client.BridgeManual {
			want = []string{score, worth}
		}
		if !slices.EqualFunc(page.Verdict, want, strings.HasPrefix) {
			t.Errorf("%s: the headline is %q, want %q", bridge, page.Verdict, want)
		}
		var markdown, html strings.Builder
		if err := page.Markdown(&markdown); err != nil {
			t.Fatal(err)
		}
		if err := page.HTML(&html); err != nil {
			t.Fatal(err)
		}
		const ratio = "a ratio of sums"
		judged := []string{"A run with too little to judge counts as 0.", "exactly once"}
		for _, text := range []string{markdown.String(), html.String()} {
			for _, part := range []string{ratio, "Yardsticks have their net worth alone."} {
				if !strings.Contains(text, part) {
					t.Errorf("%s: the page does not say %q:\n%.3000s", bridge, part, text)
				}
			}
			for _, part := range judged {
				if strings.Contains(text, part) != (bridge == client.BridgeManual) {
					t.Errorf("%s: the page says %q: %v", bridge, part, strings.Contains(text, part))
				}
			}
		}
		if row := "| careful | 0.750 | 150 |"; strings.Contains(markdown.String(), row) !=
			(bridge == client.BridgeManual) {
			t.Errorf("%s: no row %s in\n%.3000s", bridge, row, &markdown)
		}
	}
}

// TestDaysWithoutMediansAreNoContradiction: below players of known skill in the same worlds, an evaluation says which
// days have published medians.
func TestDaysWithoutMediansAreNoContradiction(t *testing.T) {
	t.Parallel()
	for preset, want := range map[string]string{
		"agent_eval": "\nMedians over 40 worlds of train are published too, for the days 15, 30, 60 and 90\n" +
			"of agent_eval; none for day 10.\n",
		"own": "",
	} {
		s := Summary{Tries: 1, Day: 10, Preset: preset, Baselines: []Comparison{{Player: "greedy"}}}
		var shown strings.Builder
		if err := s.Print(&shown); err != nil {
			t.Fatal(err)
		}
		if text := shown.String(); strings.Contains(text, "No baselines") || !strings.Contains(text, want) ||
			strings.Contains(text, "Medians") != (want != "") {
			t.Errorf("%s: printed\n%s", preset, text)
		}
	}
}
