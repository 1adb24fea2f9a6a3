package browser_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"platen/platentest"
)

// TestEachGapHasTheRequestThatClosesIt: whatever kind a gap is of, the request that the bridge
// shows for it is run as it is, each in another language, and the gap is gone.
func TestEachGapHasTheRequestThatClosesIt(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "manual", Clock: "manual"})
	c.buy()
	for range 5 {
		c.accept()
		c.order(2)
		c.print()
		c.tick(480)
		c.ship(1)
		c.countIn()
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/bridge")
	x.shows(".deck p", "working day")
	x.accessible("gaps")
	for i, gap := range []string{"no work order", "not billed", "not filed", "not recorded", "no timesheet"} {
		button := fmt.Sprintf(`[...document.querySelectorAll('.line.gap button')].filter(e => `+
			`e.textContent.includes(%q))`, gap)
		before := eval[int](x, button+`.length`)
		if before == 0 {
			t.Errorf("there is no gap %q", gap)
			continue
		}
		language := []string{"curl", "Python", "JavaScript", "Go"}[i%4]
		eval[any](x, button+`[0].click();null`)
		x.shows(".closing code", "POST /")
		eval[any](x, fmt.Sprintf(`[...document.querySelectorAll('.closing .seg button')].find(e => `+
			`e.textContent === %q).click();null`, language))
		x.until(fmt.Sprintf(`document.querySelector('.closing [aria-pressed=true]').textContent === %q`, language))
		if i == 0 {
			x.accessible("the request that closes a gap")
			x.inEverySize(".strand", "gaps", "bridge-gaps")
		}
		x.runs(c, language, eval[string](x, `document.querySelector('.closing pre').textContent`))
		x.until(fmt.Sprintf(`%s.length < %d`, button, before))
	}
}

// runs starts a program as it is shown, with the keys in the environment.
func (x *tab) runs(c *company, language, program string) {
	x.Helper()
	command, file := map[string][]string{
		"curl": {"sh"}, "Python": {"python3"}, "JavaScript": {"node"}, "Go": {"go", "run"},
	}[language], map[string]string{
		"curl": "close.sh", "Python": "close.py", "JavaScript": "close.mjs", "Go": "close.go",
	}[language]
	if _, err := exec.LookPath(command[0]); err != nil && os.Getenv("PLATEN_TEST_ALL") == "" {
		x.Skipf("%s is not installed", command[0])
	}
	path := filepath.Join(x.TempDir(), file)
	if err := os.WriteFile(path, []byte(program), 0o600); err != nil {
		x.Fatal(err)
	}
	run := exec.CommandContext(x.ctx, command[0], append(command[1:], path)...)
	run.Env = append(os.Environ(), "CGO_ENABLED=0",
		"PLATEN_OFFICE_KEY="+c.OfficeKey, "PLATEN_FACTORY_KEY="+c.FactoryKey)
	if out, err := run.CombinedOutput(); err != nil {
		x.Errorf("%s: %v\n%s\n%s", language, err, program, out)
	}
}

// buy orders paper that comes within days.
func (c *company) buy() {
	c.Helper()
	c.must(http.MethodPost, "/office/purchase-orders",
		record{"supplier_id": "sup_quick", "lines": []record{{"sku": "mat_uncoated", "quantity": 1000}}})
}

// countIn takes in what waits at the gate.
func (c *company) countIn() {
	c.Helper()
	for _, d := range c.list("/factory/deliveries?status=arrived") {
		c.must(http.MethodPost, "/factory/goods-receipts", record{"delivery_id": d["id"]})
	}
}
