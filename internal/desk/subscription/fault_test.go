package subscription_test

import (
	"slices"
	"testing"
	"time"

	"platen/internal/desk/subscription"
	"platen/internal/words/event"
)

// trouble has the faults of every delivery, but for the events that it spares.
type trouble struct {
	late, twice time.Duration
	lost        bool
	decoy       subscription.Decoy
	secret      []byte
	spared      []uint64

	// repeated are the ids of second deliveries, attempted the cases that were told of.
	repeated  []string
	attempted []subscription.Case
}

func (f *trouble) meets(c *subscription.Case) bool { return !slices.Contains(f.spared, c.Sequence) }

func (f *trouble) Late(c *subscription.Case) time.Duration {
	if f.meets(c) {
		return f.late
	}
	return 0
}

func (f *trouble) Lost(c *subscription.Case) bool { return f.lost && f.meets(c) }

func (f *trouble) Decoy(c *subscription.Case) subscription.Decoy {
	if f.meets(c) {
		return f.decoy
	}
	return subscription.NoDecoy
}

func (f *trouble) Attempted(c *subscription.Case, _ bool, _ subscription.Decoy) {
	f.attempted = append(f.attempted, *c)
}

func (f *trouble) Twice(c *subscription.Case) (time.Duration, bool) {
	if f.twice == 0 {
		return 0, false
	}
	f.repeated = append(f.repeated, c.DeliveryID)
	return f.twice, true
}

func (f *trouble) Secret(*subscription.Case) []byte { return f.secret }

func TestALateDeliveryIsPassedByOthersAlsoAfterARestart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.subscribe(event.SalesOrderDeclined)
	first := uint64(len(h.feed) + 1)
	h.books.Disturb(&trouble{late: 20 * time.Second, spared: []uint64{first + 1}})
	h.happen(event.SalesOrderDeclined, 2)
	h.reload() // what was drawn is in the rows
	jobs, next := h.due()
	if len(jobs) != 1 || jobs[0].Sequence != first+1 || next != h.now.Add(20*time.Second) {
		t.Fatalf("due are %v, then %v", jobs, next)
	}
	h.answer(200, jobs...)
	h.now = h.now.Add(20 * time.Second)
	if jobs, _ = h.due(); len(jobs) != 1 || jobs[0].Sequence != first {
		t.Fatalf("20 seconds later due are %v", jobs)
	}
	h.books.Disturb(&trouble{late: 20 * time.Second})
	h.answer(500, jobs...)
	if log := h.log(); log[2].DueAt.Sub(h.now) > 11*time.Second {
		t.Errorf("the retry is late too: %v", log[2])
	}
}

func TestADeliveryIsRepeatedOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(event.SalesOrderDeclined)
	f := &trouble{twice: 30 * time.Second}
	h.books.Disturb(f)
	h.happen(event.SalesOrderDeclined, 1)
	jobs, _ := h.due()
	h.answer(500, jobs...)
	if len(f.repeated) != 0 {
		t.Fatal("a delivery that failed is repeated")
	}
	h.now = h.now.Add(20 * time.Second)
	jobs, _ = h.due()
	h.answer(200, jobs...)
	log := h.log()
	if len(log) != 3 || f.repeated[0] != log[2].ID || log[2].EventID != log[0].EventID || log[2].Attempt != 1 ||
		log[2].Trigger != subscription.Auto || log[2].DueAt != h.now.Add(30*time.Second) {
		t.Fatalf("%v: the log is %v", f.repeated, log)
	}
	h.reload()
	h.books.Disturb(f)
	for _, status := range []int{500, 200} { // also its retries are known for what they are
		h.now = h.now.Add(time.Minute)
		jobs, _ = h.due()
		h.answer(status, jobs...)
	}
	if log = h.log(); len(log) != 4 || len(f.repeated) != 1 || log[3].Status != subscription.Delivered {
		t.Errorf("%v: the log is %v", f.repeated, log)
	}
	if _, twice := h.books.Glance(); twice != 0 {
		t.Error("that counts as if the client had sent it again")
	}
	again := ""
	h.do(func() { again, _ = h.books.Redeliver(id, log[0].ID, h.now) })
	jobs, _ = h.due()
	h.answer(200, jobs...)
	if len(f.repeated) != 1 || len(h.log()) != 5 || jobs[0].DeliveryID != again {
		t.Errorf("what the client sends again is repeated: %v", h.log())
	}
}

