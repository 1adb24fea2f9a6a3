package contract

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var sandboxID = regexp.MustCompile(`^sbx_[0-9a-hjkmnp-tv-z]{13}$`)

func TestCreationAnswersWithASandbox(t *testing.T) {
	t.Parallel()
	rows(t, "SBX.CREATE", "SBX.CREATE.PRESET", "SBX.CREATE.SANDBOX_ID", "SBX.CREATE.PUBLIC_NAME",
		"SBX.CREATE.EXPIRES_AT", "CONV.ID.SANDBOX", "OPEN.CREATE.PUBLIC_NAME", "LIFE.DURATION", "LIMIT.DURATION",
		"OPEN.SANDBOX.FIELDS.IDENTITY")
	ids, publicNames := map[string]bool{}, map[string]bool{}
	for _, body := range []string{"", "{}", `{"preset":"starter"}`, `{"preset":"manual"}`, `{"seed":7}`, `{"seed":7}`} {
		n := shared.create(t, body)
		name := text(n.created, "public_name")
		if !sandboxID.MatchString(n.id) || ids[n.id] {
			t.Errorf("%s: the id is %q, earlier ones were %v", body, n.id, ids)
		}
		if !regexp.MustCompile(`^[A-Z][a-z]+ [A-Z][a-z]+ [A-Z][a-z]+( [A-Z][a-z]+)?$`).MatchString(name) {
			t.Errorf("%s: the public name is %q", body, name)
		}
		ids[n.id], publicNames[name] = true, true
		status := n.row("/sandbox")
		for _, same := range []string{"sandbox_id", "public_name", "expires_at"} {
			if status[same] != n.created[same] {
				t.Errorf("%s: %s is %v, later %v", body, same, n.created[same], status[same])
			}
		}
		if lease := moment(t, status["expires_at"]).Sub(moment(t, status["created_at"])); lease != 30*time.Minute {
			t.Errorf("%s: a sandbox lasts %v", body, lease)
		}
		want := "starter"
		if strings.Contains(body, "manual") {
			want = "manual"
		}
		if status["preset"] != want {
			t.Errorf("%s: the preset is %v", body, status["preset"])
		}
	}
	if len(publicNames) < 3 {
		t.Errorf("names do not follow from the ids: %v", publicNames)
	}
}

func TestCreationRefusesWhatItCannotMake(t *testing.T) {
	t.Parallel()
	rows(t, "SBX.CREATE.PRESET", "OPEN.CREATE.SEED",
		"OPEN.CREATE.BRIDGE", "OPEN.CREATE.CLOCK", "OPEN.ERR.INVALID_PRESET", "OPEN.HTTP.STRICT_BODY",
		"OPEN.HTTP.NULL", "OPEN.HTTP.INTEGERS", "OPEN.ERR.VALIDATION_FAILED", "OPEN.ERR.INVALID_JSON")
	for body, want := range map[string]struct {
		status int
		code   string
		field  string
	}{
		`{"preset":"volcano"}`:          {422, "invalid_preset", ""},
		`{"preset":""}`:                 {422, "invalid_preset", ""},
		`{"preset":7}`:                  {422, "validation_failed", "preset"},
		`{"preset":null}`:               {422, "validation_failed", "preset"},
		`{"seed":-1}`:                   {422, "validation_failed", "seed"},
		`{"seed":9007199254740992}`:     {422, "validation_failed", "seed"},
		`{"seed":1.5}`:                  {422, "validation_failed", "seed"},
		`{"seed":1e-2}`:                 {422, "validation_failed", "seed"},
		`{"seed":9223372036854775808}`:  {422, "validation_failed", "seed"},
		`{"seed":"1"}`:                  {422, "validation_failed", "seed"},
		`{"seed":null}`:                 {422, "validation_failed", "seed"},
		`{"bridge":"half"}`:             {422, "validation_failed", "bridge"},
		`{"clock":"sundial"}`:           {422, "validation_failed", "clock"},
		`{"colour":"red"}`:              {422, "validation_failed", "colour"},
		`{"preset":"a","preset":"b"}`:   {400, "invalid_json", ""},
		`[]`:                            {400, "invalid_json", ""},
		`"starter"`:                     {400, "invalid_json", ""},
		`{"preset":"starter"`:           {400, "invalid_json", ""},
		`{"preset":"starter"} {}`:       {400, "invalid_json", ""},
		"{\"preset\":\"start\xffer\"}":  {400, "invalid_json", ""},
		`{"pre\u0073et":1,"preset":""}`: {400, "invalid_json", ""},
	} {
		a := shared.send(t, request{method: "POST", path: "/sandboxes", body: body}).want(want.status, want.code)
		switch {
		case want.code == "invalid_preset":
			if allowed := texts(a.details(), "allowed"); !slices.Contains(allowed, "starter") ||
				!slices.Contains(allowed, "manual") {
				t.Errorf("%s: allowed are %v", body, allowed)
			}
		case want.field != "":
			if fields := badFields(a); !slices.Equal(fields, []string{want.field}) {
				t.Errorf("%s: named are %v", body, fields)
			}
		}
	}
}

