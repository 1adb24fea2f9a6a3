package load

import (
	"testing"
	"time"

	"platen/eval/player"
	"platen/internal/company"
	"platen/internal/company/preset"
)

// BenchmarkDays plays companies in this process, one after the other, as the measured economy does: how many
// games it can play.
func BenchmarkDays(b *testing.B) {
	const days = 20
	presets, err := preset.Builtin()
	must(b, err)
	var rates []float64
	seed, onTime := uint64(0), 0
	for b.Loop() {
		began, played := time.Now(), 0
		for ; time.Since(began) < length(); played += days {
			seed++
			game := player.Game{
				Settings: company.Settings{Preset: presets["starter"], Seed: seed}, Policy: player.Greedy(),
				Days: []int{days},
			}
			result, err := game.Play()
			must(b, err)
			onTime += int(result.OnTimePct[0])
		}
		rates = append(rates, float64(played)/time.Since(began).Seconds())
	}
	if onTime == 0 {
		b.Error("no order was on time")
	}
	report(b, "days/s", rates...)
}
