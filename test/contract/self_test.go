package contract

import (
	"fmt"
	"strings"
	"testing"

	"platen/test/testclient"
)

// ear is a testing.TB that only listens.
type ear struct {
	testing.TB

	heard int
}

func (*ear) Helper() {}

func (e *ear) Errorf(string, ...any) { e.heard++ }

// TestTheChecksOfEveryAnswerCanFail holds answers that break a rule against
// the checks that every answer goes through.
func TestTheChecksOfEveryAnswerCanFail(t *testing.T) {
	t.Parallel()
	n := shared.create(t, `{"clock":"manual"}`)
	good := n.get("/office/sales-orders?limit=1").want(200, "")
	refusal := n.get("/office/sales-orders/so_0").want(404, "not_found")
	replaced := func(a *answer, old, with string) []byte {
		t.Helper()
		text := strings.Replace(string(a.Raw), old, with, 1)
		if text == string(a.Raw) {
			t.Fatalf("there is no %s in %s", old, a.Raw)
		}
		return []byte(text)
	}
	quantity := fmt.Sprintf(`"quantity":%v,`, good.Items()[0]["quantity"])
	for name, c := range map[string]struct {
		a    *answer
		raw  []byte
		code string
		bad  bool
	}{
		"as it is":              {good, good.Raw, "", false},
		"a refusal as it is":    {refusal, refusal.Raw, "not_found", false},
		"undocumented in a row": {good, replaced(good, `"quantity":`, `"colour":"red","quantity":`), "", true},
		"undocumented in data":  {good, replaced(good, `"next_cursor":`, `"colour":"red","next_cursor":`), "", true},
		"undocumented in meta":  {good, replaced(good, `"simulation":`, `"colour":"red","simulation":`), "", true},
		"undocumented beside":   {good, replaced(good, `"data":`, `"colour":"red","data":`), "", true},
		"a member is missing":   {good, replaced(good, quantity, ""), "", true},
		"a status nobody knows": {good, replaced(good, `"status":"`, `"status":"un`), "", true},
		"a number as a string":  {good, replaced(good, quantity, `"quantity":"1",`), "", true},
		"no date":               {good, replaced(good, `"due_date":"2026`, `"due_date":"26`), "", true},
		"another code": {refusal, replaced(refusal, `"not_found"`, `"route_not_found"`), "route_not_found",
			true},
		"no hint": {refusal, replaced(refusal, `"hint":`, `"tip":`), "not_found", true},
	} {
		listener := &ear{}
		if fresh := n.judge.unjudged(c.a.operation, c.a.Status, c.raw, decoded(t, string(c.raw))); fresh != nil {
			n.judge.check(listener, c.a.operation, c.a.Status, c.code, fresh)
		}
		if (listener.heard > 0) != c.bad {
			t.Errorf("%s: %d complaints", name, listener.heard)
		}
	}
	listener := &ear{}
	if n.judge.check(listener, good.operation, 418, "", good.Body); listener.heard == 0 {
		t.Error("an undocumented status goes through")
	}
}

func TestTheChecksOfEveryValueCanFail(t *testing.T) {
	t.Parallel()
	for text, bad := range map[string]bool{
		`{"total_minor":1}`: false, `{"total_minor":"1"}`: true, `{"total_minor":1.0}`: true,
		`{"total_minor":1e3}`: true, `{"total_minor":null}`: true, `{"credit_limit_minor":null}`: false,
		`{"ask_minor":null}`: false, `{"limit_price_minor":null}`: false, `{"bid_minor":null}`: true,
		`{"ask_minor":"1"}`: true, `{"created_at":"2026-09-07T08:00:00.000000Z"}`: false,
		`{"created_at":"2026-09-07T08:00:00Z"}`: true, `{"created_at":"2026-09-07T08:00:00.000000+00:00"}`: true,
		`{"due_date":"2026-09-07"}`: false, `{"due_date":"7 September"}`: true, `{"paid_on":null}`: false,
		`{"id":"so_1"}`: false, `{"id":1}`: true, `{"invoice_id":null}`: false, `{"invoice_id":7}`: true,
		`{"currency":"XTS"}`: false, `{"currency":"EUR"}`: true, `{"simulation":false}`: true,
		`{"unitPrice":1}`: true, `{"a":[{"b":{"total_minor":"1"}}]}`: true,
	} {
		listener := &ear{}
		inspectValue(listener, "", "", decoded(t, text))
		if (listener.heard > 0) != bad {
			t.Errorf("%s: %d complaints", text, listener.heard)
		}
	}
}

// decoded reads an object the way answers are read.
func decoded(t testing.TB, text string) object {
	t.Helper()
	value, err := testclient.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	o, _ := value.(object)
	return o
}
