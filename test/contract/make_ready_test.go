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
