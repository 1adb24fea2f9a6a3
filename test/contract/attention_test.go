package contract

import (
	"cmp"
	"net/http"
	"slices"
	"testing"
)

// attention returns the items that need somebody, by kind.
func (n *tenant) attention() map[string]object {
	n.t.Helper()
	found := map[string]object{}
	for _, item := range children(n.t, n.row("/sandbox/attention"), "items") {
		found[text(item, "kind")] = item
	}
	return found
}

// TestWhatNeedsSomebodyIsRankedAndCanBeMended: the items come with what they cost and what
// they are about, and each command that is shown succeeds.
func TestWhatNeedsSomebodyIsRankedAndCanBeMended(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ATTENTION.ITEMS", "OPEN.ATTENTION.COMMAND")
	n := shared.create(t, `{"preset":"starter","seed":11,"clock":"manual"}`)
	for _, o := range n.all("/office/sales-orders?status=received") {
		n.post("/office/sales-orders/"+text(o, "id")+"/accept", "").want(http.StatusOK, "")
	}
	done := map[string]bool{}
	const looks = 60
	for range looks {
		before := n.stateHash()
		attention := n.row("/sandbox/attention")
		if n.stateHash() != before {
			t.Fatal("to ask has changed the company")
		}
		if len(children(t, attention, "history")) > 0 {
			t.Errorf("a living company has the history %v", attention["history"])
		}
		if next, ok := attention["next_cursor"]; !ok || next != nil {
			t.Errorf("the next page is at %v", next)
		}
		items := children(t, attention, "items")
		if !slices.IsSortedFunc(items, func(a, b object) int {
			return cmp.Or(turnOf(a)-turnOf(b), int(number(t, b, "cost_minor")-number(t, a, "cost_minor")))
		}) {
			t.Errorf("what is urgent, and then the dearest, is not first: %s", encode(t, items))
		}
		n.mendsOne(items, done)
		n.tick(40)
	}
	for _, operation := range []string{"start_print_run", "create_factory_shipment"} {
		if !done[operation] {
			t.Errorf("in %d looks nothing proposed %s, but %v", looks, operation, done)
		}
	}
}

// turnOf is how early an item comes, whatever it costs.
func turnOf(item object) int {
	switch kind := text(item, "kind"); {
	case kind == "cash_negative":
		return 0
	case item["urgent"] == true && item["command"] != nil:
		return 1
	case item["urgent"] == true:
		return 2
	case kind == "reputation_low" || kind == "morale_low":
		return 4
	default:
		return 3
	}
}

// mendsOne reads the records of items, and sends the first command that was not sent yet.
func (n *tenant) mendsOne(items []object, done map[string]bool) {
	t := n.t
	t.Helper()
	for _, item := range items {
		records := children(t, item, "records")
		if len(records) > 10 || int(number(t, item, "record_count")) < len(records) || text(item, "message") == "" {
			t.Errorf("there is the item %s", encode(t, item))
		}
		for _, r := range records {
			if got := n.row(text(r, "path")); got["id"] != r["id"] {
				t.Errorf("at %v there is %v", r["path"], got["id"])
			}
		}
	}
	for _, item := range items {
		if item["command"] == nil {
			continue
		}
		command := child(t, item, "command")
		if operation := text(command, "operation"); !done[operation] || operation == "start_print_run" ||
			operation == "create_factory_shipment" {
			done[operation] = true
			a := n.post(text(command, "path"), encode(t, command["body"]))
			if text(command, "method") != http.MethodPost || a.Status >= http.StatusBadRequest {
				t.Fatalf("%s was proposed, and is %d %s", encode(t, command), a.Status, a.Code())
			}
			return
		}
	}
}

// TestWhatIsProposedBuysMaterial: a requisition that waits is proposed to be approved and then
// ordered, and the need is gone.
func TestWhatIsProposedBuysMaterial(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ATTENTION.ITEMS", "OPEN.ATTENTION.COMMAND")
	n := shared.create(t, `{"preset":"manual","seed":11,"clock":"manual"}`)
	const paper = "mat_coated"
	work := n.post("/factory/work-orders", `{"sku":"prd_poster","quantity":1000,"reference":"X-1"}`).Data()
	n.post("/factory/print-runs", `{"press_id":"prs_offset","work_order_id":"`+text(work, "id")+`"}`).
		want(http.StatusCreated, "") // takes nearly all of the paper
	asked := n.post("/office/requisitions", `{"lines":[{"sku":"`+paper+`","quantity":16000}]}`).Data()
	need := func() object {
		for _, item := range children(t, n.row("/sandbox/attention"), "items") {
			if records := children(t, item, "records"); len(records) > 0 && text(records[0], "number") == paper {
				return item
			}
		}
		return nil
	}
	var last *answer
	for _, operation := range []string{"approve_requisition", "create_purchase_order"} {
		item := need()
		if item == nil {
			t.Fatalf("nothing proposes %s", operation)
		}
		if records := children(t, item, "records"); len(records) != 2 || records[1]["id"] != asked["id"] {
			t.Errorf("what is about %s has the records %s", text(asked, "number"), encode(t, records))
		}
		command := child(t, item, "command")
		if text(command, "operation") != operation {
			t.Fatalf("proposed is %s, want %s", encode(t, command), operation)
		}
		last = n.post(text(command, "path"), encode(t, command["body"]))
	}
	bought := last.want(http.StatusCreated, "").Data()
	if item := need(); item != nil {
		t.Errorf("what is ordered still shows as %s", encode(t, item))
	}
	if got := n.row("/office/requisitions/" + text(asked, "id")); got["purchase_order_id"] != bought["id"] {
		t.Errorf("the requisition was ordered with %v, want %v", got["purchase_order_id"], bought["id"])
	}
}

// TestAGapOfAManualBridgeNeedsNobodyHere: to list it would be the integration.
func TestAGapOfAManualBridgeNeedsNobodyHere(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ATTENTION.MANUAL")
	n := shared.create(t, `{"preset":"manual","seed":11,"clock":"manual"}`)
	before := n.attention()
	for _, o := range n.all("/office/sales-orders?status=received") {
		n.post("/office/sales-orders/"+text(o, "id")+"/accept", "").want(http.StatusOK, "")
	}
	for kind, item := range n.attention() {
		if before[kind] == nil {
			t.Errorf("orders that nobody has carried to the Factory show as %s", encode(t, item))
		}
	}
}

func TestWhatNeedsSomebodyIsNotForThePlayerOfAnEvaluation(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ATTENTION.EVALUATION")
	n := shared.create(t, `{"preset":"starter","evaluation":true,"clock":"manual"}`)
	n.get("/sandbox/attention").want(http.StatusForbidden, "not_in_evaluation")
	if attention := n.grader().row("/sandbox/attention"); attention["items"] == nil {
		t.Errorf("the grader sees %v", attention)
	}
}
