package admission_test

import (
	"fmt"
	"testing"
	"time"

	"platen/internal/edge/admission"
	"platen/internal/words/problem"
)

func TestANetworkHasSoManySandboxesAtATime(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Active = 3 })
	first := b.mustMake(1)[0]
	b.pass(time.Minute)
	b.mustMake(1)
	if _, _, err := b.create("other"); err != nil {
		t.Fatal(err)
	}
	b.mustQueue(1) // the third, a place in the queue
	for range 2 {
		_, _, err := b.create("net")
		p := b.wantCode("the fourth", err, problem.IPActiveLimit)
		if want := b.Now().Add(lasts - time.Minute); !p.RetryAt.Equal(want) ||
			p.RetryAfter != int((lasts-time.Minute)/time.Second) {
			t.Errorf("retry at %s in %d s, want %s", p.RetryAt, p.RetryAfter, want)
		}
		b.start()
	}
	if _, ticket, err := b.create("other"); err != nil || ticket == "" {
		t.Errorf("another network: %v", err)
	}
	b.leave(first)
	if _, ticket, err := b.create("net"); err != nil || ticket == "" {
		t.Errorf("after one was deleted: %v", err)
	}
}

func TestANetworkCreatesSoManyInAnHour(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Hourly, o.Capacity = 2, 1 })
	begun := b.Now()
	living := b.mustMake(1)
	b.pass(10 * time.Minute)
	ticket := b.mustQueue(1)[0] // counts as a creation, also when it is lost
	b.leave(living[0])
	b.pass(window)
	_, _, err := b.poll(ticket)
	b.wantCode("an unclaimed ticket", err, problem.TicketForfeited)
	for range 2 {
		_, _, err = b.create("net")
		p := b.wantCode("the third within the hour", err, problem.IPCreateLimit)
		if !p.RetryAt.Equal(begun.Add(time.Hour)) ||
			p.RetryAfter != int(begun.Add(time.Hour).Sub(b.Now())/time.Second) {
			t.Errorf("retry at %s in %d s, want %s", p.RetryAt, p.RetryAfter, begun.Add(time.Hour))
		}
		b.controller.Maintain(t.Context())
		b.start()
	}
	b.pass(begun.Add(time.Hour).Sub(b.Now()))
	b.mustMake(1)
	_, _, err = b.create("net")
	p := b.wantCode("the next one", err, problem.IPCreateLimit)
	if !p.RetryAt.Equal(begun.Add(70 * time.Minute)) {
		t.Errorf("retry at %s, want %s", p.RetryAt, begun.Add(70*time.Minute))
	}
}

func TestARequestCountsByItsWeight(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Hourly = 5 })
	begun := b.Now()
	heavy := func(weight int) error {
		_, _, err := b.create("net", func(r *admission.Request) { r.Weight = weight })
		return err
	}
	for _, weight := range []int{3, 1} {
		if err := heavy(weight); err != nil {
			t.Fatal(err)
		}
		b.pass(time.Minute)
	}
	for range 2 {
		p := b.wantCode("the sixth creation", heavy(2), problem.IPCreateLimit)
		if !p.RetryAt.Equal(begun.Add(time.Hour)) {
			t.Errorf("retry at %s, want %s", p.RetryAt, begun.Add(time.Hour))
		}
		b.start() // which reads what is remembered
	}
	b.pass(begun.Add(time.Hour).Sub(b.Now()))
	if err := heavy(4); err != nil { // with the one of a minute later
		t.Error(err)
	}
	b.pass(time.Hour)
	if err := heavy(100); err != nil {
		t.Errorf("one that weighs more than all there may be: %v", err)
	}
}

func TestLimitsOfZeroAreOff(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Capacity, o.Queue = 100, 0 })
	b.mustMake(100)
	_, _, err := b.create("net")
	b.wantCode("the hundred and first", err, problem.QueueFull)
	if records, err := b.inner.List(t.Context(), "creation"); err != nil || len(records) != 0 {
		t.Errorf("%d creations are remembered for nothing, %v", len(records), err)
	}
}

// The counts of a network are forgotten with its sandboxes.
func TestNothingIsLeftOfANetworkThatIsGone(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Hourly, o.Active = 1, 1 })
	for i := range 20 {
		id, _, err := b.create(fmt.Sprint("net", i))
		if err != nil {
			t.Fatal(err)
		}
		b.leave(id)
	}
	b.pass(time.Hour)
	b.controller.Maintain(t.Context())
	if n := b.controller.Networks(); n != 0 {
		t.Errorf("%d networks are remembered", n)
	}
	if records, err := b.inner.List(t.Context(), "creation"); err != nil || len(records) != 0 {
		t.Errorf("%d creations are remembered, %v", len(records), err)
	}
}