func TestWhatIsLostIsLoggedAsDeliveredAndHasNoReceiver(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(event.SalesOrderDeclined)
	f := &trouble{lost: true, decoy: subscription.Forged, twice: time.Second, late: time.Second}
	h.books.Disturb(f)
	h.happen(event.SalesOrderDeclined, 1)
	h.reload()
	h.books.Disturb(f)
	h.now = h.now.Add(time.Second)
	jobs, _ := h.due()
	if !jobs[0].Lost || jobs[0].Decoy != subscription.NoDecoy {
		t.Fatalf("the attempt is %v", jobs[0])
	}
	h.answer(200, jobs...)
	log := h.log()
	if len(log) != 1 || log[0].Status != subscription.Delivered || log[0].Via == nil ||
		*log[0].Via != subscription.Intermediary || *log[0].StatusCode != 200 {
		t.Fatalf("the log is %v", log)
	}
	if len(f.attempted) != 1 || f.attempted[0].DeliveryID != log[0].ID || len(f.repeated) != 0 {
		t.Errorf("told were %v, repeated %v", f.attempted, f.repeated)
	}
	h.do(func() {
		if _, err := h.books.Redeliver(id, log[0].ID, h.now); err != nil {
			t.Fatal(err)
		}
	})
	if jobs, _ = h.due(); jobs[0].Lost {
		t.Error("what the client sends again is lost too")
	}
	h.answer(200, jobs...)
	if _, twice := h.books.Glance(); h.log()[1].Via != nil || twice != 0 {
		t.Errorf("its receiver got it once: %v", h.log()[1])
	}
}

func TestADecoyIsOfOneAttempt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.subscribe(event.SalesOrderDeclined)
	f := &trouble{decoy: subscription.Truncated}
	h.books.Disturb(f)
	h.happen(event.SalesOrderDeclined, 1)
	jobs, _ := h.due()
	if jobs[0].Decoy != subscription.Truncated || jobs[0].Lost {
		t.Fatalf("the attempt is %v", jobs[0])
	}
	h.books.Disturb(f)
	f.spared = []uint64{jobs[0].Sequence}
	h.answer(500, jobs...)
	h.now = h.now.Add(time.Minute)
	if jobs, _ = h.due(); jobs[0].Decoy != subscription.NoDecoy {
		t.Errorf("the next attempt is %v", jobs[0])
	}
	if len(f.attempted) != 1 || f.attempted[0].Attempt != 1 {
		t.Errorf("told were %v", f.attempted)
	}
}

func TestAnUnaskedSecretLeavesTheOldOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id := h.subscribe(event.SalesOrderDeclined)
	h.books.Disturb(&trouble{secret: []byte("unasked")})
	before := len(h.feed)
	h.happen(event.SalesOrderDeclined, 2)
	secrets := func() string {
		_, secrets := h.books.Address(id, h.now)
		return string(slices.Concat(secrets...))
	}
	if got := secrets(); got != "unaskeds" || len(h.feed) != before+3 {
		t.Fatalf("it signs with %q; the feed has %d events more", got, len(h.feed)-before)
	}
	if last := h.feed[len(h.feed)-1]; last.Type != string(event.WebhookSecretRotated) ||
		h.subscription(id).OldSecretValidUntil == nil {
		t.Errorf("the last event is %v", last.Type)
	}
	jobs, _ := h.due()
	if len(jobs) != 2 || len(jobs[0].Secrets) != 2 {
		t.Errorf("due are %v", jobs)
	}
	h.reload()
	h.do(func() { h.books.Rotate(id, []byte("asked"), h.now) })
	if got := secrets(); got != "askeds" {
		t.Errorf("after the client's own rotation it signs with %q", got)
	}
	h.do(func() { h.books.Rotate(id, []byte("next"), h.now) })
	if got := secrets(); got != "nextasked" {
		t.Errorf("after another one it signs with %q", got)
	}
}
