package tokens

import (
	"fmt"
	"strings"
	"testing"

	"platen/platentest"
)

const (
	played = 30
	// What thirty days may cost (docs/adr/0013-agent-endpoint.md).
	maxCalls  = 150
	maxTokens = 150_000
)

// TestThirtyDaysCostFewTokens prints a table: rules played by lists, and the digest word for word. A model is sent the
// context again at each call: each message counts once in one column, and in the next at each call after it too.
func TestThirtyDaysCostFewTokens(t *testing.T) {
	t.Parallel()

	p := platentest.Start(t)
	fmt.Printf("%4s  %-40s %6s %9s %9s %9s %13s %8s %8s\n", "seed", "way", "calls", "written", "read", "once",
		"at each call", "profit", "refused")
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
		for _, wait := range []string{decision, "advance_time until=idle_press max_minutes=240"} {
			lines := literal{fresh(), wait}
			lines.lives(played)
			report(lines.agent, seed, strings.TrimPrefix(wait, "advance_time "))
			if total := lines.written + lines.read; wait != decision && (lines.calls > maxCalls || total > maxTokens) {
				t.Errorf("seed %d: %d days took %d calls and %d tokens", seed, played, lines.calls, total)
			}
		}
	}
	s := p.Sandbox(t, platentest.Options{Preset: "agent_eval"})
	fmt.Printf("the list of tools: %d tokens, once\n", newAgent(t, p.Origin, s.OfficeKey).tools())
}

func report(a *agent, seed int64, way string) {
	calls, written, read, billed, refused := a.calls, a.written, a.read, a.billed, a.refused
	score := a.data("get_sandbox", row{})["score"].(row)
	fmt.Printf("%4d  %-40s %6d %9d %9d %9d %13d %8.0f %8d\n", seed, way, calls, written, read, written+read, billed,
		score["profit_minor"].(float64)/100, refused)
}
