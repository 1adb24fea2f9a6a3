package scenario

import (
	"os"
	"strings"
	"testing"

	"platen/client"
	"platen/platentest"
	"platen/test/testclient"
)

// TestSettingsThatCannotWorkAreRefusedBeforeAnythingIsCarried goes through the
// ways to start a program wrongly. Exit status 2 says so, and a sentence why.
func TestSettingsThatCannotWorkAreRefusedBeforeAnythingIsCarried(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w, other := found(t, "starter", client.BridgeManual, 1), found(t, "starter", client.BridgeManual, 2)
			auto := found(t, "starter", client.BridgeAuto, 1)
			if _, err := w.api.AcceptSalesOrder(t.Context(), w.order("SO-1001")); err != nil {
				t.Fatal(err)
			}
			before := w.told()
			with := func(keys client.Keys) *integration {
				m := *w
				m.keys = keys
				return p.install(t, &m)
			}
			stated := func(state string) *integration {
				i := p.install(t, w)
				if err := os.WriteFile(i.state, []byte(state), 0o600); err != nil {
					t.Fatal(err)
				}
				return i
			}
			starts := map[string]struct {
				integration *integration
				arguments   []string
				status      int
				says        string
			}{
				"no keys": {with(client.Keys{}), []string{"--once"}, 2, "lab_off_"},
				"keys the wrong way round": {with(client.Keys{Office: w.keys.Factory, Factory: w.keys.Office}),
					[]string{"--once"}, 2, "lab_fac_"},
				"keys of two sandboxes": {with(client.Keys{Office: w.keys.Office, Factory: other.keys.Factory}),
					[]string{"--once"}, 2, "two sandboxes"},
				"a key that does not work": {with(client.Keys{
					Office: w.keys.Office, Factory: "lab_fac_" + strings.Repeat("x", 43),
				}), []string{"--once"}, 4, "unauthorized"},
				"a bridge that is auto": {with(auto.keys), []string{"--once"}, 2, `"bridge":"manual"`},
				"the state of another": {stated(`{"sandbox_id":"sbx_0000000000000","seq":7,"week":""}`),
					[]string{"--once"}, 2, "another file"},
				"a state that is none":      {stated(`{"sandbox_id":`), []string{"--once"}, 2, "state file"},
				"a flag that does not be":   {p.install(t, w), []string{"--twice"}, 2, "twice"},
				"an argument too many":      {p.install(t, w), []string{"--once", "today"}, 2, "today"},
				"no pause":                  {p.install(t, w), []string{"--pause", "0"}, 2, "pause"},
				"too long a wait":           {p.install(t, w), []string{"--wait", "26"}, 2, "wait"},
				"an address that is nobody": {p.install(t, w).at("http://127.0.0.1:1/v1"), []string{"--once"}, 3, ""},
			}
			t.Run("starts", func(t *testing.T) {
				for name, c := range starts {
					if p.needs != "" && !testclient.Thorough() && c.says != "lab_fac_" && c.says != "state file" {
						continue // slow to start
					}
					t.Run(name, func(t *testing.T) {
						t.Parallel()
						r := c.integration.start(c.arguments...).wait()
						if r.status != c.status || !strings.Contains(r.stderr, c.says) || r.stderr == "" ||
							strings.Contains(r.stderr, "Traceback") {
							t.Errorf("want exit status %d and a message with %q, got %v", c.status, c.says, r)
						}
						for _, key := range []string{w.keys.Office, w.keys.Factory} {
							if strings.Contains(r.stdout+r.stderr, key) {
								t.Error("a key was printed")
							}
						}
					})
				}
			})
			same(t, w.told(), before)
		})
	}
}

// TestHelpSaysHowToStart asks each program.
func TestHelpSaysHowToStart(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w := &world{url: "http://127.0.0.1:1/v1"}
			r := p.install(t, w).start("--help").wait()
			for _, flag := range []string{"once", "url", "state", "pause"} {
				if r.status != 0 || !strings.Contains(r.stdout+r.stderr, flag) {
					t.Errorf("--help does not speak of %s: %v", flag, r)
				}
			}
		})
	}
}

// TestWhatIsRefusedForGoodHoldsUpNothing sends one parcel without a customer
// between two hand-offs that work.
func TestWhatIsRefusedForGoodHoldsUpNothing(t *testing.T) {
	t.Parallel()
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			w := found(t, "starter", client.BridgeManual, 1)
			integration := p.install(t, w)
			w.accept("SO-1001")
			w.produce("prd_card", 10, "SO-9999")
			w.accept("SO-1002")
			r := integration.once()
			if r.status != 1 || !strings.Contains(r.stdout, "SO-9999") || !strings.Contains(r.stderr, "1 refused") {
				t.Errorf("want exit status 1 and a word on SO-9999, got %v", r)
			}
			for _, number := range []string{"SO-1001", "SO-1002"} {
				w.one("/factory/work-orders", "reference", w.order(number))
			}
			if r := integration.once(); r.status != 0 || strings.Contains(r.stdout, "SO-9999") {
				t.Errorf("what was refused for good is tried again: %v", r)
			}
		})
	}
}

// TestASandboxThatIsOverEndsTheIntegration lets the lease run out.
func TestASandboxThatIsOverEndsTheIntegration(t *testing.T) {
	t.Parallel()
	brief := platentest.Start(t, map[string]string{"sandbox-duration": "10s", "grace": "2h"})
	s := brief.Sandbox(t, platentest.Options{Preset: "manual", Clock: "manual"})
	w := (&world{url: s.BaseURL, keys: client.Keys{Office: s.OfficeKey, Factory: s.FactoryKey}}).within(t)
	w.accept("SO-1001")
	testclient.Eventually(t, "the sandbox has expired", patience,
		func() bool { return w.fetch("/sandbox")["status"] == "expired" })
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			if r := p.install(t, w).start().wait(); r.status != 4 || !strings.Contains(r.stderr, "sandbox_expired") {
				t.Errorf("want exit status 4, got %v", r)
			}
		})
	}
}
