package subscription_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"platen/internal/desk/subscription"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// TestTheWholeScheduleOfRetries: 10, 60 and 300 seconds after the failed attempt
// before, never early, then given up; the same when the books are loaded again
// between any two steps.
func TestTheWholeScheduleOfRetries(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(subscription.Everything)
	h.happen(event.SalesOrderDeclined, 1)
	for i, wait := range []time.Duration{10 * time.Second, 60 * time.Second, 300 * time.Second} {
		jobs, _ := h.due()
		if len(jobs) != 1 || jobs[0].Number != i+1 || jobs[0].Trigger != subscription.Auto ||
			jobs[0].Sequence != h.feed[len(h.feed)-1].Sequence {
			t.Fatalf("attempt %d is %+v", i+1, jobs)
		}
		h.reload()
		h.answer(500, jobs...)
		failed := h.now
		h.reload()
		h.now = failed.Add(wait)
		if jobs, next := h.due(); len(jobs) != 0 || next <= h.now || next > h.now.Add(time.Second) {
			t.Fatalf("%s after failure %d there are %d attempts, the next at %s", wait, i+1, len(jobs), next)
		}
		h.now = failed.Add(wait + time.Second)
		h.reload()
	}
	jobs, _ := h.due()
	h.answer(0, jobs...)
	if jobs, next := h.due(); len(jobs) != 0 || next != 0 {
		t.Errorf("after the last attempt there are %v, the next at %v", jobs, next)
	}
	want := []subscription.DeliveryStatus{
		subscription.Failed, subscription.Failed, subscription.Failed, subscription.Dropped,
	}
	if got := h.statuses(); !slices.Equal(got, want) {
		t.Errorf("the log is %v, want %v", got, want)
	}
	log := h.log()
	for _, d := range log {
		if d.EventID != log[0].EventID || d.SentAt == nil || *d.SentAt < d.DueAt {
			t.Errorf("attempt %d is %+v", d.Attempt, d)
		}
	}
	if s := h.subscription(id); s.ConsecutiveFailures != 4 || s.LastErrorClass != "timeout" ||
		s.Status != subscription.Active {
		t.Errorf("the subscription is %+v", s)
	}
}

func TestAnAttemptIsListedUntilItsOutcomeIsKnown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.subscribe(subscription.Everything)
	h.happen(event.SalesOrderDeclined, 1)
	first, _ := h.due()
	h.reload()
	again, _ := h.due()
	if len(again) != 1 || again[0].DeliveryID != first[0].DeliveryID || again[0].EventID != first[0].EventID ||
		again[0].Number != 1 {
		t.Errorf("%v is to be sent again, want %v", again, first)
	}
	h.answer(200, again...)
	h.answer(500, first...) // told twice: what is known stays
	if got := h.statuses(); !slices.Equal(got, []subscription.DeliveryStatus{subscription.Delivered}) {
		t.Errorf("the log is %v", got)
	}
	if jobs, next := h.due(); len(jobs) != 0 || next != 0 {
		t.Errorf("afterwards there are %v, the next at %s", jobs, next)
	}
}

