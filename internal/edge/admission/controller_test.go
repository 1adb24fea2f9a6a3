package admission_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"platen/internal/edge/admission"
	"platen/internal/store"
	"platen/internal/store/sqlite"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
)

const (
	lasts  = 40 * time.Minute
	window = 2 * time.Minute
)

// bench is a controller over a database in a temporary folder. Its sandboxes are
// headers without a company.
type bench struct {
	t          testing.TB
	path       string
	inner      store.Store
	store      store.Store
	controller *admission.Controller
	change     func(*admission.Options)

	// mu guards what follows.
	mu    sync.Mutex
	now   time.Time
	made  int
	fault storetest.Fault
}

func open(t testing.TB, change func(*admission.Options)) *bench {
	t.Helper()
	b := &bench{
		t: t, path: filepath.Join(t.TempDir(), "platen.db"), now: time.Date(2026, 10, 1, 9, 0, 0, 0, time.UTC),
		change: change,
	}
	b.start()
	t.Cleanup(func() { b.inner.Close() })
	return b
}

// start opens the controller without the memory of the last one.
func (b *bench) start() {
	b.t.Helper()
	if b.inner != nil {
		if err := b.inner.Close(); err != nil {
			b.t.Fatal(err)
		}
	}
	var err error
	if b.inner, err = sqlite.Open(b.t.Context(), b.path); err != nil {
		b.t.Fatal(err)
	}
	b.store = storetest.NewFaulty(b.inner, func(int) storetest.Fault {
		b.mu.Lock()
		defer b.mu.Unlock()
		fault := b.fault
		b.fault = storetest.NoFault
		return fault
	})
	o := admission.Options{
		Store: b.store, Log: slog.New(slog.DiscardHandler), Now: b.Now, Capacity: 3, Queue: 5,
		ClaimWindow: window, Turnover: lasts,
		Secret: []byte("a secret of thirty-two characters"),
	}
	if b.change != nil {
		b.change(&o)
	}
	if b.controller, err = admission.Open(b.t.Context(), o); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) Now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *bench) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// fails lets the next write of the store go wrong.
func (b *bench) fails(f storetest.Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = f
}

// make is the maker of the bench: its answer is the id of the sandbox.
func (b *bench) make(ctx context.Context, order admission.Order,
	records func(admission.Reply) []store.Write) (admission.Reply, error) {
	b.mu.Lock()
	b.made++
	id := fmt.Sprintf("sbx_%d", b.made)
	header := store.Sandbox{
		ID: id, Network: order.Network, CreatedAt: b.now, ExpiresAt: b.now.Add(lasts), DeleteAt: b.now.Add(lasts),
		WakeAt: b.now,
	}
	b.mu.Unlock()
	if string(order.Text) == "impossible" {
		return admission.Reply{}, problem.New(problem.InvalidPreset, "There is no such preset.")
	}
	reply := admission.Reply{Status: 201, Body: []byte(id)}
	err := b.store.Commit(ctx, store.Commit{SandboxID: id, Version: 1, Header: &header, Records: records(reply)})
	if errors.Is(err, store.ErrConflict) {
		return reply, problem.New(problem.Unavailable, "Another writer was faster.")
	}
	if err == nil {
		b.controller.Saved(header)
	}
	return reply, err
}

