package contract

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// tag is the ETag of a record.
func (n *tenant) tag(path string) string {
	n.t.Helper()
	return n.get(path).want(http.StatusOK, "").Header.Get("ETag")
}

// record is the path of the record that a write is about, "" for none.
func (r request) record() string {
	parts := strings.Split(r.path, "/")
	if len(parts) != 5 {
		return ""
	}
	return strings.Join(parts[:4], "/")
}

// outdated checks that a response says that the record has changed, and how it is now.
func (n *tenant) outdated(a *answer, path string) {
	n.t.Helper()
	a.want(http.StatusPreconditionFailed, "precondition_failed")
	if present := n.tag(path); a.Header.Get("ETag") != present || a.details()["etag"] != present {
		n.t.Errorf("%s: the present tag is %s, not %s or %v", path, present, a.Header.Get("ETag"), a.details())
	}
}

func TestAWriteAboutAChangedRecordDoesNothing(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IF_MATCH", "OPEN.ERR.PRECONDITION_FAILED", "OPEN.IF_MATCH.WEAK")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	tried := 0
	for _, write := range n.writes() {
		path := write.record()
		if path == "" {
			continue
		}
		tried++
		headers := func(tag string) []string { return []string{"Idempotency-Key", freshKey(), "If-Match", tag} }
		tag, before := n.tag(path), n.newest()
		for _, other := range []string{`W/"other"`, `"other", W/"another"`, n.tag("/office/customers/cus_halden")} {
			n.outdated(n.call(write.method, write.path, write.body, headers(other)...), path)
		}
		if n.newest() != before || n.tag(path) != tag {
			t.Errorf("%s: a write that did not fit has changed something", write.path)
		}
		opaque := strings.TrimPrefix(tag, "W/")
		if tried%2 == 0 {
			tag = `"other" ,, ` + opaque
		}
		n.call(write.method, write.path, write.body, headers(tag)...).want(http.StatusOK, "")
		if now := n.tag(path); strings.HasSuffix(now, opaque) {
			t.Errorf("%s: the record keeps its tag %s", write.path, now)
		}
		n.outdated(n.call(write.method, write.path, write.body, headers(opaque)...), path)
	}
	if tried < 6 {
		t.Errorf("only %d writes are about records", tried)
	}
	n.post("/office/sales-orders/so_unknown/accept", "", "If-Match", `W/"v"`).want(http.StatusNotFound, "not_found")
}

func TestATagFitsByIDAndByNumber(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IF_MATCH", "OPEN.ID.NUMBER")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	id := text(n.order("SO-1001"), "id")
	const orders = "/office/sales-orders/"
	for read, write := range map[string]string{id: "SO-1001", "SO-1001": id} {
		n.outdated(n.post(orders+write+"/decline", `{"reason":"no"}`, "If-Match", n.tag(orders+"SO-1002")),
			orders+write)
		n.post(orders+write+"/decline", `{"reason":""}`, "If-Match", n.tag(orders+read)).
			want(http.StatusUnprocessableEntity, "validation_failed")
	}
	n.post(orders+"SO-1001/accept", "", "If-Match", n.tag(orders+id)).want(http.StatusOK, "")
	n.post(orders+text(n.order("SO-1002"), "id")+"/accept", "", "If-Match", n.tag(orders+"SO-1002")).
		want(http.StatusOK, "")
	n.post(orders+"SO-1003/accept", "", "If-Match", "*").want(http.StatusOK, "")
}

func TestARepetitionWithItsOldTagIsAReplay(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IF_MATCH.COMMIT", "IDEM.REPLAY")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	const order = "/office/sales-orders/SO-1001"
	headers := []string{"Idempotency-Key", "once", "If-Match", n.tag(order)}
	first := n.post(order+"/accept", "", headers...).want(http.StatusOK, "")
	again := n.post(order+"/accept", "", headers...).want(http.StatusOK, "")
	if string(again.Raw) != string(first.Raw) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the repetition is %s", again.Raw)
	}
	// A write that did not fit has not used its key up.
	const other = "/office/sales-orders/SO-1002"
	n.outdated(n.post(other+"/accept", "", "Idempotency-Key", "later", "If-Match", `W/"v"`), other)
	n.post(other+"/accept", "", "Idempotency-Key", "later", "If-Match", n.tag(other)).want(http.StatusOK, "")
}

