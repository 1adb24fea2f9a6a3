package browser_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"platen/platentest"
)

// TestWhatNeedsSomebodyIsMendedInTheConsole: the overview says what is the case, links the
// records, and sends the request that mends it.
func TestWhatNeedsSomebodyIsMendedInTheConsole(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	c.accept()
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows("[aria-labelledby=attention] .need-h", "2 presses are idle")
	x.inEveryLook("[aria-labelledby=attention]", "what needs somebody", "attention")
	const idle = "[aria-labelledby=attention] li:nth-of-type(2) .need:nth-of-type(1)"
	x.shows(idle, "can be printed on it now")
	x.click(idle + " .mend button:nth-of-type(2)")
	x.shows("[aria-labelledby=attention] pre", "/v1/factory/print-runs")
	x.click(idle + " .mend button:nth-of-type(1)")
	x.shows(".presses", "running")
	x.shows(".needs li.over", "done, or no longer needed") // what is under the pointer stays there
	if runs := c.list("/factory/print-runs"); len(runs) != 1 {
		t.Errorf("after one click there are %d print runs", len(runs))
	}
	for range 25 {
		c.tick(480)
	}
	x.click("[aria-labelledby=attention] > .pad > button")
	x.shows("[aria-labelledby=attention]", "Reputation is low")
	x.inEveryLook("[aria-labelledby=attention]", "a company that nobody leads", "attention-late")
	x.click("[aria-labelledby=attention] .trail a")
	x.until(`location.pathname.startsWith('/console/')`)
}

// TestWhatNeedsSomebodyIsReadAgainAfterAWrite that the console sent elsewhere on the page, before the stream tells of
// it: the same request is not proposed twice.
func TestWhatNeedsSomebodyIsReadAgainAfterAWrite(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	c.accept()
	way := between(t, p)
	way.says(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/console/stream" {
			return false
		}
		<-r.Context().Done()
		return true
	})
	x := open(t, way.origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".attention .need-h", "2 presses are idle")
	x.shows(".first .mend button", "Start the run")
	x.click(".first .mend button")
	x.until(`!document.querySelector('.attention').textContent.includes('2 presses are idle')`)
}

// TestTheOverviewSaysWhatMovedCash: the sum and its reasons are those of the ledger.
func TestTheOverviewSaysWhatMovedCash(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	c.accept()
	for range 4 {
		c.tick(480)
	}
	moved, overheads := int64(0), 0
	for _, e := range c.list("/office/ledger") {
		amount, err := e["amount_minor"].(json.Number).Int64()
		if err != nil {
			t.Fatal(err)
		}
		switch e["kind"] {
		case "opening_balance":
			continue
		case "overheads":
			overheads++
		}
		moved += amount
	}
	said := "Cash rose by "
	if moved < 0 {
		said = "Cash fell by "
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows(".moved", "in 5 working days")
	x.shows("#income", "spending")
	shown := eval[string](x, `document.querySelector('.moved b').textContent`)
	digits := strings.ReplaceAll(strings.TrimPrefix(shown, said), ",", "")
	if got, err := strconv.ParseInt(digits, 10, 64); err != nil || max(got*100-abs(moved), abs(moved)-got*100) > 50 {
		t.Errorf("the overview says %q, and the ledger %d", shown, moved)
	}
	if overheads > 0 {
		x.shows(fmt.Sprintf(`.moved [title^="%d entr"]`, overheads), "Overheads")
	}
	x.inEveryLook(".moved", "what moved cash", "moved")
	entries := eval[string](x, `document.querySelector('.moved .pill').title`)
	x.click(".moved .pill")
	x.shows(".chips [aria-pressed=true]", "")
	x.shows("#total", entries+", total")
	x.accessible("the entries of a kind")
	x.shot("moved-ledger")
	x.goTo("/console")
	x.click(".moved .more")
	x.until(`location.pathname === '/console/office/ledger'`)
	x.until(`!document.querySelector('.chips [aria-pressed=true]')`)

	late := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	for range 6 {
		late.tick(480)
	}
	expired := len(late.list("/office/sales-orders?status=expired"))
	if expired == 0 {
		t.Fatal("no order has expired")
	}
	x.enter(late.Sandbox, "/console")
	x.shows("#danger", "orders expired unanswered")
	x.inEveryLook("#danger", "a company in danger", "danger")
	x.shows("#lost", fmt.Sprintf("%d sales order", expired))
	x.shows("#lost", fmt.Sprintf("%d never answered", expired))
	x.click(".moved-h .seg button:nth-of-type(1)")
	x.shows(".moved-h", "yesterday")
	x.click(".moved-h .seg button:nth-of-type(3)")
	x.shows(".moved-h", "since the opening")
	x.shows("#lost", fmt.Sprintf("%d sales order", expired))
	x.inEveryLook("#lost", "orders that expired", "moved-lost")
	x.click("#lost a")
	x.shows(".chips [aria-pressed=true]", "expired")
}

func abs(n int64) int64 { return max(n, -n) }

// TestThePageOfPressesProposesARun that the server has checked.
func TestThePageOfPressesProposesARun(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	c.accept()
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console/presses")
	x.shows(".mend", "Start the run")
	x.click(".mend button:nth-of-type(1)")
	x.shows(".toast", "done")
	if runs := c.list("/factory/print-runs"); len(runs) != 1 {
		t.Errorf("after one click there are %d print runs", len(runs))
	}
}

// TestABankruptCompanyTellsHowItCameToThat on the overview.
func TestABankruptCompanyTellsHowItCameToThat(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "crunch", Clock: "manual"})
	c.accept()
	for range 120 {
		c.send("POST", "/sandbox/tick", record{"minutes": 480})
		if status := c.send("GET", "/sandbox", nil).Data(); fmt.Sprint(status["status"]) == "bankrupt" {
			break
		}
	}
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows("[aria-labelledby=attention]", "The company is bankrupt.")
	x.inEveryLook("[aria-labelledby=attention]", "how a company came to its end", "attention-bankrupt")
}

// TestAnOrderIsAcceptedOnTheOverview with one click on its row, and leaves the list.
func TestAnOrderIsAcceptedOnTheOverview(t *testing.T) {
	t.Parallel()
	p := shared()
	c := found(t, p, platentest.Options{Preset: "starter", Clock: "manual"})
	waiting := c.list("/office/sales-orders?status=received")
	x := open(t, p.Origin, looks[0])
	x.enter(c.Sandbox, "/console")
	x.shows("#to-answer tr:first-of-type", text(waiting[len(waiting)-1], "number"))
	x.accessible("orders to answer")
	x.click("#to-answer tr:first-of-type button")
	x.until(fmt.Sprintf(`document.querySelectorAll('#to-answer tr').length === %d`, len(waiting)-1))
	if left := c.list("/office/sales-orders?status=received"); len(left) != len(waiting)-1 {
		t.Errorf("after one click %d orders wait, of %d", len(left), len(waiting))
	}
}
