package contract

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"platen/test/testclient"
)

// tenant is a sandbox of a service.
type tenant struct {
	*service

	t                   testing.TB
	id, office, factory string
	// grading is the key that judges, "" outside of evaluations.
	grading string
	// created is the data of the answer that made it.
	created object
	// settled is set once reading completes nothing any more.
	settled *bool
	// refused holds the state after the newest error.
	refused *leftover
}

// leftover is every row, with the number of the newest event and of the writes until then.
type leftover struct {
	rows   map[string]object
	newest uint64
	at     int64
	writes atomic.Int64
}

// keyNumber makes idempotency keys that were never used before.
var keyNumber atomic.Int64

func freshKey() string { return fmt.Sprintf("key-%d", keyNumber.Add(1)) }

// create makes a sandbox; the body may be "".
//
// A body that names no seed gets one by the test's name, so a test that an
// illness or a breakdown fails, fails each time.
func (s *service) create(t testing.TB, body string) *tenant {
	t.Helper()
	if fields, open := strings.CutSuffix(body, "}"); open && strings.Contains(body, `"clock":"manual"`) &&
		!strings.Contains(body, `"seed"`) && !strings.Contains(body, `"evaluation"`) {
		body = fmt.Sprintf(`%s,"seed":%d}`, fields, nextSeed(t.Name()))
	}
	return s.tenantOf(t,
		s.send(t, request{method: "POST", path: "/sandboxes", body: body}).want(http.StatusCreated, "").Data())
}

// seeds are those that tests have got: another for each sandbox of a test.
var seeds = struct {
	mutex sync.Mutex
	given map[string]int
}{given: map[string]int{}}

func nextSeed(test string) uint32 {
	seeds.mutex.Lock()
	defer seeds.mutex.Unlock()
	seeds.given[test]++
	return crc32.ChecksumIEEE(fmt.Append(nil, test, seeds.given[test]))
}

// tenantOf is the sandbox that a response has made.
func (s *service) tenantOf(t testing.TB, data object) *tenant {
	t.Helper()
	return &tenant{
		service: s, t: t, id: text(data, "sandbox_id"), office: text(data, "office_key"),
		factory: text(data, "factory_key"), created: data,
		settled: new(bool), refused: new(leftover), grading: text(data, "grading_key"),
	}
}

// grader is the same sandbox with the grading key, as far as that goes.
func (n *tenant) grader() *tenant {
	m := *n
	m.office, m.factory = n.grading, n.grading
	return &m
}

// within is the same sandbox for a subtest.
func (n *tenant) within(t testing.TB) *tenant {
	m := *n
	m.t = t
	return &m
}

// keyFor returns the key that a path takes.
func (n *tenant) keyFor(path string) string {
	if strings.HasPrefix(path, "/factory/") {
		return n.factory
	}
	return n.office
}

// call makes a call with the right key. Answers about the sandbox say which
// day it is there.
func (n *tenant) call(method, path, body string, headers ...string) *answer {
	n.t.Helper()
	if method != http.MethodGet && method != http.MethodHead {
		n.refused.writes.Add(1)
	}
	a := n.send(n.t, request{method: method, path: path, key: n.keyFor(path), body: body, headers: headers})
	if a.Body != nil && a.operation != nil && a.Status != http.StatusUnauthorized &&
		a.Status < http.StatusInternalServerError {
		has(n.t, a.asked.String()+": meta", a.Meta(), "sim_date", "expires_in_s")
	}
	return a
}

func (n *tenant) get(path string, headers ...string) *answer {
	n.t.Helper()
	return n.call("GET", path, "", headers...)
}

// row reads one record.
func (n *tenant) row(path string) object {
	n.t.Helper()
	return n.get(path).want(http.StatusOK, "").Data()
}

// post writes. Routes that require an idempotency key get a fresh one.
func (n *tenant) post(path, body string, headers ...string) *answer {
	n.t.Helper()
	if o := n.judge.find("POST", path); o != nil && !slices.Contains(headers, "Idempotency-Key") {
		for _, p := range o.parameters {
			if p.Name == "Idempotency-Key" && p.Required {
				headers = append(headers, "Idempotency-Key", freshKey())
			}
		}
	}
	return n.call("POST", path, body, headers...)
}

// all reads a whole list, page by page.
func (n *tenant) all(path string) []object {
	n.t.Helper()
	return testclient.All(path, func(page string) *testclient.Answer { return n.get(page).Answer })
}

// feed reads all events after a number.
func (n *tenant) feed(after uint64) []object {
	n.t.Helper()
	var events []object
	for {
		a := n.get(fmt.Sprintf("/events?limit=100&after_seq=%d", after)).want(http.StatusOK, "")
		items := a.Items()
		events = append(events, items...)
		if a.Cursor() == "" {
			return events
		}
		after = uint64(number(n.t, items[len(items)-1], "seq"))
	}
}

// newest is the number of the newest event.
func (n *tenant) newest() uint64 {
	n.t.Helper()
	return uint64(number(n.t, n.row("/sandbox"), "last_seq"))
}

// greet sends a request that succeeds. The first one completes a mission, which later responses show.
func (n *tenant) greet() *tenant {
	n.t.Helper()
	n.row("/sandbox")
	return n
}

// types lists the types of events in their order.
func types(events []object) []string {
	list := make([]string, len(events))
	for i, e := range events {
		list[i] = text(e, "type")
	}
	return list
}

// ofType picks the events of one type.
func ofType(events []object, kind string) []object {
	var list []object
	for _, e := range events {
		if text(e, "type") == kind {
			list = append(list, e)
		}
	}
	return list
}

// tick moves the clock. Servers of tests have no pause between two ticks, unless
// the test is about the pause.
func (n *tenant) tick(minutes int) object {
	n.t.Helper()
	return n.post("/sandbox/tick", fmt.Sprintf(`{"minutes":%d}`, minutes)).want(http.StatusOK, "").Data()
}

// day moves the clock a whole working day on.
func (n *tenant) day() object {
	n.t.Helper()
	return n.tick(480)
}

// order is the sales order with a number.
func (n *tenant) order(numbered string) object {
	n.t.Helper()
	return one(n.t, n.all("/office/sales-orders"), "number", numbered)
}

// accept accepts a sales order and returns its row.
func (n *tenant) accept(id string) object {
	n.t.Helper()
	return n.post("/office/sales-orders/"+id+"/accept", "").want(http.StatusOK, "").Data()
}

// work orders work from the Factory.
func (n *tenant) work(sku string, quantity int, reference string) object {
	n.t.Helper()
	body := object{"sku": sku, "quantity": quantity}
	if reference != "" {
		body["reference"] = reference
	}
	return n.post("/factory/work-orders", encode(n.t, body)).want(http.StatusCreated, "").Data()
}

// print starts a run for a work order on the digital press with so much above
// the quantity that it does not end short.
func (n *tenant) print(workOrder string) object {
	n.t.Helper()
	body := object{"press_id": "prs_digital", "work_order_id": workOrder, "overs_pct": 20}
	return n.post("/factory/print-runs", encode(n.t, body)).want(http.StatusCreated, "").Data()
}

// dispatch ships a work order from the Factory.
func (n *tenant) dispatch(workOrder string) object {
	n.t.Helper()
	return n.post("/factory/shipments", encode(n.t, object{"work_order_id": workOrder})).
		want(http.StatusCreated, "").Data()
}

// bill ships a sales order at Head Office.
func (n *tenant) bill(order string) object {
	n.t.Helper()
	return n.post("/office/shipments", encode(n.t, object{"sales_order_id": order})).want(http.StatusCreated, "").Data()
}

func encode(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