func TestFiveFailuresInARowDisableAndASuccessStartsOver(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(subscription.Everything)
	fail := func(n int) {
		for range n {
			h.now = h.now.Add(8 * time.Second) // the receiver rests after a failure
			h.happen(event.SalesOrderDeclined, 1)
			jobs, _ := h.due()
			h.answer(503, jobs[len(jobs)-1])
		}
	}
	fail(4)
	h.now = h.now.Add(8 * time.Second)
	h.happen(event.SalesOrderDeclined, 1)
	jobs, _ := h.due()
	h.answer(204, jobs...)
	if s := h.subscription(id); s.ConsecutiveFailures != 0 || s.LastErrorClass != "http_5xx" {
		t.Fatalf("after a success it is %+v", s)
	}
	fail(4)
	if s := h.subscription(id); s.Status != subscription.Active || s.ConsecutiveFailures != 4 {
		t.Fatalf("after four failures it is %+v", s)
	}
	h.now = h.now.Add(8 * time.Second)
	h.happen(event.SalesOrderDeclined, 2)
	jobs, _ = h.due()
	under := jobs[len(jobs)-2:]
	h.answer(503, under[0])
	if s := h.subscription(id); s.Status != subscription.Disabled || s.ConsecutiveFailures != 5 {
		t.Fatalf("after five failures it is %+v", s)
	}
	if serving, _ := h.books.Glance(); h.books.Waiting() != 0 || serving {
		t.Errorf("%d deliveries of a disabled subscription wait", h.books.Waiting())
	}
	h.answer(200, under[1]) // which was under way
	last := h.log()
	if d := find(last, under[1].DeliveryID); d.Status != subscription.Delivered || d.SentAt == nil {
		t.Errorf("what was under way when it was disabled is %+v", d)
	}
	h.happen(event.SalesOrderDeclined, 1)
	if got := len(h.log()); got != len(last) {
		t.Errorf("a disabled subscription was sent %d more", got-len(last))
	}
	h.do(func() { h.change(id, subscription.Change{Status: subscription.Active}) })
	if s := h.subscription(id); s.Status != subscription.Active || s.ConsecutiveFailures != 0 {
		t.Errorf("re-enabled it is %+v", s)
	}
	if jobs, _ := h.due(); len(jobs) != 0 {
		t.Errorf("events from before are sent: %v", jobs)
	}
	h.happen(event.SalesOrderDeclined, 1)
	if jobs, _ := h.due(); len(jobs) != 1 {
		t.Errorf("%d deliveries of the next event", len(jobs))
	}
}

func TestTheSixtyFirstDeliveryOfAMinuteIsDeferred(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.subscribe(subscription.Everything)
	h.subscribe(subscription.Everything)
	h.now = h.now.Add(time.Minute) // after the pings, which count
	h.happen(event.SalesOrderDeclined, 50)
	first := h.now
	jobs, next := h.due()
	if len(jobs) != 60 || next != 0 {
		t.Fatalf("%d attempts at once, more at %s", len(jobs), next)
	}
	if got := h.books.DeferredSince(); got == 0 || got > first.Add(time.Second) {
		t.Errorf("deferred since %s", got)
	}
	deferred := 0
	for _, d := range h.log() {
		if d.Status == subscription.Deferred {
			deferred++
		}
	}
	if deferred != 40 {
		t.Errorf("%d are deferred", deferred)
	}
	if again, _ := h.due(); len(again) != 60 || again[59].DeliveryID != jobs[59].DeliveryID {
		t.Fatalf("while they are under way %d are listed", len(again))
	}
	h.answer(200, jobs[:30]...)
	if again, next := h.due(); len(again) != 30 || again[0].DeliveryID != jobs[30].DeliveryID ||
		next != first.Add(time.Minute) {
		t.Fatalf("with half of them known %d are listed, more at %s", len(again), next)
	}
	half := h.now
	h.answer(200, jobs[30:]...)
	h.now = first.Add(time.Minute) - 1
	h.reload()
	if jobs, next = h.due(); len(jobs) != 0 {
		t.Fatalf("before the minute is over there are %d", len(jobs))
	}
	h.now = next
	if jobs, next = h.due(); len(jobs) != 30 || next != half.Add(time.Minute) {
		t.Fatalf("after a minute there are %d, more at %s", len(jobs), next)
	}
	h.answer(200, jobs...)
	h.now = half.Add(time.Minute)
	if jobs, _ = h.due(); len(jobs) != 10 {
		t.Fatalf("when the others' minute is over there are %d", len(jobs))
	}
	h.answer(200, jobs...)
	if h.books.DeferredSince() != 0 || h.books.Waiting() != 0 {
		t.Errorf("%d wait, deferred since %s", h.books.Waiting(), h.books.DeferredSince())
	}
}

func TestARestartDoesNotOpenTheBudget(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.subscribe(subscription.Everything)
	h.happen(event.SalesOrderDeclined, 70)
	jobs, _ := h.due()
	h.answer(200, jobs...)
	h.reload()
	if jobs, _ := h.due(); len(jobs) != 0 {
		t.Errorf("after a restart %d more are sent within the minute", len(jobs))
	}
}

