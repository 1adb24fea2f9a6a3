package contract

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestARequestIsReadWithItsBodies by the key that sent it, and by no other.
func TestARequestIsReadWithItsBodies(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.BODIES")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	body := `{"sku":"prd_notebook","quantity":1000001}`
	a := n.post("/factory/work-orders?", body, "Idempotency-Key", "the-key-of-mine").want(422, "validation_failed")
	id := text(a.Meta(), "request_id")
	row := n.send(t, request{method: "GET", path: "/requests/" + id, key: n.factory}).want(200, "").Data()
	if row["request_body"] != body || number(t, row, "request_bytes") != int64(len(body)) ||
		row["idempotency_key"] != "the-key-of-mine" || row["query"] != nil {
		t.Errorf("what was sent is %v", row)
	}
	if row["response_body"] != string(a.Raw) || number(t, row, "response_bytes") != int64(len(a.Raw)) {
		t.Errorf("what was received is %v", row["response_body"])
	}
	other := n.send(t, request{method: "GET", path: "/requests/" + id, key: n.office}).want(200, "")
	for _, name := range []string{
		"query", "idempotency_key", "request_body", "request_bytes", "response_body", "response_bytes",
	} {
		if value, there := other.Data()[name]; !there || value != nil {
			t.Errorf("the other key is shown %s: %v", name, value)
		}
	}
	if etag := other.Header.Get("ETag"); etag == "" {
		t.Error("a request has no ETag")
	}
	listed := n.all("/requests")
	if _, there := listed[0]["request_body"]; there {
		t.Error("the list has bodies")
	}
	read := n.get("/office/sales-orders?limit=2&status=received").want(200, "")
	shown := n.row("/requests/" + text(read.Meta(), "request_id"))
	if shown["query"] != "limit=2&status=received" || shown["request_body"] != nil ||
		shown["response_body"] != string(read.Raw)[:min(len(read.Raw), 4096)] {
		t.Errorf("a read is shown as %v", shown)
	}
}

// TestBodiesAreKeptForAWhile: of the newest requests alone, and cut.
func TestBodiesAreKeptForAWhile(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.BODIES")
	n := shared.create(t, `{"clock":"manual"}`)
	first := text(n.get("/sandbox").want(200, "").Meta(), "request_id")
	if n.row("/requests/" + first)["response_body"] == nil {
		t.Error("a request has no body at first")
	}
	long := n.post("/office/requisitions", `{"lines":[],"reference":"`+strings.Repeat("x", 9000)+`"}`)
	row := n.row("/requests/" + text(long.Meta(), "request_id"))
	if len(text(row, "request_body")) != 4096 || number(t, row, "request_bytes") < 9000 {
		t.Errorf("of a long body %d bytes are shown, and it is said to have %v", len(text(row, "request_body")),
			row["request_bytes"])
	}
	asked := n.get("/office/nothing?q=" + strings.Repeat("x", 3000))
	if query := text(n.row("/requests/"+text(asked.Meta(), "request_id")), "query"); len(query) != 2048+len("…") ||
		!strings.HasSuffix(query, "x…") {
		t.Errorf("a long query string is shown as %d bytes: %.20s", len(query), query)
	}
	const kept = 200
	early := ""
	for i := range kept {
		if a := n.get(fmt.Sprintf("/nothing/%d", i)); i == kept/4 {
			early = text(a.Meta(), "request_id")
		}
	}
	if row := n.row("/requests/" + early); row["response_body"] == nil {
		t.Errorf("after %d short requests the body of an earlier one is gone: %v", kept*3/4, row)
	}
	if row := n.row("/requests/" + first); row["response_body"] != nil || row["status"] == nil {
		t.Errorf("after %d more requests the first is %v", kept, row)
	}
}

// TestOfARejectedRequestThereIsOnlyItsRow: it cost its client nothing, so it takes up no more than a row.
func TestOfARejectedRequestThereIsOnlyItsRow(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.BODIES")
	n := serve(t, map[string]string{"key-rate": "1", "key-burst": "2"}).create(t, `{"clock":"manual"}`)
	n.get("/sandbox?").want(http.StatusOK, "")
	n.get("/sandbox").want(http.StatusOK, "")
	rejected := n.get("/sandbox?q=rejected").want(http.StatusTooManyRequests, "rate_limited")
	entry := one(t, n.archive(n.factory), "_request_id", text(rejected.Meta(), "request_id"))
	if len(children(t, child(t, entry, "request"), "queryString")) > 0 || text(entry, "comment") == "" {
		t.Errorf("a rejected request is remembered as %v", entry)
	}
}

// TestNoSecretIsInWhatIsKept, wherever a client may have put it.
func TestNoSecretIsInWhatIsKept(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.SECRETS")
	n := serve(t, map[string]string{"private-webhooks": "true"}).create(t, `{"preset":"manual","clock":"manual"}`)
	made := n.post("/webhooks", `{"url":"http://127.0.0.1:9/?token=of-mine","events":["*"]}`).want(201, "")
	ids := []string{text(made.Meta(), "request_id")}
	ids = append(ids, text(n.post("/office/requisitions", `{"lines":[{"sku":"mat_ink","quantity":5}],"mine":"`+
		n.factory+`"}`).want(422, "validation_failed").Meta(), "request_id"))
	ids = append(ids, text(n.asks(`{}`).want(201, "").Meta(), "request_id"))
	ids = append(ids, text(n.get("/office/sales-orders?status="+text(made.Data(), "secret")).Meta(), "request_id"))
	for _, id := range ids {
		row := encode(t, n.row("/requests/"+id))
		for _, secret := range []string{n.factory, n.office, text(made.Data(), "secret"), "of-mine", "whsec_"} {
			if strings.Contains(row, secret) {
				t.Errorf("what is kept has %.12s…: %s", secret, row)
			}
		}
	}
	off := serve(t, map[string]string{"request-bodies": "false"}).create(t, "")
	read := off.get("/sandbox").want(http.StatusOK, "")
	if row := off.row("/requests/" + text(read.Meta(), "request_id")); row["response_body"] != nil {
		t.Errorf("a server that keeps no bodies shows %v", row)
	}
}