func TestOfWritesWithOneTagOneIsCarriedOut(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IF_MATCH.COMMIT")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	s := n.subscribe("https://hooks.example.com/platen", `"*"`)
	path := "/webhooks/" + text(s, "id")
	tag := n.tag(path)
	var writers sync.WaitGroup
	statuses := make([]int, 8)
	for i := range statuses {
		writers.Go(func() {
			statuses[i] = n.patch(path, encode(t, object{"description": freshKey()}), "If-Match", tag).Status
		})
	}
	writers.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	if count[http.StatusOK] != 1 || count[http.StatusPreconditionFailed] != len(statuses)-1 {
		t.Errorf("%d writers with one tag got %v", len(statuses), count)
	}
	n.outdated(n.call(http.MethodDelete, path, "", "If-Match", tag), path)
	n.call(http.MethodDelete, path, "", "If-Match", n.tag(path)).want(http.StatusOK, "")
}

func TestTheVersionIsThatAfterWhatWasDue(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.IF_MATCH.COMMIT")
		n := usual(t).create(t, `{"preset":"manual","seed":5}`)
		const order = "/office/sales-orders/SO-1001"
		tag := n.tag(order)
		waitUntil(t, time.Now().Add(25*time.Minute)) // nobody asks, and the order lapses
		n.outdated(n.post(order+"/accept", "", "If-Match", tag), order)
		if status := text(n.row(order), "status"); status != "expired" {
			t.Errorf("the order is %s", status)
		}
	})
}

func TestAPingWithAnOldTagIsNotSent(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IF_MATCH.TEST")
	n := private(t).create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	receiver := receive(t)
	path := "/webhooks/" + text(n.subscribe(receiver.URL, `"*"`), "id")
	old := n.tag(path)
	n.patch(path, `{"description":"changed"}`).want(http.StatusOK, "")
	n.outdated(n.post(path+"/test", "", "If-Match", old), path)
	if got := receiver.pings(); len(got) != 0 {
		t.Errorf("the receiver got %v", got)
	}
	n.post(path+"/test", "", "If-Match", n.tag(path)).want(http.StatusOK, "")
	if got := receiver.pings(); len(got) != 1 {
		t.Errorf("the receiver got %v", got)
	}
}

func TestIfMatchHasAForm(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IF_MATCH.FORM", "OPEN.IF_MATCH.SANDBOX", "OPEN.IDEM.FIRST")
	n := shared.create(t, `{"preset":"manual","seed":5,"clock":"manual"}`)
	const order = "/office/sales-orders/SO-1001"
	before := n.greet().newest()
	for _, bad := range []string{
		",", "v", "W/v", `"v`, `w/"v"`, `"v" "w"`, `"v", w`, `*, "v"`, `"v", *`, "**", `"v` + "\t" + `"`,
	} {
		a := n.post(order+"/accept", "", "If-Match", bad).want(http.StatusBadRequest, "invalid_parameter")
		agrees(t, "If-Match: "+bad, a.details(), object{"parameter": "If-Match"})
	}
	n.call(http.MethodDelete, "/sandbox", "", "If-Match", `"v"`).want(http.StatusBadRequest, "invalid_parameter")
	n.patch("/sandbox", `{"clock":{"mode":"manual"}}`, "If-Match", n.tag("/sandbox")).
		want(http.StatusBadRequest, "invalid_parameter")
	if n.newest() != before {
		t.Error("a malformed If-Match has changed something")
	}
	// Where no record is named, nothing looks at the header.
	n.get(order, "If-Match", "v").want(http.StatusOK, "")
	n.post("/factory/work-orders", `{"sku":"prd_notebook","quantity":1}`, "If-Match", "v").want(http.StatusCreated, "")
	n.post(order+"/accept", "", "If-Match", "*", "Idempotency-Key", "k").want(http.StatusOK, "")
	n.post(order+"/accept", "", "If-Match", "v", "Idempotency-Key", "k").want(http.StatusOK, "")
	n.patch("/sandbox", `{}`, "If-Match", "*")
	n.call(http.MethodDelete, "/sandbox", "", "If-Match", "*").want(http.StatusOK, "")
}
