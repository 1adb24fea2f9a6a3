package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"platen/client"
	"platen/test/testclient"
)

// manner is how a program deals with a write that was turned away, or whose response did not come.
type manner struct {
	name string
	// tries is how often it sends a write, newKeys is set for a new Idempotency-Key each time.
	tries   int
	newKeys bool
	// checks has it look at the other side before each attempt.
	checks bool
	// forgets has it take what it gave up for done, later has it come back the next day.
	forgets, later bool
	// changesMind has it decline an order whose accept it was not sure of, elsewhere take another supplier.
	changesMind, elsewhere bool
	// helped has a person look and do it by hand.
	helped bool
}

var (
	perfect    = manner{name: "perfect", tries: 40}
	checkFirst = manner{name: "check", tries: 40, newKeys: true, checks: true}
	forgetful  = manner{name: "forget", tries: 2, forgets: true}
	renewing   = manner{name: "new key", tries: 40, newKeys: true}
	neverAgain = manner{name: "never", tries: 1, forgets: true}

	// careful are programs that do nothing wrong.
	careful = []manner{
		perfect, checkFirst,
		{name: "the next day", tries: 1, later: true},
		{name: "changes its mind", tries: 40, changesMind: true},
		{name: "buys elsewhere", tries: 40, elsewhere: true},
		{name: "is helped", tries: 40, helped: true},
	}
)

// stubborn sends the writes of a program in its manner.
type stubborn struct {
	manner

	world *world
	// today is the in-world day.
	today func() string
	done  map[string]bool
	waits map[string]string
	keys  map[string]string
	sent  int
}

// carried are the paths of the writes that carry a record, or answer one, and the members that name it.
var carried = map[string][]string{
	"/factory/work-orders": {"reference"},
	"/office/shipments":    {"factory_shipment_ref", "sales_order_id", "contract_lot_id"},
	"/office/requisitions": {"reference"}, "/office/goods-receipts": {"reference"},
	"/office/purchase-orders": {"requisition_id"}, "/office/timesheets": {"week_start"},
}

// marked names what a write is for, "" for work inside a system.
func marked(path string, body []byte) string {
	for _, end := range []string{"/accept", "/decline", "/approve", "/pay"} {
		if strings.HasSuffix(path, end) {
			return path
		}
	}
	var in object
	if len(carried[path]) == 0 || json.Unmarshal(body, &in) != nil {
		return ""
	}
	for _, member := range carried[path] {
		if name := text(in, member); name != "" {
			return path + " " + name
		}
	}
	return ""
}

// RoundTrip implements http.RoundTripper. What a program gives up looks like a refusal to what is above it.
func (s *stubborn) RoundTrip(r *http.Request) (*http.Response, error) {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	if r.Method == http.MethodGet || strings.HasPrefix(path, "/sandbox") {
		return s.send(r, nil, "")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	mark := marked(path, body)
	if s.done[mark] || s.waits[mark] != "" && s.waits[mark] == s.today() {
		return refusal(r, givenUp), nil
	}
	key := r.Header.Get("Idempotency-Key")
	if mark != "" {
		if s.keys[mark] == "" || s.elsewhere {
			s.keys[mark] = key
		}
		key = s.keys[mark]
	}
	for n := range s.tries {
		if s.checks && mark != "" && s.there(path, body) {
			return refusal(r, "Done already."), nil
		}
		if s.newKeys {
			s.sent++
			key = fmt.Sprint("attempt-", s.sent)
		}
		answer, err := s.send(r, body, key)
		switch {
		case err == nil && final(answer.StatusCode):
			return answer, nil
		case err == nil:
			answer.Body.Close()
		}
		switch {
		case mark == "":
		case s.changesMind && strings.HasSuffix(path, "/sales-orders/"+subject(path)+"/accept"):
			return s.declined(r, path)
		case s.elsewhere && path == "/office/purchase-orders":
			return refusal(r, givenUp), nil // and its caller takes the next supplier
		case s.helped && n == 0 && !s.there(path, body):
			s.byHand(r, body)
		}
	}
	if mark != "" && s.forgets {
		s.done[mark] = true
	}
	if mark != "" && s.later {
		s.waits[mark] = s.today()
	}
	return refusal(r, givenUp), nil
}

// final reports whether a status is an answer, and none to come again.
func final(status int) bool {
	return status != http.StatusTooManyRequests && status < http.StatusInternalServerError
}

// send sends a request once, on a connection of its own: none is repeated behind our back.
func (s *stubborn) send(r *http.Request, body []byte, key string) (*http.Response, error) {
	copied := r.Clone(r.Context())
	if key != "" {
		copied.Header.Set("Idempotency-Key", key)
	}
	if body != nil {
		copied.Body = io.NopCloser(bytes.NewReader(body))
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(copied)
	if err == nil && answer.StatusCode == http.StatusConflict && body != nil {
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if bytes.Contains(text, []byte("request_in_progress")) {
			answer.StatusCode = http.StatusServiceUnavailable
		}
		answer.Body = io.NopCloser(bytes.NewReader(text))
	}
	return answer, err //nolint:wrapcheck // as it came
}

// givenUp is the message of what a program has given up, if only for today.
const givenUp = "Given up."

func refusal(r *http.Request, message string) *http.Response {
	body := `{"meta":{"simulation":true},"error":{"code":"invalid_state","message":"` + message + `"}}`
	return &http.Response{
		Status: "409 Conflict", StatusCode: http.StatusConflict, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)),
		Request: r,
	}
}