// request is one creation; change adds what is not usual.
func (b *bench) request(network string, change ...func(*admission.Request)) admission.Request {
	r := admission.Request{
		Order: admission.Order{Network: network, Text: []byte("starter")}, Make: b.make,
		Queued: func(w admission.Waiting) admission.Reply {
			return admission.Reply{Status: 202, Body: fmt.Appendf(nil, "%s %d", w.Ticket, w.Position)}
		},
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

// create asks for a sandbox. It returns the id of a sandbox or of a ticket.
func (b *bench) create(network string, change ...func(*admission.Request)) (made, ticket string, err error) {
	reply, err := b.controller.Create(context.Background(), b.request(network, change...))
	if reply.Status == 202 {
		var position int
		if _, err := fmt.Sscanf(string(reply.Body), "%s %d", &ticket, &position); err != nil {
			b.t.Fatal(err)
		}
		return "", ticket, nil
	}
	return string(reply.Body), "", err
}

// mustMake fills places.
func (b *bench) mustMake(n int) []string {
	b.t.Helper()
	var ids []string
	for range n {
		id, ticket, err := b.create("net")
		if err != nil || ticket != "" {
			b.t.Fatalf("got the ticket %q, %v", ticket, err)
		}
		ids = append(ids, id)
	}
	return ids
}

func (b *bench) mustQueue(n int) []string {
	b.t.Helper()
	var tickets []string
	for range n {
		id, ticket, err := b.create("net")
		if err != nil || id != "" {
			b.t.Fatalf("got the sandbox %q, %v", id, err)
		}
		tickets = append(tickets, ticket)
	}
	return tickets
}

func (b *bench) poll(ticket string) (made string, stands *admission.Waiting, err error) {
	reply, stands, err := b.controller.Poll(context.Background(), ticket, "", b.make)
	return string(reply.Body), stands, err
}

// leave deletes a sandbox.
func (b *bench) leave(id string) {
	b.t.Helper()
	if err := b.inner.Delete(b.t.Context(), id, store.Fence{}); err != nil {
		b.t.Fatal(err)
	}
	b.controller.Deleted(id)
}

func code(err error) problem.Code {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p.Code
	}
	return ""
}

func (b *bench) wantCode(what string, err error, want problem.Code) *problem.Problem {
	b.t.Helper()
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok || p.Code != want {
		b.t.Fatalf("%s: got %v, want %s", what, err, want)
	}
	return p
}

// wantPositions checks the positions of tickets.
func (b *bench) wantPositions(tickets []string, want ...int) {
	b.t.Helper()
	for i, ticket := range tickets {
		stands, err := b.controller.Inspect(ticket)
		got := 0 // ready
		if err != nil {
			b.t.Errorf("ticket %d: %v", i, err)
		} else if stands != nil {
			got = stands.Position
		}
		if got != want[i] {
			b.t.Errorf("ticket %d stands at %d, want %d", i, got, want[i])
		}
	}
}

func TestAFreePlaceGoesToTheHeadOfTheQueue(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	living := b.mustMake(3)
	tickets := b.mustQueue(3)
	b.wantPositions(tickets, 1, 2, 3)
	b.leave(living[1])
	b.wantPositions(tickets, 0, 1, 2)
	if _, ticket, err := b.create("newcomer"); err != nil || ticket == "" {
		t.Fatalf("a newcomer got a place before the queue: %v", err)
	}
	made, _, err := b.poll(tickets[0])
	if err != nil || made == "" {
		t.Fatalf("the head of the queue: %q, %v", made, err)
	}
	_, _, err = b.poll(tickets[0])
	b.wantCode("a claimed ticket", err, problem.TicketNotFound)
	b.wantPositions(tickets[1:], 1, 2)
	b.start()
	_, _, err = b.poll(tickets[0])
	b.wantCode("a claimed ticket after a restart", err, problem.TicketNotFound)
	b.wantPositions(tickets[1:], 1, 2)
}

func TestTheQueueIsFullAtItsLength(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	b.mustMake(3)
	b.mustQueue(5)
	_, _, err := b.create("net")
	if p := b.wantCode("the sixth in the queue", err, problem.QueueFull); p.RetryAfter != 30 {
		t.Errorf("Retry-After is %d", p.RetryAfter)
	}
	if n := b.controller.Length(); n != 5 {
		t.Errorf("%d wait", n)
	}
}

func TestAnUnclaimedPlaceGoesToTheNextAtOnce(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	living := b.mustMake(3)
	tickets := b.mustQueue(3)
	b.leave(living[0])
	b.pass(window - time.Microsecond)
	b.wantPositions(tickets, 0, 1, 2)
	b.pass(time.Microsecond)
	_, _, err := b.poll(tickets[0])
	b.wantCode("after its window", err, problem.TicketForfeited)
	b.wantPositions(tickets[1:], 0, 1)
	b.controller.Maintain(t.Context())
	b.start()
	b.pass(forfeitKept - time.Microsecond)
	b.controller.Maintain(t.Context())
	_, _, err = b.poll(tickets[0])
	b.wantCode("within ten minutes of its loss", err, problem.TicketForfeited)
	b.pass(time.Microsecond)
	_, _, err = b.poll(tickets[0])
	b.wantCode("ten minutes after its loss", err, problem.TicketNotFound)
	b.pass(time.Hour)
	for range 3 {
		b.controller.Maintain(t.Context())
		b.pass(time.Hour)
	}
	b.start()
	_, _, err = b.poll(tickets[0])
	b.wantCode("long after its loss", err, problem.TicketNotFound)
	if records, err := b.inner.List(t.Context(), "ticket"); err != nil || len(records) > 0 {
		t.Errorf("%d tickets are kept for ever, %v", len(records), err)
	}
}

const forfeitKept = 10 * time.Minute

func TestUnknownTicketsAreNotFound(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	b.mustMake(3)
	ticket := b.mustQueue(1)[0]
	for _, id := range []string{
		"", "tkt_", "tkt_00000000000000000000000000", ticket + "0", ticket[:len(ticket)-1], ticket[4:],
		"TKT_" + ticket[4:], "\x00", ticket + "\xff",
	} {
		_, _, err := b.poll(id)
		b.wantCode(id, err, problem.TicketNotFound)
	}
	records, err := b.inner.List(t.Context(), "ticket")
	if err != nil || len(records) != 1 || records[0].Key == ticket || len(records[0].Key) != 64 {
		t.Errorf("a ticket is stored as %v, %v", records, err)
	}
}

// The wait is that of the leases ahead: 40 minutes each, begun a minute apart.
func TestTheExpectedWaitIsThatOfTheLeasesAhead(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Capacity, o.Queue = 2, 10 })
	b.mustMake(1)
	b.pass(time.Minute)
	b.mustMake(1)
	b.pass(9*time.Minute + 500*time.Millisecond)
	tickets := b.mustQueue(5)
	for i, want := range []time.Duration{
		30 * time.Minute, 31 * time.Minute, 70 * time.Minute, 71 * time.Minute, 110 * time.Minute,
	} {
		_, stands, err := b.poll(tickets[i])
		if err != nil || stands.EtaSeconds != int(want/time.Second) {
			t.Errorf("position %d waits %d s, want %s, %v", i+1, stands.EtaSeconds, want, err)
		}
	}
	b.pass(2 * time.Hour) // no sandbox was deleted, though it was time
	if _, stands, err := b.poll(tickets[0]); err != nil || stands.EtaSeconds != 1 {
		t.Errorf("what is overdue is %d s away, %v", stands.EtaSeconds, err)
	}
}

