package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"platen/internal/company/preset"
	"platen/internal/money"
)

// TestTrial prints what players come to: TRIAL=starter,agent_eval SEEDS=8.
func TestTrial(t *testing.T) {
	names := os.Getenv("TRIAL")
	if names == "" {
		t.Skip("set TRIAL")
	}
	seeds, _ := strconv.Atoi(os.Getenv("SEEDS"))
	if seeds == 0 {
		seeds = 8
	}
	presets, _ := preset.Builtin()
	days := []int{15, 30, 60, 90}
	for _, name := range strings.Split(names, ",") {
		p := presets[name]
		b := bench{presets: presets, seeds: seeds}
		var base []result
		show := func(who policy, skill bool) {
			r, err := playAll(t.Context(), b.games(&p, who, 0, days...))
			if err != nil {
				t.Fatal(err)
			}
			if who.name == good {
				base = r
			}
			line := fmt.Sprintf("%-22s", who.name)
			for i, d := range days {
				profit, gain := make([]money.Minor, seeds), make([]money.Minor, seeds)
				for j := range r {
					profit[j] = r[j].worth[i] - r[j].opening
					if base != nil {
						gain[j] = r[j].worth[i] - base[j].worth[i]
					}
				}
				line += fmt.Sprintf("  d%d %5d", d, mean(profit)/thousand)
				if base != nil {
					line += fmt.Sprintf(" (%+6.1f ±%4.1f)", float64(mean(gain))/1e5, float64(standardError(gain))/1e5)
				}
			}
			bankrupt, refused := 0, 0
			for j := range r {
				if r[j].bankrupt > 0 {
					bankrupt++
				}
				refused += r[j].refused
			}
			fmt.Printf("%s  bankrupt %d refused %d\n", line, bankrupt, refused/seeds)
		}
		fmt.Println("==", name)
		show(goodPolicy(), false)
		for _, who := range policies() {
			if who.name != good {
				show(who, false)
			}
		}
		for _, who := range exploiters() {
			show(who, false)
		}
		if os.Getenv("SKILLS") != "" {
			for _, l := range levers() {
				w := goodPolicy()
				w.name = "- " + l.name
				l.without(&w)
				show(w, true)
			}
		}
	}
}
