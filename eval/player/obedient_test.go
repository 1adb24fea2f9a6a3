package player

import (
	"encoding/json"
	"strings"
	"testing"

	"platen/internal/company"
	"platen/internal/company/preset"
	"platen/internal/operation"
	"platen/internal/sandbox"
)

// obeys sends the first command that needs attention and is not refused, and returns its operation, "" for none.
func obeys(t *testing.T, d *inside) string {
	t.Helper()
	for _, item := range operation.AttentionOf(&sandbox.Attention{Concerns: d.company.Attention(nil)}).Items {
		if item.Command == nil {
			continue
		}
		op := d.table.operation(item.Command.Operation)
		id := ""
		if before, after, found := strings.Cut(op.Path, "{id}"); found {
			id = strings.TrimSuffix(strings.TrimPrefix(item.Command.Path, before), after)
		}
		raw, err := json.Marshal(item.Command.Body)
		body := op.New().Body()
		if err == nil {
			err = json.Unmarshal(raw, body)
		}
		if err != nil {
			t.Fatal(err)
		}
		if d.call(op.ID, id, body) == nil {
			return op.ID
		}
	}
	return ""
}

// TestObeyingEarnsMoreThanGreed plays companies for twenty days by the commands that need attention, word for word,
// with a look every half hour. They earn more than the greedy player on average, and their presses run to the end.
func TestObeyingEarnsMoreThanGreed(t *testing.T) {
	t.Parallel()
	const days, last, seeds, lookEvery = 20, 5, 8, int64(30)
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	sum, greedySum := int64(0), int64(0)
	for seed := range uint64(seeds) {
		settings := company.Settings{Preset: presets["starter"], Seed: seed + 1}
		d := newInside(theTable(), settings)
		runs := map[int]int{}
		for at := int64(0); at < days*dayMinutes; at += lookEvery {
			for done := obeys(t, d); done != ""; done = obeys(t, d) {
				if done == "start_print_run" {
					runs[int(at/dayMinutes)]++
				}
			}
			if err := d.call(tickOperation, "", &operation.TickInput{Minutes: new(lookEvery)}); err != nil {
				t.Fatal(err)
			}
		}
		late := 0
		for day := days - last; day < days; day++ {
			late += runs[day]
		}
		if late < last {
			t.Errorf("seed %d: on the last %d days %d runs were started", seed+1, last, late)
		}
		g := Game{Settings: settings, Policy: Greedy(), Days: []int{days}}
		greedy, err := g.Play()
		if err != nil {
			t.Fatal(err)
		}
		worth := d.company.Summary().NetWorthMinor
		t.Logf("seed %d: %s, and greed %s", seed+1, worth, greedy.WorthMinor[0])
		sum, greedySum = sum+int64(worth), greedySum+int64(greedy.WorthMinor[0])
	}
	if sum <= greedySum {
		t.Errorf("obeying comes to %d on average, greed to %d", sum/seeds, greedySum/seeds)
	}
}