// badFields are the fields that a validation_failed names.
func badFields(a *answer) []string {
	a.T.Helper()
	var fields []string
	for _, f := range children(a.T, a.details(), "fields") {
		has(a.T, "a bad field", f, "field", "rule", "message")
		fields = append(fields, text(f, "field"))
	}
	return fields
}

func TestTheSeedIsTheOneThatWasAskedFor(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.CREATE.SEED")
	for _, seed := range []int64{0, 1, 9007199254740991} {
		if got := number(t, shared.create(t, fmt.Sprintf(`{"seed":%d}`, seed)).row("/sandbox"), "seed"); got != seed {
			t.Errorf("the seed is %d, asked was for %d", got, seed)
		}
	}
	drawn := map[int64]bool{}
	for range 4 {
		seed := number(t, shared.create(t, "").row("/sandbox"), "seed")
		if seed < 0 || seed > 9007199254740991 || drawn[seed] {
			t.Errorf("drawn was %d, before it %v", seed, drawn)
		}
		drawn[seed] = true
	}
}

func TestPresetsSetBridgeAndClockUnlessAskedOtherwise(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.STARTER", "OPEN.PRESET.MANUAL", "OPEN.CREATE.BRIDGE", "OPEN.CREATE.CLOCK", "SO.BRIDGE.STARTER")
	for body, want := range map[string][2]string{
		`{}`:                                    {"auto", "realtime"},
		`{"preset":"starter"}`:                  {"auto", "realtime"},
		`{"preset":"manual"}`:                   {"manual", "realtime"},
		`{"bridge":"manual"}`:                   {"manual", "realtime"},
		`{"clock":"manual"}`:                    {"auto", "manual"},
		`{"preset":"manual","bridge":"auto"}`:   {"auto", "realtime"},
		`{"preset":"manual","clock":"manual"}`:  {"manual", "manual"},
		`{"bridge":"auto","clock":"realtime"}`:  {"auto", "realtime"},
		`{"bridge":"manual","clock":"manual"}`:  {"manual", "manual"},
		`{"preset":"manual","bridge":"manual"}`: {"manual", "realtime"},
	} {
		status := shared.create(t, body).row("/sandbox")
		if got := [2]string{text(status, "bridge"), text(child(t, status, "clock"), "mode")}; got != want {
			t.Errorf("%s: bridge and clock are %v, want %v", body, got, want)
		}
	}
}

// TestTheManualPresetHasFewerOrders compares the demand of the two presets
// over two days and eight seeds. The same customers come to both; fewer of
// them stay.
func TestTheManualPresetHasFewerOrders(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.MANUAL", "OPEN.PRESET.STARTER")
	companies := map[string][]*tenant{}
	for seed := range 8 {
		for _, preset := range []string{"starter", "manual"} {
			companies[preset] = append(companies[preset],
				shared.create(t, fmt.Sprintf(`{"preset":%q,"seed":%d,"clock":"manual"}`, preset, seed)))
		}
	}
	for range 2 {
		for _, preset := range []string{"starter", "manual"} {
			for _, n := range companies[preset] {
				n.day()
			}
		}
	}
	total := map[string]int{}
	for preset, all := range companies {
		for _, n := range all {
			total[preset] += len(n.all("/office/sales-orders"))
		}
	}
	if total["manual"] >= total["starter"] {
		t.Errorf("orders in two days: %v", total)
	}
}

func TestEveryCompanyOpensWithTheSameDocuments(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.PRESET.OPENING")
	var first string
	for _, body := range []string{
		`{"seed":1,"clock":"manual"}`, `{"seed":2,"clock":"manual"}`,
		`{"preset":"manual","seed":1,"clock":"manual"}`, `{"preset":"manual","seed":3,"clock":"manual"}`,
		`{"preset":"crunch","seed":2,"clock":"manual"}`, `{"preset":"supply_shock","seed":3,"clock":"manual"}`,
		`{"preset":"agent_eval"}`, `{"preset":"agent_eval","seed":4,"bridge":"manual"}`,
	} {
		n := shared.create(t, body)
		events := n.feed(0)
		opening := encode(t, n.opening(events))
		if first == "" {
			first = opening
		}
		if opening != first {
			t.Errorf("%s opens with\n%s\nthe first company with\n%s", body, opening, first)
		}
	}
}