func TestWhatWaitsAndWhatIsKeptIsBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(subscription.Everything)
	h.happen(event.SalesOrderDeclined, 6_500)
	if got := h.books.Waiting(); got != 6_000 {
		t.Errorf("%d wait", got)
	}
	for range 12 {
		jobs, _ := h.due()
		h.answer(200, jobs...)
		h.now = h.now.Add(time.Minute)
	}
	settled := 0
	for _, d := range h.log() {
		if d.SentAt != nil {
			settled++
		}
	}
	if settled != 500 {
		t.Errorf("%d settled rows are kept", settled)
	}
	before := h.log()
	h.reload()
	if after := h.log(); len(after) != len(before) || after[0].ID != before[0].ID {
		t.Errorf("loaded again there are %d rows, before %d", len(after), len(before))
	}
	h.do(func() {
		if _, err := h.books.Delete(id); err != nil {
			t.Fatal(err)
		}
	})
	if h.reload(); len(h.log()) != 0 || h.books.Waiting() != 0 {
		t.Errorf("%d rows of a deleted subscription", len(h.log()))
	}
}

// TestEveryEventIsDeliveredOrDroppedUnderRandomFailures, with restarts anywhere:
// the log is consistent, no attempt is early, no minute has more than 60.
func TestEveryEventIsDeliveredOrDroppedUnderRandomFailures(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 1))
		h := newHouse(t)
		id := h.subscribe(subscription.Everything)
		sent := []moment.Instant{}
		acknowledged := map[string]bool{}
		wrong := random.IntN(40) // per cent
		for step := range 300 {
			if step < 150 {
				h.happen(event.SalesOrderDeclined, random.IntN(4))
			}
			jobs, _ := h.due()
			for _, j := range jobs {
				if d := find(h.log(), j.DeliveryID); d.DueAt > h.now {
					t.Fatalf("seed %d: attempt %d is early by %s", seed, j.Number, d.DueAt.Sub(h.now))
				}
				sent = append(sent, h.now)
				if random.IntN(20) == 0 {
					h.reload()
				}
				status := 200
				if random.IntN(100) < wrong {
					status = []int{0, 302, 404, 500}[random.IntN(4)]
				}
				acknowledged[j.EventID] = acknowledged[j.EventID] || status == 200
				h.answer(status, j)
			}
			h.now = h.now.Add(time.Duration(random.IntN(8000)) * time.Millisecond)
			if h.subscription(id).Status == subscription.Disabled {
				h.do(func() { h.change(id, subscription.Change{Status: subscription.Active}) })
			}
		}
		h.consistent(seed)
		for i := 60; i < len(sent); i++ {
			if sent[i].Sub(sent[i-60]) < time.Minute-time.Second {
				t.Fatalf("seed %d: 61 attempts within %s", seed, sent[i].Sub(sent[i-60]))
			}
		}
		for _, d := range h.log() {
			if d.Status == subscription.Delivered && !acknowledged[d.EventID] {
				t.Errorf("seed %d: %s is called delivered", seed, d.EventID)
			}
		}
	}
}

// consistent compares the rows of each event with each other.
func (h *house) consistent(seed uint64) {
	h.t.Helper()
	last := map[string]subscription.Delivery{}
	for _, d := range h.log() {
		before, again := last[d.EventID]
		switch {
		case again && (d.Attempt != before.Attempt+1 || before.Status != subscription.Failed):
			h.t.Fatalf("seed %d: %+v comes after %+v", seed, d, before)
		case d.Status == subscription.Delivered && (d.ErrorClass != nil || d.StatusCode == nil || d.SentAt == nil):
			h.t.Fatalf("seed %d: delivered is %+v", seed, d)
		case d.Status == subscription.Failed && (d.ErrorClass == nil || d.SentAt == nil):
			h.t.Fatalf("seed %d: failed is %+v", seed, d)
		case (d.Status == subscription.Pending || d.Status == subscription.Deferred) && d.SentAt != nil:
			h.t.Fatalf("seed %d: pending is %+v", seed, d)
		}
		last[d.EventID] = d
	}
	for id, d := range last {
		if d.Status == subscription.Failed {
			h.t.Fatalf("seed %d: the event %s ends with a failed attempt and no other: %+v", seed, id, d)
		}
	}
}

func find(rows []subscription.Delivery, id string) subscription.Delivery {
	for _, d := range rows {
		if d.ID == id {
			return d
		}
	}
	return subscription.Delivery{}
}