// subject is the id in the path of an answer.
func subject(path string) string {
	parts := strings.Split(path, "/")
	return parts[len(parts)-2]
}

// there looks whether a write has had its effect, as often as it takes.
func (s *stubborn) there(path string, body []byte) bool {
	if i := strings.LastIndex(path, "/"); strings.HasSuffix(path, "/accept") || strings.HasSuffix(path, "/decline") ||
		strings.HasSuffix(path, "/approve") || strings.HasSuffix(path, "/pay") {
		row := s.read(path[:i])
		status := text(row, "status")
		return status != "received" && status != "offered" && status != "pending_approval" && row["paid_on"] == nil &&
			!strings.HasSuffix(path, "/pay") || row["paid_on"] != nil
	}
	var in object
	if json.Unmarshal(body, &in) != nil {
		return false
	}
	for place := path + "?limit=100"; place != ""; {
		page := s.read(place)
		place = ""
		for _, item := range page["items"].([]any) {
			for _, member := range carried[path] {
				if name := text(in, member); name != "" && text(item.(object), member) == name {
					return true
				}
			}
		}
		if next := text(page, "next_cursor"); next != "" {
			place = path + "?limit=100&cursor=" + next
		}
	}
	return false
}

// read reads something until it comes.
func (s *stubborn) read(path string) object {
	for range 200 {
		key := s.world.keys.Office
		if strings.HasPrefix(path, "/factory/") {
			key = s.world.keys.Factory
		}
		r, err := http.NewRequestWithContext(s.world.t.Context(), http.MethodGet, s.world.url+path, nil)
		if err != nil {
			s.world.t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		answer, err := s.send(r, nil, "")
		if err != nil {
			continue
		}
		var envelope struct{ Data object }
		decoder := json.NewDecoder(answer.Body)
		decoder.UseNumber()
		err = decoder.Decode(&envelope)
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK && err == nil {
			return envelope.Data
		}
		if answer.StatusCode == http.StatusBadRequest { // the cursor was forgotten: the list begins again
			path, _, _ = strings.Cut(path, "&cursor=")
		}
	}
	s.world.t.Fatalf("%s never comes", path)
	return nil
}

// declined declines an order whose accept was turned away, unless that came through.
func (s *stubborn) declined(r *http.Request, path string) (*http.Response, error) {
	order := strings.TrimSuffix(path, "/accept")
	for range 200 {
		if text(s.read(order), "status") != "received" {
			break
		}
		copied := r.Clone(r.Context())
		copied.URL.Path = "/v1" + order + "/decline"
		if answer, err := s.send(copied, []byte(`{}`), "decline-"+order); err == nil {
			answer.Body.Close()
			if final(answer.StatusCode) {
				break
			}
		}
	}
	return refusal(r, givenUp), nil
}

// byHand has a person do what the program tries, who has looked before each attempt.
func (s *stubborn) byHand(r *http.Request, body []byte) {
	for n := range 200 {
		if n > 0 && s.there(strings.TrimPrefix(r.URL.Path, "/v1"), body) {
			return
		}
		s.sent++
		if answer, err := s.send(r, body, fmt.Sprint("by-hand-", s.sent)); err == nil {
			answer.Body.Close()
			if final(answer.StatusCode) {
				return
			}
		}
	}
}

// carrier carries the records, by what it reads on one side.
type carrier struct {
	*world

	read func(path string) object
	done map[string]bool
	week time.Time
}

// once does something for a record, until it is done or refused.
func (c *carrier) once(id string, do func() error) {
	c.t.Helper()
	if c.done[id] {
		return
	}
	err := do()
	refused, ok := errors.AsType[*client.Error](err)
	if err != nil && !ok {
		c.t.Fatal(err)
	}
	c.done[id] = err == nil || refused.Message != givenUp
}

func (c *carrier) carry() {
	c.t.Helper()
	ctx, api := c.t.Context(), c.api
	for _, o := range oldestFirst(c.t, api.SalesOrders(ctx, client.ListSalesOrdersParams{})) {
		if inWork(o) {
			c.once(o.ID, func() error {
				_, err := api.CreateWorkOrder(ctx,
					client.CreateWorkOrderInput{SKU: o.SKU, Quantity: o.Quantity, Reference: &o.ID})
				return err
			})
		}
	}
	for _, l := range oldestFirst(c.t, api.ContractLots(ctx, client.ListContractLotsParams{})) {
		if l.Status == client.OfficeContractLotStatusAccepted {
			c.once(l.ID, func() error {
				_, err := api.CreateWorkOrder(ctx,
					client.CreateWorkOrderInput{SKU: l.SKU, Quantity: l.Quantity, Reference: &l.ID})
				return err
			})
		}
	}
	for _, s := range oldestFirst(c.t, api.FactoryShipments(ctx, client.ListFactoryShipmentsParams{})) {
		in := client.CreateOfficeShipmentInput{
			SalesOrderID: &s.Reference, FactoryShipmentRef: &s.ID, Quantity: &s.Quantity, Final: s.Final,
		}
		if strings.HasPrefix(s.Reference, "lot_") {
			in.SalesOrderID, in.ContractLotID, in.Quantity = nil, &s.Reference, nil
		}
		c.once(s.ID, func() error {
			_, err := api.CreateOfficeShipment(ctx, in)
			return err
		})
	}
	for _, q := range oldestFirst(c.t, api.FactoryRequisitions(ctx, client.ListFactoryRequisitionsParams{})) {
		if q.Status == client.FactoryRequisitionStatusClosed {
			continue
		}
		c.once(q.ID, func() error {
			_, err := api.CreateRequisition(ctx, client.CreateRequisitionInput{
				Lines: []client.MaterialLineInput{{SKU: q.SKU, Quantity: q.Quantity}}, Reference: &q.ID,
			})
			return err
		})
	}
	c.receipts()
	c.weeks()
}

func (c *carrier) receipts() {
	c.t.Helper()
	ctx, api := c.t.Context(), c.api
	orders := map[string]string{}
	for _, o := range oldestFirst(c.t, api.PurchaseOrders(ctx, client.ListPurchaseOrdersParams{})) {
		orders[o.Number] = o.ID
	}
	for _, g := range oldestFirst(c.t, api.FactoryGoodsReceipts(ctx, client.ListFactoryGoodsReceiptsParams{})) {
		order := orders[g.PurchaseOrderNumber]
		if order == "" || string(g.ReceivedOn) < "2026-09-07" {
			continue
		}
		in := client.CreateOfficeGoodsReceiptInput{PurchaseOrderID: order, Reference: &g.ID}
		for _, line := range g.Lines {
			in.Lines = append(in.Lines, client.ReceivedLineInput{
				SKU: line.SKU, QuantityAccepted: line.QuantityAccepted, QuantityRejected: &line.QuantityRejected,
			})
		}
		c.once(g.ID, func() error {
			_, err := api.CreateOfficeGoodsReceipt(ctx, in)
			return err
		})
	}
}

func (c *carrier) weeks() {
	c.t.Helper()
	clock := c.fetch("/sandbox")["clock"].(object)
	friday := c.week.AddDate(0, 0, 4).Format(time.DateOnly)
	if text(clock, "sim_date") < friday || text(clock, "sim_date") == friday && text(clock, "sim_time") < "15:59" {
		return
	}
	monday := c.week.Format(time.DateOnly)
	var rows []object
	for more := true; more; { // a page that a fault has cut is read again
		page := c.read("/factory/attendance?limit=100&week_start=" + monday)
		rows, more = nil, page["next_cursor"] != nil
		for _, item := range page["items"].([]any) {
			rows = append(rows, item.(object))
		}
	}
	sheet, err := json.Marshal(hoursOf(c.t, monday, rows))
	if err != nil {
		c.t.Fatal(err)
	}
	var in client.CreateTimesheetInput
	if err := json.Unmarshal(sheet, &in); err != nil {
		c.t.Fatal(err)
	}
	_, err = c.api.CreateTimesheet(c.t.Context(), in)
	if err == nil || client.IsCode(err, client.CodeTimesheetExists) {
		c.week = c.week.AddDate(0, 0, 7)
	}
}

// works lives days of a company with a program, and returns its score.
func (m manner) works(t *testing.T, plan string, seed int64, days int) *client.Integration {
	t.Helper()
	w := found(t, "starter", client.BridgeManual, seed)
	if plan != "" {
		w = disturbed(t, plan, seed, seed, 0)
	}
	s := &stubborn{manner: m, world: w, done: map[string]bool{}, waits: map[string]string{}, keys: map[string]string{}}
	s.today = func() string { return text(s.read("/sandbox")["clock"].(object), "sim_date") }
	w.api = client.New(w.url, w.keys, client.HTTPClient(&http.Client{Transport: s, Timeout: patience}),
		client.MaxRetries(200), client.MaxElapsed(time.Hour),
		client.Clock(time.Now, func(context.Context, time.Duration) error { return nil }))
	c := &carrier{world: w, read: s.read, done: map[string]bool{}, week: time.Date(2026, 9, 7, 0, 0, 0, 0, time.UTC)}
	p := newPlayer(w, c.carry)
	p.hasty = true
	p.play(days)
	score, err := w.api.GetIntegration(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return score
}

// TestCarefulProgramsCarryAllThatAFaultHits plays programs that do nothing wrong: the score accuses none of them.
func TestCarefulProgramsCarryAllThatAFaultHits(t *testing.T) {
	t.Parallel()
	plans, seeds, days, least := []string{"severe"}, int64(1), 6, int64(5)
	if testclient.Thorough() {
		plans, seeds, days, least = []string{"moderate", "severe"}, int64(seedsOf(3)), 10, 1
	}
	for _, plan := range plans {
		for seed := int64(601); seed < 601+seeds; seed++ {
			for _, m := range careful {
				t.Run(fmt.Sprint(m.name, ", ", plan, ", ", seed), func(t *testing.T) {
					t.Parallel()
					score := m.works(t, plan, seed, days)
					if score.Hit < least || score.Client == nil || *score.Client != 1 {
						t.Errorf("of %d intents that were hit it carried %d itself: %+v", score.Hit, score.Recovered,
							score.Unrecovered)
					}
				})
			}
		}
	}
}

// TestTheScoreTellsProgramsApart plays five programs in the same worlds: the one that does everything right has 1 in
// each, and those that are saved by luck do not.
func TestTheScoreTellsProgramsApart(t *testing.T) {
	t.Parallel()
	plans, seeds, days := []string{"severe"}, int64(1), 6
	if testclient.Thorough() {
		plans, seeds, days = []string{"light", "moderate", "severe"}, int64(seedsOf(10)), 10
	}
	for _, plan := range plans {
		for _, m := range []manner{perfect, checkFirst, forgetful, renewing, neverAgain} {
			t.Run(plan+", "+m.name, func(t *testing.T) {
				t.Parallel()
				for seed := int64(601); seed < 601+seeds; seed++ {
					t.Run(fmt.Sprint(seed), func(t *testing.T) {
						t.Parallel()
						m.judged(t, m.works(t, plan, seed, days), plan)
					})
				}
			})
		}
	}
}

// TestACheckBeforeARetryIsNotEnough where requests arrive late: only the same key carries all.
func TestACheckBeforeARetryIsNotEnough(t *testing.T) {
	t.Parallel()
	seeds, days := int64(1), 6
	if testclient.Thorough() {
		seeds, days = int64(seedsOf(10)), 10
	}
	for seed := int64(601); seed < 601+seeds; seed++ {
		for _, m := range []manner{perfect, checkFirst, forgetful, renewing, neverAgain} {
			t.Run(fmt.Sprint(m.name, ", ", seed), func(t *testing.T) {
				t.Parallel()
				score := m.works(t, "treacherous", seed, days)
				own := 1.0
				if score.Client != nil {
					own = *score.Client
				}
				t.Logf("exactly once %.3f, client %.3f: hit %d, recovered %d, saved %d, abandoned %d",
					*score.ExactlyOnce, own, score.Hit, score.Recovered, score.Saved, score.Abandoned)
				const enough = 5
				switch {
				case m.name == perfect.name && (own != 1 || *score.ExactlyOnce != 1):
					t.Errorf("it does nothing wrong: %+v", score.Unrecovered)
				case m.name == checkFirst.name && score.Hit >= enough && own == 1:
					t.Errorf("it looked before it came again, and recovered %d of %d", score.Recovered, score.Hit)
				}
			})
		}
	}
}

// judged compares the score of a program with what it deserves.
func (m manner) judged(t *testing.T, score *client.Integration, plan string) {
	t.Helper()
	own := 1.0
	if score.Client != nil {
		own = *score.Client
	}
	again := score.Hit - score.Recovered - score.Saved - score.Abandoned
	t.Logf("exactly once %.3f, client %.3f: hit %d, recovered %d, saved %d, abandoned %d, repeated %d",
		*score.ExactlyOnce, own, score.Hit, score.Recovered, score.Saved, score.Abandoned, again)
	const enough, good = 5, 0.9
	right := m.name == perfect.name || m.name == checkFirst.name
	lucky := m.name == renewing.name || m.name == neverAgain.name
	switch {
	case right && own != 1:
		t.Errorf("it does nothing wrong: %+v", score.Unrecovered)
	case plan == "severe" && lucky && score.Hit >= enough && own >= good:
		t.Errorf("it recovered %d of %d itself", score.Recovered, score.Hit)
	}
}
