package contract

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestALineSaysWhenMakeReadyIsMostOfARun: a run for one unit takes the sheets that set the press up.
func TestALineSaysWhenMakeReadyIsMostOfARun(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.BRIEF")
	for quantity, most := range map[int]bool{1: true, 50: false} {
		n := calmCompany(t, "manual", nil)
		reference := text(n.pulls(object{"type": "order", "sku": "prd_card"}), "id")
		n.accept(reference)
		id := text(n.work("prd_card", quantity, reference), "id")
		tick := n.post("/sandbox/tick", `{"minutes":1,"brief":true}`).want(http.StatusOK, "").Data()
		digest := child(t, tick, "digest")
		said := ""
		for _, line := range digest["lines"].([]any) {
			if strings.HasPrefix(line.(string), "start_print_run ") {
				said = line.(string)
			}
		}
		press, _, _ := strings.Cut(strings.TrimPrefix(said, "start_print_run press_id="), " ")
		plan := n.post("/factory/print-runs", encode(t, object{
			"press_id": press, "work_order_id": id, "overs_pct": 8, "dry_run": true,
		})).want(http.StatusOK, "").Data()
		words := fmt.Sprintf("make-ready takes %d of %d sheets", number(t, plan, "sheets_make_ready"),
			number(t, plan, "sheets_planned"))
		if strings.Contains(said, words) != most || strings.Contains(said, "make-ready") != most {
			t.Errorf("%d units: %q; the plan: %q", quantity, said, words)
		}
	}
}

// TestALineSaysWhatOffersTake: paper that nobody wants yet is ordered with the orders that are accepted before it.
func TestALineSaysWhatOffersTake(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.TICK.BRIEF")
	n := shared.create(t, `{"preset":"starter","seed":9,"clock":"manual"}`)
	product := map[string]object{}
	for _, p := range n.all("/factory/products") {
		product[text(p, "sku")] = p
	}
	said := 0
	for range 10 {
		tick := n.post("/sandbox/tick", `{"minutes":240,"brief":true}`).want(http.StatusOK, "").Data()
		taken := map[string]int64{}
		for _, line := range child(t, tick, "digest")["lines"].([]any) {
			command, words, _ := strings.Cut(line.(string), " # ")
			if strings.HasPrefix(command, "accept_sales_order ") {
				var quantity int64
				var sku string
				if _, err := fmt.Sscan(words, &quantity, &sku); err != nil {
					t.Fatalf("%q: %v", line, err)
				}
				p := product[sku]
				taken[text(p, "paper_sku")] += quantity * number(t, p, "sheets_per_unit")
			}
			_, about, short := strings.Cut(line.(string), "short ")
			if !short {
				continue
			}
			sheets := taken[strings.Fields(about)[0]]
			if want := fmt.Sprintf(", %d by offers", sheets); strings.Contains(about, want) != (sheets > 0) {
				t.Errorf("the offers before it take %d, and a line is %q", sheets, line)
			}
			if sheets > 0 {
				said++
			}
		}
	}
	if said == 0 {
		t.Error("no line said what offers take")
	}
}
