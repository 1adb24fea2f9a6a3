package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestSmallRequisitionsAreApprovedByPolicy(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.REQUISITIONS", "ROUTE.OFFICE.REQUISITIONS.CREATE", "OPEN.FIELDS.OFFICE_REQUISITION",
		"OPEN.STATE.OFFICE_REQUISITION", "EVT.TYPE.OFFICE.REQUISITION.RECEIVED", "OPEN.EVT.OFFICE.REQUISITION.RECEIVED",
		"EVT.TYPE.OFFICE.REQUISITION.APPROVED", "OPEN.EVT.OFFICE.REQUISITION.APPROVED",
		"CONV.SAME_ROW", "OPEN.EVENT.TWO")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	n.row("/office/cash")
	for i, c := range []struct {
		lines     []object
		estimated int64
		approved  bool
	}{
		// The limit is 1,500.00, and 6,250 sheets at 0.24 are just that.
		{[]object{{"sku": "mat_uncoated", "quantity": 6250}}, 150000, true},
		{[]object{{"sku": "mat_uncoated", "quantity": 6251}}, 150024, false},
		{[]object{{"sku": "mat_ink", "quantity": 1}, {"sku": "mat_plate", "quantity": 2},
			{"sku": "mat_coated", "quantity": 3}}, 2600 + 1900 + 96, true},
		{[]object{{"sku": "mat_ink", "quantity": 200000}, {"sku": "mat_board", "quantity": 1}}, 520000058, false},
	} {
		at := n.newest()
		reference := strings.Repeat("→", 63) + fmt.Sprint(i) // 64 characters
		a := n.post("/office/requisitions", encode(t,
			object{"lines": c.lines, "reference": reference, "needed_by": "2026-09-30"})).want(http.StatusCreated, "")
		row := a.Data()
		exactly(t, "a requisition", row, "number reference lines estimated_minor currency needed_by source status "+
			"decided_by reject_reason purchase_order_id")
		want := object{
			"number": fmt.Sprintf("RQ-%d", 8002+i), "reference": reference, "lines": c.lines,
			"estimated_minor": c.estimated, "currency": "XTS", "needed_by": "2026-09-30", "source": "client",
			"status": "received", "decided_by": nil, "reject_reason": nil, "purchase_order_id": nil,
		}
		written := []string{"office.requisition.received"}
		if c.approved {
			want["status"], want["decided_by"] = "approved", "policy"
			written = append(written, "office.requisition.approved")
		}
		agrees(t, "the requisition", row, want)
		n.sameRow(a, "/office/requisitions/"+text(row, "id"))
		events := n.wrote(at, written...)
		total := sums(t, children(t, row, "lines"), "quantity")
		n.says(events, text(row, "id"), "office.requisition.received", object{
			"status": "received", "number": row["number"], "reference": reference, "sku": c.lines[0]["sku"],
			"quantity": total, "estimated_minor": c.estimated, "source": "client",
		})
		if c.approved {
			n.says(events, text(row, "id"), "office.requisition.approved",
				object{"status": "approved", "number": row["number"], "decided_by": "policy"})
		}
	}
	plain := n.require(object{"sku": "mat_plate", "quantity": 1}).want(201, "").Data()
	agrees(t, "a plain requisition", plain, object{"reference": nil, "needed_by": nil})
	n.require(object{"sku": "mat_plate", "quantity": 1}).want(201, "") // two without a reference are two
}

func TestARequisitionIsDecidedOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ROUTE.OFFICE.REQUISITIONS.DECIDE",
		"EVT.TYPE.OFFICE.REQUISITION.REJECTED", "OPEN.EVT.OFFICE.REQUISITION.REJECTED", "OPEN.STATE.OFFICE_REQUISITION",
		"OPEN.ERR.INVALID_STATE", "OPEN.HTTP.NULL")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	filed := func() string {
		return "/office/requisitions/" +
			text(n.require(object{"sku": "mat_ink", "quantity": 100}).want(201, "").Data(), "id")
	}
	approved, rejected, silent, small := filed(), filed(), filed(), "/office/requisitions/"+
		text(n.require(object{"sku": "mat_ink", "quantity": 1}).Data(), "id")
	for path, decided := range map[string]struct {
		verb, body string
		kind       string
		row, said  object
	}{
		approved: {"approve", "{}", "office.requisition.approved",
			object{"status": "approved", "decided_by": "client", "reject_reason": nil}, object{"decided_by": "client"}},
		rejected: {
			"reject", encode(t, object{"reason": strings.Repeat("é", 200)}), "office.requisition.rejected",
			object{"status": "rejected", "decided_by": "client", "reject_reason": strings.Repeat("é", 200)},
			object{"decided_by": "client", "reason": strings.Repeat("é", 200)},
		},
		silent: {"reject", "", "office.requisition.rejected", object{"status": "rejected", "decided_by": "client",
			"reject_reason": nil}, object{"decided_by": "client", "reason": nil}},
	} {
		for _, body := range []string{
			`{"reason":""}`, `{"reason":7}`, `{"reason":7}`, `{"why":"x"}`,
			encode(t, object{"reason": strings.Repeat("é", 201)}),
		} {
			n.refusesQuietly(path+"/reject", body, http.StatusUnprocessableEntity, "validation_failed")
		}
		n.refusesQuietly(path+"/approve", `{"reason":"x"}`, http.StatusUnprocessableEntity, "validation_failed")
		at := n.newest()
		a := n.post(path+"/"+decided.verb, decided.body).want(http.StatusOK, "")
		agrees(t, path, a.Data(), decided.row)
		n.sameRow(a, path)
		events := n.wrote(at, decided.kind)
		decided.said["number"], decided.said["status"] = a.Data()["number"], a.Data()["status"]
		n.says(events, text(a.Data(), "id"), decided.kind, decided.said)
	}
	for path, status := range map[string]string{approved: "approved", rejected: "rejected", small: "approved"} {
		for _, verb := range []string{"approve", "reject"} {
			details := n.refusesQuietly(path+"/"+verb, "", http.StatusConflict, "invalid_state").details()
			if details["status"] != status || !slices.Equal(texts(details, "allowed"), []string{"received"}) {
				t.Errorf("%s %s again: details are %v", verb, path, details)
			}
		}
	}
	for _, verb := range []string{"approve", "reject"} {
		details := n.refusesQuietly("/office/requisitions/rqn_0/"+verb, "", http.StatusNotFound, "not_found").details()
		agrees(t, "details", details, object{"resource": "office_requisition", "id": "rqn_0"})
	}
	watch(n).ended()
}

func TestARequisitionThatNobodyDecidesOnLapses(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.OFFICE_REQUISITION", "OPEN.EVT.OFFICE.REQUISITION.REJECTED")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	n.tick(479)
	waiting := n.require(object{"sku": "mat_ink", "quantity": 100}).want(201, "").Data()
	decided := n.require(object{"sku": "mat_ink", "quantity": 101}).want(201, "").Data()
	small := n.require(object{"sku": "mat_ink", "quantity": 1}).want(201, "").Data()
	n.post("/office/requisitions/"+text(decided, "id")+"/approve", "").want(200, "")
	n.tick(1)
	for range 4 {
		n.day()
	}
	n.tick(479)
	path := "/office/requisitions/" + text(waiting, "id")
	if got := n.row(path); got["status"] != "received" || encode(t, got) != encode(t, waiting) {
		t.Errorf("in the last minute of the fifth working day it is %v", got)
	}
	at := n.newest()
	n.tick(1)
	agrees(t, "the requisition", n.row(path), object{"status": "rejected", "decided_by": "lapse", "reject_reason": nil})
	events := n.feed(at)
	n.says(events, text(waiting, "id"), "office.requisition.rejected",
		object{"status": "rejected", "number": waiting["number"], "decided_by": "lapse", "reason": nil})
	if lapsed := ofType(events, "office.requisition.rejected"); len(lapsed) != 1 ||
		lapsed[0]["sim_date"] != "2026-09-15" {
		t.Errorf("filed on Monday the 7th, lapsed are %v", lapsed)
	}
	for _, row := range []object{decided, small} {
		if got := n.row("/office/requisitions/" + text(row, "id"))["status"]; got != "approved" {
			t.Errorf("the decided requisition %v is %v", row["number"], got)
		}
	}
	n.refusesQuietly(path+"/approve", "", http.StatusConflict, "invalid_state")
}

func TestAReferenceIsRequiredForOnce(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.DUPLICATE_REFERENCE", "OPEN.BODY.OFFICE.REQUISITIONS")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	file := func(reference string) string {
		return encode(t, object{"lines": []object{{"sku": "mat_ink", "quantity": 100}}, "reference": reference})
	}
	first := n.post("/office/requisitions", file("frq_1")).want(201, "").Data()
	n.post("/office/requisitions/"+text(first, "id")+"/reject", "").want(200, "")
	// A rejected requisition can be filed again, once.
	again := n.post("/office/requisitions", file("frq_1")).want(201, "").Data()
	details := n.refusesQuietly("/office/requisitions", file("frq_1"), http.StatusConflict,
		"duplicate_reference").details()
	agrees(t, "details", details, object{"requisition_id": again["id"]})
	if _, receipts := details["goods_receipt_id"]; receipts {
		t.Errorf("details name a goods receipt: %v", details)
	}
	n.refusesQuietly("/office/requisitions", file("FRQ_1"), http.StatusConflict, "duplicate_reference")
	n.post("/office/requisitions", file("FRQ_2")).want(201, "")
	// Callers at the same time, each with a key of its own, file one.
	const callers = 8
	answers := make([]*answer, callers)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = n.post("/office/requisitions", file("at once")) })
	}
	all.Wait()
	filed := 0
	for _, a := range answers {
		if a.Status == http.StatusCreated {
			filed++
		} else {
			a.want(http.StatusConflict, "duplicate_reference")
		}
	}
	if filed != 1 {
		t.Errorf("%d of %d callers filed the same requisition", filed, callers)
	}
}