func TestARefusedOrderKeepsNothing(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Hourly, o.Active = 3, 3 })
	for range 5 {
		_, _, err := b.create("net", func(r *admission.Request) { r.Order.Text = []byte("impossible") })
		b.wantCode("an order that cannot be made", err, problem.InvalidPreset)
	}
	b.mustMake(3)
}

// A claim that fails keeps the place, and its time begins anew.
func TestAClaimThatFailsKeepsThePlace(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	living := b.mustMake(3)
	tickets := b.mustQueue(2)
	b.leave(living[0])
	b.controller.Maintain(t.Context())
	for range 3 {
		b.pass(window - time.Second)
		b.fails(storetest.NotApplied)
		if _, _, err := b.poll(tickets[0]); err == nil {
			t.Fatal("no fault")
		}
		b.wantPositions(tickets, 0, 1)
	}
	if made, _, err := b.poll(tickets[0]); err != nil || made == "" {
		t.Fatalf("after the faults: %q, %v", made, err)
	}
	b.wantPositions(tickets[1:], 1)
}

// A claim that was made and reported as failed has used the ticket up. The
// sandbox takes its place, though no client has its keys.
func TestAClaimOfUnknownOutcomeHappensOnce(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	living := b.mustMake(3)
	tickets := b.mustQueue(2)
	b.leave(living[0])
	b.controller.Maintain(t.Context())
	b.fails(storetest.AppliedButFailed)
	if _, _, err := b.poll(tickets[0]); err == nil {
		t.Fatal("no fault")
	}
	_, _, err := b.poll(tickets[0])
	b.wantCode("the ticket of a sandbox that was made", err, problem.TicketNotFound)
	for range 2 {
		b.wantPositions(tickets[1:], 1)
		if n, err := b.inner.Count(t.Context()); n != 3 || err != nil {
			t.Errorf("%d sandboxes, %v", n, err)
		}
		b.controller.Maintain(t.Context())
	}
}

// TestPlacesAreCountedRightAfterAFault: capacity is 3.
func TestPlacesAreCountedRightAfterAFault(t *testing.T) {
	t.Parallel()
	for _, fault := range []storetest.Fault{storetest.NotApplied, storetest.AppliedButFailed} {
		b := open(t, nil)
		b.fails(fault)
		if _, _, err := b.create("net"); err == nil {
			t.Fatal("no fault")
		}
		lost := 0
		if fault == storetest.AppliedButFailed {
			lost = 1
		}
		b.controller.Maintain(t.Context())
		b.mustMake(3 - lost)
		b.mustQueue(1)
		if n, err := b.inner.Count(t.Context()); n != 3 || err != nil {
			t.Errorf("fault %d: %d sandboxes, %v", fault, n, err)
		}
	}
	b := open(t, nil)
	living := b.mustMake(3)
	tickets := b.mustQueue(1)
	if err := b.inner.Delete(t.Context(), living[0], store.Fence{}); err != nil {
		t.Fatal(err)
	}
	b.controller.Uncertain() // in place of Gone
	b.controller.Maintain(t.Context())
	b.wantPositions(tickets, 0)
}

func TestATicketThatWasNotWrittenIsNotInTheQueue(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Active = 4 })
	living := b.mustMake(3)
	b.fails(storetest.NotApplied)
	if _, ticket, err := b.create("net"); err == nil {
		t.Fatalf("got the ticket %s from a store that failed", ticket)
	}
	b.fails(storetest.AppliedButFailed)
	_, ticket, err := b.create("net")
	if err != nil || ticket == "" {
		t.Fatalf("a ticket that was written: %v", err)
	}
	b.start()
	b.wantPositions([]string{ticket}, 1)
	b.leave(living[0])
	b.wantPositions([]string{ticket}, 0)
}

func TestOneOfManyClaimsOneTicket(t *testing.T) {
	t.Parallel()
	b := open(t, nil)
	living := b.mustMake(3)
	ticket := b.mustQueue(1)[0]
	b.leave(living[0])
	const clients = 20
	var claims sync.WaitGroup
	var mu sync.Mutex
	made := 0
	for range clients {
		claims.Go(func() {
			id, _, err := b.poll(ticket)
			mu.Lock()
			defer mu.Unlock()
			if err == nil && id != "" {
				made++
			} else if code(err) != problem.TicketNotFound {
				t.Errorf("a poll answers %q, %v", id, err)
			}
		})
	}
	claims.Wait()
	if made != 1 {
		t.Errorf("one ticket made %d sandboxes", made)
	}
}
