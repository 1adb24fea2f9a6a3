package scenario

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"platen/client"
	"platen/test/testclient"
)

// disturbed creates a company with the manual bridge and injected faults.
func disturbed(t testing.TB, plan string, seed, faultSeed, delayPct int64) *world {
	t.Helper()
	s, err := client.CreateSandbox(t.Context(), server().BaseURL, client.CreateSandboxInput{
		Preset: new("starter"), Bridge: new(client.BridgeManual), Clock: new(client.ClockModeManual), Seed: &seed,
		Faults: &client.FaultsInput{
			Plan: new(client.FaultPlanName(plan)), Seed: &faultSeed, DelayPct: &delayPct,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		url: server().BaseURL, keys: client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}, seed: seed,
	}
	w = w.within(t)
	// The player is to come through whatever happens; the test is about the programs.
	w.api = client.New(w.url, w.keys, client.HTTPClient(&http.Client{Timeout: patience}), client.MaxRetries(40))
	return w
}

// insist catches up, and starts again as often as the program says that it makes sense.
func (i *integration) insist() {
	i.t.Helper()
	const often = 40
	for range often {
		switch r := i.once(); r.status {
		case 0:
			return
		case 3: // later
		default:
			i.t.Fatalf("the integration failed: %v", r)
		}
	}
	i.t.Fatalf("the integration did not catch up in %d runs", often)
}

// TestTheIntegrationsSurviveEverything plays ten days of companies in which nearly everything
// goes wrong that can: whatever has to be carried is carried exactly once. Without a thorough
// run there is one in Go; the suites of the clients survive the plan in the other languages.
func TestTheIntegrationsSurviveEverything(t *testing.T) {
	t.Parallel()
	all, days, seeds := []program{inGo}, 6, int64(1)
	if testclient.Thorough() {
		all, days, seeds = programs, 10, int64(seedsOf(2))
	}
	for _, p := range all {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s, seed %d", p.name, seed), func(t *testing.T) {
				t.Parallel()
				w := disturbed(t, "severe", seed, seed, 0)
				integration := p.install(t, w)
				newPlayer(w, integration.insist).play(days)
				w.isPerfect(15, client.IntegrationKindOrder, client.IntegrationKindParcel, client.IntegrationKindWeek,
					client.IntegrationKindPayment)
				kinds := map[any]int{}
				for _, fault := range testclient.All("/sandbox/faults", w.get) {
					kinds[fault["kind"]]++
				}
				if len(kinds) < 8 {
					t.Errorf("only this went wrong: %v", kinds)
				}
			})
		}
	}
}

// TestTheIntegrationSurvivesTrueDelays plays four days with delays as long as they are: a slow
// response takes seconds, and one in a hundred of them longer than the program waits.
func TestTheIntegrationSurvivesTrueDelays(t *testing.T) {
	t.Parallel()
	if os.Getenv("PLATEN_TEST_SCHEDULE") == "" {
		t.Skip("SKIPPED: waits for minutes; PLATEN_TEST_SCHEDULE=1 asks for it, and .ci/run beside " +
			"the other suites")
	}
	const seed, days = 0, 4
	w := disturbed(t, "severe", seed, seed, 100)
	integration := inGo.install(t, w)
	p := newPlayer(w, integration.insist)
	p.hasty = true
	p.play(days)
	w.isPerfect(5, client.IntegrationKindOrder, client.IntegrationKindParcel)
	slow := 0
	for _, fault := range testclient.All("/sandbox/faults", w.get) {
		if fault["kind"] == "slow_response" {
			slow++
		}
	}
	if slow == 0 {
		t.Error("no response was slow")
	}
}