// TestARetryIsMadeAtItsMoment, ten seconds after the attempt before it, also while the
// subscription rests: only first attempts of events wait for the end of the rest. A
// delivery that a client sends again does not wait either.
func TestARetryIsMadeAtItsMoment(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(subscription.Everything)
	h.happen(event.SalesOrderDeclined, 5)
	next := func(number int) subscription.Job {
		t.Helper()
		h.reload()
		for {
			jobs, again := h.due()
			if len(jobs) == 0 && again > h.now {
				h.now = again
				continue
			}
			if len(jobs) == 0 || jobs[0].Number != number {
				t.Fatalf("at %s there is %+v to be sent, not an attempt %d", h.now, jobs, number)
			}
			return jobs[0]
		}
	}
	var ended []moment.Instant
	for range 4 {
		h.answer(503, next(1))
		ended = append(ended, h.now)
	}
	retried := next(2) // it rests for eight seconds, three of which are over
	if wait := h.now.Sub(ended[0]); wait < 10*time.Second || wait > 10*time.Second+time.Millisecond {
		t.Errorf("the first retry comes %s after its failure", wait)
	}
	if row := find(h.log(), retried.DeliveryID); row.DueAt != h.now {
		t.Errorf("it was due at %s, and is sent at %s", row.DueAt, h.now)
	}
	var again string
	h.do(func() { again, _ = h.books.Redeliver(id, h.log()[0].ID, h.now) })
	if jobs, _ := h.due(); len(jobs) != 2 || jobs[1].DeliveryID != again {
		t.Errorf("with a delivery sent again by a client there is %+v to be sent", jobs)
	}
	h.answer(200, retried)
	if jobs, _ := h.due(); len(jobs) != 2 || jobs[0].Number != 1 {
		t.Errorf("after a success there is %+v to be sent", jobs)
	}
}

// TestAReceiverRestsAfterEachFailure: for 1, 2, 4 and 8 seconds no new event is sent, and only
// to the subscription that failed; the fifth failure in a row disables it. A success
// ends the rest.
func TestAReceiverRestsAfterEachFailure(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(subscription.Everything)
	h.happen(event.SalesOrderDeclined, 20)
	began := h.now
	for i, rest := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
		jobs, _ := h.due()
		if len(jobs) == 0 || jobs[0].Number != 1 {
			t.Fatalf("before failure %d there is %+v to be sent", i+1, jobs)
		}
		h.answer(503, jobs[0])
		failed := h.now
		h.reload()
		if jobs, next := h.due(); len(jobs) != 0 || next > failed.Add(rest) || next <= h.now {
			t.Fatalf("after failure %d there are %d attempts, the next in %s, want %s",
				i+1, len(jobs), next.Sub(failed), rest)
		}
		h.now = failed.Add(rest)
	}
	if s := h.subscription(id); s.Status != subscription.Active || s.ConsecutiveFailures != 4 ||
		h.now.Sub(began) < 15*time.Second {
		t.Errorf("after %s it is %+v", h.now.Sub(began), s)
	}
	other := h.subscribe(event.SalesOrderDeclined)
	h.happen(event.SalesOrderDeclined, 1)
	jobs, _ := h.due()
	if !slices.ContainsFunc(jobs, func(j subscription.Job) bool { return j.SubscriptionID == other }) {
		t.Error("another subscription rests too")
	}
	h.answer(200, jobs[0])
	if jobs, _ := h.due(); len(jobs) < 2 || h.subscription(id).ConsecutiveFailures != 0 {
		t.Errorf("after a success %d are to be sent, the subscription is %+v", len(jobs), h.subscription(id))
	}
	h.answer(503, jobs[1])
	h.now = h.now.Add(-time.Hour) // the clock is set back
	h.happen(event.SalesOrderDeclined, 1)
	if jobs, next := h.due(); len(jobs) == 0 {
		t.Errorf("on a clock that was set back it rests until %s", next)
	}
}

