package subscription_test

import (
	"fmt"
	"testing"
	"time"

	"platen/internal/company/record"
	"platen/internal/company/sim"
	"platen/internal/desk/subscription"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// start is when every test begins.
const start moment.Instant = 1_788_768_000_000_000

// about is a record that events are about.
type about struct {
	record.Head
	record.Stamps
}

func (*about) Resource() string { return "sales_order" }
func (*about) State() string    { return "" }

// house keeps books as a sandbox does: each step is flushed, and the books can
// be loaded again from what was stored.
type house struct {
	t        *testing.T
	books    *subscription.Subscriptions
	recorder *record.Recorder
	now      moment.Instant
	image    record.Image
	version  uint64
	feed     []record.Event
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, now: start}
	h.recorder = record.NewDeskRecorder(record.NewFeed("sbx_0000000000001", 7, record.Position{}))
	h.books = subscription.New(h.recorder)
	h.do(func() {})
	return h
}

// do runs a step and flushes it.
func (h *house) do(step func()) {
	h.t.Helper()
	h.recorder.SetMoment(0, h.now, sim.Clock{})
	step()
	h.books.Publish(h.recorder.Notices())
	h.version++
	changes := record.Changes{Events: h.recorder.Flush()}
	h.feed = append(h.feed, changes.Events...)
	for _, table := range h.books.Tables() {
		table.Flush(h.version, &changes)
	}
	stored, _, err := record.ReadChanges(record.AppendChanges(nil, &changes))
	if err != nil {
		h.t.Fatal(err)
	}
	h.image.Apply(&stored)
}

// change changes a subscription.
func (h *house) change(id string, in subscription.Change) {
	h.t.Helper()
	if err := h.books.Change(id, in); err != nil {
		h.t.Fatal(err)
	}
}

// reload forgets the books and loads them from what was stored.
func (h *house) reload() {
	h.t.Helper()
	for _, table := range h.books.Tables() {
		if err := table.Check(); err != nil {
			h.t.Error(err)
		}
	}
	image, _, err := record.ReadImage(record.AppendImage(nil, &h.image))
	if err != nil {
		h.t.Fatal(err)
	}
	h.books = subscription.New(h.recorder)
	for _, table := range h.books.Tables() {
		for _, rows := range image.Tables {
			if rows.Table == table.Definition().Resource {
				if err := table.Restore(rows); err != nil {
					h.t.Fatal(err)
				}
			}
		}
	}
}

// subscribe makes an active subscription.
func (h *house) subscribe(types ...event.Type) string {
	h.t.Helper()
	var id string
	h.do(func() {
		id = h.books.Create(subscription.Order{
			Host: "hooks.example.com", Address: []byte("a"), Secret: []byte("s"), Events: types,
		})
	})
	h.ping(id)
	return id
}

// ping makes a test succeed.
func (h *house) ping(id string) {
	h.t.Helper()
	h.do(func() {
		if _, err := h.books.Tested(subscription.Attempt{SubscriptionID: id, EventID: "evt_ping", Address: []byte("a")},
			subscription.Outcome{SentAt: h.now.Time(), StatusCode: 200}); err != nil {
			h.t.Fatal(err)
		}
	})
}

// happen writes n events of a type in one step.
func (h *house) happen(kind event.Type, n int) {
	h.t.Helper()
	h.do(func() {
		for range n {
			h.recorder.Emit(kind, &about{Head: record.Head{ID: "so_1"}}, &event.SalesOrderDeclinedData{})
		}
	})
}

// due asks for what is to be sent.
func (h *house) due() (jobs []subscription.Job, next moment.Instant) {
	h.t.Helper()
	h.do(func() { jobs, next = h.books.Due(h.now, 1000) })
	return jobs, next
}

// answer records what a receiver said: a status, or 0 for a time-out.
func (h *house) answer(status int, jobs ...subscription.Job) {
	h.t.Helper()
	var outcomes []subscription.Outcome
	for _, j := range jobs {
		o := subscription.Outcome{
			SubscriptionID: j.SubscriptionID, DeliveryID: j.DeliveryID, SentAt: h.now.Time(),
			Latency: 20 * time.Millisecond, StatusCode: status,
		}
		switch {
		case status == 0:
			o.ErrorClass = "timeout"
		case status >= 300:
			o.ErrorClass = event.ErrorClass(fmt.Sprintf("http_%dxx", status/100))
		}
		outcomes = append(outcomes, o)
	}
	h.now = h.now.Add(20 * time.Millisecond)
	h.do(func() { h.books.Record(outcomes) })
}

func (h *house) subscription(id string) *subscription.Subscription {
	h.t.Helper()
	s, err := h.books.Find(id)
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

// log lists the deliveries in the order of their births, without pings.
func (h *house) log() []subscription.Delivery {
	var rows []subscription.Delivery
	for d := range h.books.Deliveries.All {
		if d.Trigger != subscription.Test {
			rows = append(rows, *d)
		}
	}
	return rows
}

func (h *house) statuses() (statuses []subscription.DeliveryStatus) {
	for _, d := range h.log() {
		statuses = append(statuses, d.Status)
	}
	return statuses
}