// opening returns the documents that a company opens with, without ids and
// times, and checks that each has its event.
func (n *tenant) opening(events []object) []object {
	t := n.t
	t.Helper()
	var documents []object
	orders := n.all("/office/sales-orders")
	for _, numbered := range []string{"SO-1001", "SO-1002", "SO-1003"} {
		o := one(t, orders, "number", numbered)
		if o["status"] != "received" {
			t.Errorf("%s is %v", numbered, o["status"])
		}
	}
	invoices := n.all("/office/customer-invoices")
	if len(invoices) != 3 {
		t.Errorf("%d invoices are open", len(invoices))
	}
	written := map[string]string{}
	for _, e := range events {
		written[text(child(t, e, "data"), "id")] = text(e, "type")
		for _, change := range changes(t, e) {
			written[text(change, "id")] = text(e, "type")
		}
		if text(e, "type") == "sandbox.mission.completed" && text(child(t, e, "data"), "id") != "first_call" {
			t.Errorf("the opening completed %v", child(t, e, "data")["id"])
		}
	}
	for _, list := range [][]object{orders, invoices, n.all("/office/shipments")} {
		for _, row := range list {
			if written[text(row, "id")] == "" {
				t.Errorf("%s has no event", row["number"])
			}
			documents = append(documents, object{
				"number": row["number"], "status": row["status"], "total_minor": row["total_minor"], "sku": row["sku"],
				"quantity": row["quantity"],
				"due_date": row["due_date"], "customer_id": row["customer_id"],
			})
		}
	}
	for _, i := range invoices {
		if i["status"] != "open" || written[text(i, "id")] != "office.customer_invoice.created" {
			t.Errorf("invoice %v is %v, its event %s", i["number"], i["status"], written[text(i, "id")])
		}
	}
	return documents
}

// changes are the riders of an event.
func changes(t testing.TB, e object) []object {
	t.Helper()
	data := child(t, e, "data")
	if _, has := data["changes"]; !has {
		return nil
	}
	return children(t, data, "changes")
}

// TestTheSameSeedAndActionsGiveTheSameCompany plays the same two days twice.
func TestTheSameSeedAndActionsGiveTheSameCompany(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.CREATE.DETERMINISM")
	var played [3]string
	tenants := [3]*tenant{}
	for i, seed := range []int{5, 5, 6} {
		tenants[i] = shared.create(t, fmt.Sprintf(`{"seed":%d,"clock":"manual"}`, seed))
	}
	for _, n := range tenants {
		order := n.accept(text(n.order("SO-1001"), "id"))
		n.print(text(order, "bridged_work_order_id"))
		n.tick(150)
		n.dispatch(text(order, "bridged_work_order_id"))
	}
	for _, n := range tenants {
		n.day()
	}
	for i, n := range tenants {
		played[i] = n.history()
	}
	if here, there := difference(played[0], played[1]); here != there {
		t.Errorf("the same seed gave two companies:\n%s\n%s", here, there)
	}
	if played[0] == played[2] {
		t.Error("two seeds gave one company")
	}
}

// difference returns the first lines in which two texts differ.
func difference(a, b string) (inA, inB string) {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(left), len(right)) {
		if left[i] != right[i] {
			return left[i], right[i]
		}
	}
	if len(left) != len(right) {
		return fmt.Sprint(len(left), " lines"), fmt.Sprint(len(right), " lines")
	}
	return "", ""
}

// history is everything of a company but random ids and wall times.
func (n *tenant) history() string {
	n.t.Helper()
	var b strings.Builder
	for _, path := range n.judge.records() {
		if path == "/sandbox/checkpoints" && n.grading != "" { // not for its player
			continue
		}
		list := n.all(path)
		if path == "/events" {
			list = n.feed(0)
		}
		for _, row := range list {
			forget(row)
			if path == "/events" || path == "/sandbox/checkpoints" {
				delete(row, "id")
			}
			fmt.Fprintln(&b, path, encode(n.t, row))
		}
	}
	return b.String()
}

// forget takes wall times and random ids out of a row.
func forget(value any) {
	switch value := value.(type) {
	case object:
		for _, random := range []string{
			"created_at", "updated_at", "completed_at", "unlocked_at", "event_id", "sandbox_id",
		} {
			delete(value, random)
		}
		for _, inner := range value {
			forget(inner)
		}
	case []any:
		for _, inner := range value {
			forget(inner)
		}
	}
}

func TestWithoutAQueueAServiceWithoutRoomSaysSo(t *testing.T) {
	t.Parallel()
	rows(t, "QUEUE.FULL", "ERR.QUEUE_FULL", "LIMIT.QUEUE_FULL_RETRY", "OPEN.QUEUE.NONE")
	s := serve(t, map[string]string{"max-sandboxes": "2", "queue-length": "0"})
	s.faults = true
	s.create(t, "")
	s.create(t, "")
	for range 2 {
		a := s.send(t, request{method: "POST", path: "/sandboxes"}).want(http.StatusServiceUnavailable, "queue_full")
		if a.Header.Get("Retry-After") != "30" || a.Failure()["retryable"] != true {
			t.Errorf("Retry-After is %q, retryable %v", a.Header.Get("Retry-After"), a.Failure()["retryable"])
		}
	}
}