// TestANewEventWaitsNoLongerThanTheRests behind the retries of a receiver that
// always fails: within 1+2+4+8 seconds, and the attempts between them, it is sent,
// or dropped because the subscription is disabled.
func TestANewEventWaitsNoLongerThanTheRests(t *testing.T) {
	t.Parallel()
	const attempt = 20 * time.Millisecond // see house.answer
	for failing := range 5 {
		for ahead := range 80 {
			h := newHouse(t)
			id := h.subscribe(subscription.Everything)
			if failing > 0 {
				h.happen(event.SalesOrderDeclined, failing)
			}
			born := h.now.Add(time.Duration(ahead) * time.Second)
			row := ""
			for h.subscription(id).Status == subscription.Active {
				if row == "" && h.now >= born {
					h.happen(event.SalesOrderDeclined, 1)
					log := h.log()
					row, born = log[len(log)-1].ID, h.now
				}
				if row != "" && find(h.log(), row).SentAt != nil {
					break
				}
				jobs, next := h.due()
				if len(jobs) > 0 {
					h.answer(503, jobs[0])
					h.now = h.now.Add(attempt)
					continue
				}
				if row == "" {
					next = min(cmp.Or(next, born), born)
				}
				h.now = next
			}
			if waited := h.now.Sub(born); row != "" && waited > (1+2+4+8)*time.Second+6*attempt {
				t.Errorf("behind %d failing events of %d s ago the new one waits %s; the subscription is %+v",
					failing, ahead, waited, h.subscription(id))
			}
		}
	}
}

// TestWhatIsDueComesInTheOrderOfTheFeed, of one step too; a retry comes at its own
// moment, and keeps nothing newer from being sent.
func TestWhatIsDueComesInTheOrderOfTheFeed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.subscribe(subscription.Everything)
	h.happen(event.SalesOrderDeclined, 7)
	h.now = h.now.Add(time.Second)
	h.happen(event.SalesOrderDeclined, 5)
	jobs, _ := h.due()
	first := jobs[0].Sequence
	for i, j := range jobs {
		if j.Sequence != first+uint64(i) {
			t.Fatalf("in place %d is event %d, the first is %d", i, j.Sequence, first)
		}
	}
	h.answer(503, jobs[0])
	h.now = h.now.Add(2 * time.Second)
	if after, _ := h.due(); len(after) != 11 || after[0].Sequence != first+1 {
		t.Errorf("after the first has failed there are %d, the first of them event %d", len(after), after[0].Sequence)
	}
}

// TestWhatIsNoLongerAskedForIsNotSent: a retry of a type that was taken out of the
// subscription is dropped (contract: WHK.SUBSCRIBED_ONLY).
func TestWhatIsNoLongerAskedForIsNotSent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(event.SalesOrderDeclined, event.SalesOrderExpired)
	h.happen(event.SalesOrderDeclined, 1)
	h.happen(event.SalesOrderExpired, 1)
	jobs, _ := h.due()
	h.answer(500, jobs[0])
	h.do(func() {
		h.change(id, subscription.Change{Events: []event.Type{event.SalesOrderExpired}})
	})
	h.now = h.now.Add(time.Minute)
	if jobs, _ := h.due(); len(jobs) != 1 || jobs[0].EventType != event.SalesOrderExpired {
		t.Errorf("still to be sent are %+v", jobs)
	}
	want := []subscription.DeliveryStatus{subscription.Failed, subscription.Pending, subscription.Dropped}
	if got := h.statuses(); !slices.Equal(got, want) {
		t.Errorf("the log is %v, want %v", got, want)
	}
}