func TestASandboxHoldsFiveHundredOpenRequisitions(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.STATE.PURCHASE_ORDER.MAX_OPEN", "OPEN.ERR.TOO_MANY_OPEN")
	n := shared.create(t, `{"clock":"manual"}`)
	const most, clients = 500, 4
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range most / clients {
				n.require(object{"sku": "mat_ink", "quantity": 100}).want(201, "")
			}
		})
	}
	all.Wait()
	one := `{"lines":[{"sku":"mat_ink","quantity":100}]}`
	n.refusesQuietly("/office/requisitions", one, http.StatusConflict, "too_many_open")
	some := n.all("/office/requisitions")
	first, second := text(some[0], "id"), text(some[1], "id")
	// Approved it is open still; a rejected or an ordered one is not.
	n.post("/office/requisitions/"+first+"/approve", "").want(200, "")
	n.post("/office/requisitions", one).want(http.StatusConflict, "too_many_open")
	n.post("/office/requisitions/"+second+"/reject", "").want(200, "")
	n.post("/office/requisitions", one).want(201, "")
	n.post("/office/requisitions", one).want(http.StatusConflict, "too_many_open")
	n.post("/office/purchase-orders", encode(t, object{
		"supplier_id": "sup_chroma", "lines": []object{{"sku": "mat_ink", "quantity": 5}}, "requisition_id": first,
	})).want(201, "")
	n.post("/office/requisitions", one).want(201, "")
}

func TestBadRequisitionsAreRefused(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.BODY.OFFICE.REQUISITIONS", "OPEN.ERR.VALIDATION_FAILED")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	line := `{"sku":"mat_ink","quantity":1}`
	n.namesFields("/office/requisitions", badLines("mat_notebook", map[string]string{
		`{"lines":[{"sku":"prd_notebook","quantity":1}]}`:           "lines[0].sku",
		`{"lines":[` + line + `,{"sku":"mat_waste","quantity":1}]}`: "lines[1].sku",
		`{"lines":[` + line + `,` + line +
			`,{"sku":"mat_kite","quantity":1}]}`: "lines[1].sku lines[2].sku",
		`{"lines":[` + line + `],"reference":""}`:                                "reference",
		`{"lines":[` + line + `],"reference":"` + strings.Repeat("x", 65) + `"}`: "reference",
		`{"lines":[` + line + `],"needed_by":"2026-02-30"}`:                      "needed_by",
		`{"lines":[` + line + `],"needed_by":"soon"}`:                            "needed_by",
		`{"lines":[` + line + `],"needed_by":"2026-09-30T00:00:00Z"}`:            "needed_by",
		`{"lines":[` + line + `],"needed_by":20260930}`:                          "needed_by",
		`{"lines":[` + line + `],"status":"approved"}`:                           "status",
		`{"lines":[` + line + `],"purchase_order_id":"po_1"}`:                    "purchase_order_id",
		`{"lines":[],"reference":7,"needed_by":true,"source":"bridge"}`: "lines needed_by " +
			"reference source",
		`{"lines":[{"sku":"mat_ink","quantity":1,"unit":"can"}],"reference":["a"]}`: "lines[0].unit reference",
		`{"lines":[{"sku":"mat_ink","quantity":1}],"lines2":[]}`:                    "lines2",
		`{"lines":[{"sku":"` + strings.Repeat("m", 41) + `","quantity":1}]}`:        "lines[0].sku",
		`{"lines":[{"sku":"MAT_INK","quantity":1}]}`:                                "lines[0].sku",
		`{"lines":[{"sku":"mat_ink ","quantity":1}]}`:                               "lines[0].sku",
		`{"lines":[{"sku":"mat_ink\u0000","quantity":1}]}`:                          "lines[0].sku",
		// a Cyrillic letter
		`{"lines":[{"sku":"mat_іnk","quantity":1}]}`:                                        "lines[0].sku",
		`{"lines":[{"sku":"mat_ink","quantity":1}],"reference":"a","needed_by":"26-09-30"}`: "needed_by",
	}))
}
