package tokens

import (
	"fmt"
	"testing"

	"platen/platentest"
)

const (
	played = 30
	// What thirty days may cost (docs/adr/0013-agent-endpoint.md).
	maxCalls  = 150
	maxTokens = 150_000
	// bounded is how seldom the players look whose cost is bounded, in minutes.
	bounded = 120
)

// TestThirtyDaysCostFewTokens prints a table: the same rules, played in the old way and in the
// new one.
func TestThirtyDaysCostFewTokens(t *testing.T) {
	t.Parallel()

	p := platentest.Start(t)
	fmt.Println("seed  way                          calls    written       read      total   profit  refused")
	for _, seed := range []int64{1, 2, 3} {
		fresh := func() *agent {
			s := p.Sandbox(t, platentest.Options{Preset: "agent_eval", Seed: &seed})
			return newAgent(t, p.Origin, s.OfficeKey)
		}
		for _, every := range []int{60, 120} {
			lists := &byLists{agent: fresh(), every: every}
			lists.play(played)
			report(lists.agent, seed, fmt.Sprintf("lists, every %d min", every))
		}
		for _, way := range []byLines{{every: 60}, {every: 120}, {every: 240, until: "idle_press"}} {
			lines := &byLines{agent: fresh(), every: way.every, until: way.until}
			lines.play(played)
			report(lines.agent, seed, fmt.Sprintf("do, every %d min %s", way.every, way.until))
			total := lines.written + lines.read
			if way.every >= bounded && (lines.calls > maxCalls || total > maxTokens) {
				t.Errorf("seed %d: %d days took %d calls and %d tokens", seed, played, lines.calls, total)
			}
		}
	}
	s := p.Sandbox(t, platentest.Options{Preset: "agent_eval"})
	fmt.Printf("the list of tools: %d tokens, once\n", newAgent(t, p.Origin, s.OfficeKey).tools())
}

func report(a *agent, seed int64, way string) {
	calls, written, read, refused := a.calls, a.written, a.read, a.refused
	score := a.data("get_sandbox", row{})["score"].(row)
	fmt.Printf("%4d  %-25s %8d %10d %10d %10d %8.0f %8d\n", seed, way, calls, written, read, written+read,
		score["profit_minor"].(float64)/100, refused)
}