// TestAnyChangeReenables a disabled subscription, unless it is to stay disabled
// (contract: WHK.STATE.REENABLED).
func TestAnyChangeReenables(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change subscription.Change
		want   subscription.Status
	}{
		"nothing":       {subscription.Change{}, subscription.Active},
		"a description": {subscription.Change{Description: new("x")}, subscription.Active},
		"its status":    {subscription.Change{Status: subscription.Active}, subscription.Active},
		"that it stays": {subscription.Change{Status: subscription.Disabled}, subscription.Disabled},
		"a description, and it stays": {subscription.Change{Status: subscription.Disabled, Description: new("x")},
			subscription.Disabled},
		"another URL": {subscription.Change{Host: "b.example.com", Address: []byte("b")},
			subscription.PendingVerification},
	} {
		h := newHouse(t)
		id := h.subscribe(subscription.Everything)
		if s := h.subscription(id); s.LastErrorClass != "none" {
			t.Errorf("before the first error it is %q", s.LastErrorClass)
		}
		if err := h.books.Change(id, subscription.Change{Status: subscription.Disabled}); err == nil {
			t.Error("an active subscription can be disabled")
		}
		h.happen(event.SalesOrderDeclined, 1)
		for h.subscription(id).Status == subscription.Active {
			h.now = h.now.Add(10 * time.Minute)
			h.happen(event.SalesOrderDeclined, 1)
			jobs, _ := h.due()
			h.answer(500, jobs[0])
		}
		h.do(func() {
			if err := h.books.Change(id, c.change); err != nil {
				t.Errorf("%s is refused: %v", name, err)
			}
		})
		if s := h.subscription(id); s.Status != c.want || c.change.Description != nil && *s.Description != "x" {
			t.Errorf("after a change of %s it is %+v", name, s)
		}
	}
}

// TestPingsShareTheBudgetOfDeliveries (contract: LIMIT.DELIVERIES): with it spent
// they are refused, and say when there is room again.
func TestPingsShareTheBudgetOfDeliveries(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(subscription.Everything) // a ping
	h.happen(event.SalesOrderDeclined, 70)
	if err := h.books.CanPing(h.now, 0); err == nil {
		t.Error("a ping goes before what waits to be sent")
	}
	jobs, _ := h.due()
	if len(jobs) != 59 {
		t.Fatalf("beside a ping %d are to be sent, want 59", len(jobs))
	}
	h.answer(200, jobs...)
	err, _ := h.books.CanPing(h.now, 0).(*problem.Problem) //nolint:errorlint // refusals are never wrapped
	if err == nil || err.Code != problem.RateLimited || err.RetryAfter < 1 || err.RetryAfter > 60 ||
		err.RetryAt.Sub(h.now.Time()) > time.Minute+time.Second {
		t.Fatalf("with the budget spent a ping is answered with %+v", err)
	}
	h.now = moment.InstantOf(err.RetryAt).Add(time.Minute)
	jobs, _ = h.due()
	h.answer(200, jobs...)
	if err := h.books.CanPing(h.now, 0); err != nil {
		t.Errorf("with room again a ping is refused: %v", err)
	}
	if err := h.books.CanPing(h.now, 60-len(jobs)); err == nil {
		t.Error("pings under way do not count")
	}
	h.ping(id)
}

// TestTheLogLetsGoOfTheOldestAlsoAfterALoad: of what was over first, not of what
// was born first.
func TestTheLogLetsGoOfTheOldestAlsoAfterALoad(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.subscribe(subscription.Everything)
	h.happen(event.SalesOrderDeclined, 1)
	jobs, _ := h.due()
	late := jobs[0] // it is over last of all
	sent := 0
	for sent < 499 {
		h.now = h.now.Add(2 * time.Minute)
		h.happen(event.SalesOrderDeclined, 40)
		jobs, _ := h.due()
		for _, j := range jobs {
			if j.DeliveryID != late.DeliveryID && sent < 499 {
				h.answer(200, j)
				sent++
			}
		}
	}
	h.now = h.now.Add(2 * time.Minute)
	h.answer(200, late)
	h.reload()
	h.now = h.now.Add(2 * time.Minute)
	jobs, _ = h.due()
	for _, j := range jobs[:min(len(jobs), 5)] {
		h.answer(200, j)
	}
	if _, kept := h.books.Deliveries.Find(late.DeliveryID); !kept {
		t.Error("the newest was let go of")
	}
}

// TestSixtyPingsOfAMinuteAreSent, and the next one is refused.
func TestSixtyPingsOfAMinuteAreSent(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var id string
	h.do(func() {
		id = h.books.Create(subscription.Order{Host: "hooks.example.com", Address: []byte("b"), Secret: []byte("s")})
	})
	for i := range 60 {
		if err := h.books.CanPing(h.now, 0); err != nil {
			t.Fatalf("ping %d is refused: %v", i+1, err)
		}
		h.ping(id)
		h.now = h.now.Add(100 * time.Millisecond)
	}
	if err := h.books.CanPing(h.now, 0); err == nil {
		t.Error("the 61st is not refused")
	}
}
