package sandbox_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"platen/internal/company/factory"
	"platen/internal/company/office"
	"platen/internal/company/sim"
	"platen/internal/sandbox"
	"platen/internal/sandbox/commitlog"
	"platen/internal/store"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
	"platen/test/testclient"
)

const (
	// stepsOfLife is how much a client does in a test; with three seconds at
	// most between steps it stays within the lease.
	stepsOfLife = 250
	// maxTries ends a client that never succeeds.
	maxTries = 100
)

// client is a random client of one sandbox that sends failed requests again
// until it has a response. Its requests follow from its seed and from its
// reads: two clients of one seed send the same.
type client struct {
	// move takes the place of a restart, unless it is nil.
	move   func(inOrder bool)
	b      *bench
	s      *sandbox.Sandbox
	id     string
	wrap   func(store.Store) store.Store
	random *rand.Rand

	intents []intent
	// failures are answers that said nothing about the outcome, found those
	// after which the retry met its own first try.
	failures, found int
}

// intent is a command that was answered.
type intent struct {
	command sandbox.Command
	// reply is the answer of success; refusal the code of any other.
	reply   sandbox.Reply
	refusal problem.Code
}

// begin opens a registry over a store that wrap may spoil, and creates a sandbox
// in it.
func begin(t *testing.T, seed uint64, mode sim.Mode, wrap func(store.Store) store.Store) *client {
	t.Helper()
	c := &client{b: open(t, wrap), wrap: wrap, random: rand.New(rand.NewPCG(seed, 0))}
	created, err := again(c, func() (sandbox.Created, error) {
		return c.b.registry.Create(t.Context(), sandbox.Creation{Preset: "starter", Seed: new(int64(1)), Clock: &mode})
	})
	if err != nil {
		t.Fatal(err)
	}
	c.id = created.SandboxID
	c.s = c.b.registry.Sandbox(c.id)
	return c
}

// again repeats a call until its answer says what happened.
func again[T any](c *client, call func() (T, error)) (T, error) {
	for range maxTries {
		v, err := call()
		if err == nil || refusal(err) != "" {
			return v, err
		}
		c.failures++
	}
	panic("a call never was answered")
}

// refusal is the code of an answer that had no effect for good, "" for success
// and for what may be repeated.
func refusal(err error) problem.Code {
	if p, ok := errors.AsType[*problem.Problem](err); ok && p.Code != problem.Unavailable {
		return p.Code
	}
	return ""
}

// live does a number of steps.
func (c *client) live(steps int) {
	for step := range steps {
		c.b.pass(time.Duration(c.random.IntN(3000)) * time.Millisecond)
		switch chance := c.random.IntN(100); {
		case chance < 2:
			c.restart(chance == 0)
		case chance < 15:
			c.tick(step)
		default:
			c.write(step)
		}
		if c.move != nil && step%50 == 49 {
			c.move(step%100 == 49)
		}
		if step == steps/2 {
			// Long enough to be let go by the sweep, with a snapshot.
			c.b.pass(6 * time.Minute)
			c.b.registry.Sweep(context.Background())
		}
	}
}

// restart opens the registry again, after a stop in good order or not.
func (c *client) restart(inOrder bool) {
	if c.move != nil {
		c.move(inOrder)
		return
	}
	if inOrder {
		c.b.registry.Close(context.Background())
	}
	c.b.reopen(c.wrap)
	c.s = c.b.registry.Sandbox(c.id)
}

// view reads the sandbox, as often as it takes.
func (c *client) view() *sandbox.View {
	v, err := again(c, func() (*sandbox.View, error) { return c.s.View(context.Background()) })
	if err != nil {
		panic(err)
	}
	return v
}

// do sends a command, as often as it takes, and notes its answer.
func (c *client) do(cmd sandbox.Command) {
	failed := c.failures
	reply, err := again(c, func() (sandbox.Reply, error) { return c.s.Do(context.Background(), cmd) })
	if reply.Replayed && c.failures > failed {
		c.found++
	}
	reply.Replayed = false
	c.intents = append(c.intents, intent{cmd, reply, refusal(err)})
}

// command is a write with an idempotency key that answers with a row.
func command(key string, run func(*sandbox.Tx) (resource, id string, err error)) sandbox.Command {
	return sandbox.Command{
		Scope: "factory", Key: key, Fingerprint: commitlog.Fingerprint([]byte(fmt.Sprintf("%32s", key))),
		Status: 200, Run: func(tx *sandbox.Tx) (sandbox.Result, error) {
			resource, id, err := run(tx)
			return sandbox.Result{Resource: resource, ID: id}, err
		},
	}
}

func (c *client) tick(step int) {
	c.b.pass(time.Second)
	minutes := 1 + c.random.IntN(480)
	c.do(sandbox.Command{
		Scope: "office", Key: fmt.Sprintf("tick-%d", step),
		Status: 200, Run: func(tx *sandbox.Tx) (sandbox.Result, error) {
			return sandbox.Result{Value: func(v *sandbox.View) any { return v.Summary.Now.Text() }}, tx.Tick(minutes)
		},
	})
}

// write does something that the state suggests.
func (c *client) write(step int) {
	key := fmt.Sprintf("step-%d", step)
	pick := func(resource, status string) string {
		var ids []string
		for _, e := range c.view().Table(resource).Entries {
			if e.Filters[0] == status {
				ids = append(ids, e.ID)
			}
		}
		if len(ids) == 0 {
			return "nothing"
		}
		return ids[c.random.IntN(len(ids))]
	}
	switch c.random.IntN(6) {
	case 0:
		id := pick("sales_order", "received")
		c.do(command(key, func(tx *sandbox.Tx) (string, string, error) {
			return "sales_order", id, tx.Company.AcceptSalesOrder(id)
		}))
	case 1:
		id := pick("sales_order", "received")
		c.do(command(key, func(tx *sandbox.Tx) (string, string, error) {
			return "sales_order", id, tx.Company.DeclineSalesOrder(id, &office.DeclineSalesOrder{Reason: &key})
		}))
	case 2:
		c.order(key)
	case 3, 4:
		run := factory.StartPrintRun{
			PressID:      []string{"prs_digital", "prs_offset"}[c.random.IntN(2)],
			WorkOrderIDs: []string{pick("work_order", "created")}, OversPct: new(int64(5)),
		}
		c.do(command(key, func(tx *sandbox.Tx) (string, string, error) {
			id, err := tx.Company.StartPrintRun(&run)
			return "print_run", id, err
		}))
	case 5:
		id := pick("work_order", "ready")
		c.do(command(key, func(tx *sandbox.Tx) (string, string, error) {
			id, err := tx.Company.ShipFromFactory(&factory.CreateFactoryShipment{WorkOrderID: id, CarrierNote: &key})
			return "factory_shipment", id, err
		}))
	}
}

// order orders work: a write that nothing refuses.
func (c *client) order(key string) {
	work := factory.CreateWorkOrder{SKU: "prd_notebook", Quantity: 1 + int64(c.random.IntN(3)), Reference: &key}
	c.do(command(key, func(tx *sandbox.Tx) (string, string, error) {
		id, err := tx.Company.CreateWorkOrder(&work)
		return "work_order", id, err
	}))
}

// errLooked ends a command that only looks.
var errLooked = errors.New("looked")

// check compares a sandbox with what its client was told: every invariant of
// the company holds, every acknowledged command is answered again as before,
// the feed is whole, each acknowledged command has its one event, and the rows
// are as the feed tells. It returns a hash of the state.
func (c *client) check() (hash string, err error) {
	ctx := context.Background()
	_, looked := c.s.Do(ctx, sandbox.Command{Run: ran(func(tx *sandbox.Tx) error {
		hash, err = tx.Company.StateHash(), tx.Company.Check()
		return errLooked
	})})
	if !errors.Is(looked, errLooked) {
		return "", looked
	}
	if err != nil {
		return "", err
	}
	for _, in := range c.intents {
		if in.refusal != "" {
			continue
		}
		reply, err := c.s.Do(ctx, in.command)
		if err != nil || !reply.Replayed || reply.Status != in.reply.Status || !bytes.Equal(reply.Body, in.reply.Body) {
			return "", errors.Join(fmt.Errorf("%s was answered %q, and now %q (replayed %t)",
				in.command.Key, in.reply.Body, reply.Body, reply.Replayed), err)
		}
	}
	events, err := c.feed()
	if err != nil {
		return "", err
	}
	return hash, errors.Join(c.account(events), agree(c.view(), events))
}

// fedEvent is an event as the feed serves it.
type fedEvent struct {
	ID   string
	Type string
	Data struct {
		ID      string
		Status  string
		Source  string
		Changes []struct{ Resource, ID, From, To string }
	}
	Links struct{ Self string }
	body  string
}

// feed reads all events.
func (c *client) feed() ([]fedEvent, error) {
	v := c.view()
	var events []fedEvent
	ids := map[string]bool{}
	last := ""
	for after := uint64(0); after < v.Sequence; {
		page, err := c.s.Events(context.Background(), v, sandbox.Query{After: after, Limit: 1 + c.random.IntN(100)})
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			return nil, fmt.Errorf("the feed ends at %d, its newest event is %d", after, v.Sequence)
		}
		for _, e := range page {
			if e.Sequence != after+1 || ids[e.ID] || e.CreatedAt.String() <= last {
				return nil, fmt.Errorf("event %d (%s) of %s follows %d of %s",
					e.Sequence, e.ID, e.CreatedAt, after, last)
			}
			after, ids[e.ID], last = e.Sequence, true, e.CreatedAt.String()
			told := fedEvent{body: string(e.Body)}
			if err := json.Unmarshal(e.Body, &told); err != nil {
				return nil, err
			}
			events = append(events, told)
		}
	}
	return events, nil
}

// account compares the acknowledged commands with the events that only such
// commands make.
func (c *client) account(events []fedEvent) error {
	told, claimed := map[string]int{}, map[string]int{}
	for _, e := range events {
		switch e.Type {
		case "office.sales_order.accepted", "office.sales_order.declined", "factory.print_run.started",
			"factory.work_order.created", "factory.shipment.created":
			if e.Data.Source == "" || e.Data.Source == "client" {
				told[e.Data.ID]++
			}
		}
	}
	for _, in := range c.intents {
		var response struct{ Data struct{ ID string } }
		if in.refusal != "" || strings.HasPrefix(in.command.Key, "tick") {
			continue
		}
		if err := json.Unmarshal(in.reply.Body, &response); err != nil {
			return err
		}
		claimed[response.Data.ID]++
	}
	for id, n := range claimed {
		if n != 1 || told[id] != 1 {
			return fmt.Errorf("%d commands were acknowledged for %s, the feed tells of %d", n, id, told[id])
		}
		delete(told, id)
	}
	for id, n := range told {
		return fmt.Errorf("the feed tells %d times of %s, which no command was acknowledged for", n, id)
	}
	return nil
}

// agree compares the status of each row with the last one that the feed tells.
func agree(v *sandbox.View, events []fedEvent) error {
	told := map[string]string{}
	for _, e := range events {
		for _, change := range e.Data.Changes {
			if was := told[change.ID]; was != change.From && change.Resource != "press" {
				return fmt.Errorf("%s changes from %q, it was %q: %s", change.ID, change.From, was, e.body)
			}
			told[change.ID] = change.To
		}
		if e.Data.Status != "" {
			told[e.Data.ID] = e.Data.Status
		}
	}
	for _, table := range []string{
		"sales_order", "work_order", "print_run", "customer_invoice", "office_shipment", "factory_shipment",
		"press", "stock_item", "mission", "achievement", "office_requisition", "factory_requisition",
		"purchase_order", "delivery", "office_goods_receipt", "factory_goods_receipt", "supplier_invoice",
		"contract_lot", "employee", "payroll_run", "lore_event", "major_order",
	} {
		for _, e := range v.Table(table).Entries {
			var row struct{ Status string }
			if err := json.Unmarshal(e.Row(), &row); err != nil {
				return err
			}
			want, known := told[e.ID]
			delete(told, e.ID)
			silent := table == "press" || table == "stock_item" || table == "mission" // until they change
			if !known && !silent || known && want != row.Status {
				return fmt.Errorf("%s %s is %q, the feed says %q", table, e.ID, row.Status, want)
			}
		}
	}
	for id, status := range told {
		return fmt.Errorf("the feed says that %s is %q, and there is no such row", id, status)
	}
	return nil
}

// identity matches the differences between two sandboxes of the same life.
var identity = regexp.MustCompile(`\b(evt|sbx)_[0-9a-z]+`)

// life is everything that can be told of a life from outside, without ids of
// events and of the sandbox.
func (c *client) life(t *testing.T) string {
	t.Helper()
	hash, err := c.check()
	if err != nil {
		t.Fatal(err)
	}
	events, err := c.feed()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, "state", hash)
	for i, e := range events {
		fmt.Fprintln(&b, i+1, identity.ReplaceAllString(e.body, "$1"))
	}
	for _, in := range c.intents {
		fmt.Fprintln(&b, in.command.Key, in.refusal, in.reply.Status, string(in.reply.Body))
	}
	return b.String()
}

// randomly spoils about a third of all writes, half of them after they were
// done.
func randomly(seed uint64) func(store.Store) store.Store {
	random := rand.New(rand.NewPCG(seed, 1)) // used under the lock of Faulty, one registry at a time
	return func(inner store.Store) store.Store {
		return storetest.NewFaulty(inner, func(int) storetest.Fault {
			switch random.IntN(6) {
			case 0:
				return storetest.AppliedButFailed
			case 1:
				return storetest.NotApplied
			}
			return storetest.NoFault
		})
	}
}

func TestALifeWithFaultsIsTheLifeWithoutThem(t *testing.T) {
	t.Parallel()
	for _, mode := range []sim.Mode{sim.Manual, sim.Realtime} {
		for range testclient.Few(1, 2) {
			seed := rand.Uint64()
			t.Run(fmt.Sprintf("%s %d", mode, seed), func(t *testing.T) {
				t.Parallel()
				calm, rough := begin(t, seed, mode, nil), begin(t, seed, mode, randomly(seed))
				for _, c := range []*client{calm, rough} {
					c.live(testclient.Few(stepsOfLife/2, stepsOfLife))
					c.wrap = nil
					c.restart(false)
				}
				if rough.failures == 0 || rough.found == 0 || calm.failures > 0 {
					t.Fatalf("%d failures, of which %d had happened; without faults %d",
						rough.failures, rough.found, calm.failures)
				}
				want, got := calm.life(t), rough.life(t)
				if got != want {
					t.Errorf("the lives differ\n%s", firstDifference(got, want))
				}
				t.Logf("%d intentions, %d failures on the way, %d of them had happened, %d lines of life the same",
					len(rough.intents), rough.failures, rough.found, strings.Count(got, "\n"))
			})
		}
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d\ngot  %s\nwant %s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(g), len(w))
}

// TestTheCheckFindsAnAcknowledgementThatWasNotDurable proves that the check of
// the test above can fail.
func TestTheCheckFindsAnAcknowledgementThatWasNotDurable(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]storetest.Plan{
		"durable": storetest.At(nil), "acknowledged early": storetest.Every(1, storetest.AcknowledgedEarly),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var faulty *storetest.Faulty
			c := begin(t, 7, sim.Manual, func(inner store.Store) store.Store {
				faulty = storetest.NewFaulty(inner, plan)
				return faulty
			})
			c.live(30)
			c.order("the-last-one")
			faulty.Crash()
			c.wrap = nil
			c.restart(false)
			_, err := c.check()
			if lied := name != "durable"; lied != (err != nil) {
				t.Errorf("the check says %v", err)
			}
			t.Logf("the check says %v", err)
		})
	}
}

// dropping is a store that loses one event: the newest one of the n-th commit
// that has any.
type dropping struct {
	store.Store
	n, commits int
}

// Commit implements store.Store.
func (d *dropping) Commit(ctx context.Context, c store.Commit) error {
	commit, err := commitlog.DecodeCommit(c.Body, c.Version)
	if err != nil {
		return err
	}
	if n := len(commit.Events); n > 0 {
		if d.commits++; d.commits == d.n {
			commit.Events = commit.Events[:n-1]
			c.Body, _ = commit.Encode(c.Version, commit.Previous)
		}
	}
	return d.Store.Commit(ctx, c)
}

// TestTheCheckFindsALostEvent proves that the check can fail on any event.
func TestTheCheckFindsALostEvent(t *testing.T) {
	t.Parallel()
	live := func(t *testing.T, n int) (commits int, err error) {
		t.Helper()
		d := &dropping{n: n}
		c := begin(t, 8, sim.Manual, func(inner store.Store) store.Store {
			d.Store = inner
			return d
		})
		c.live(40)
		c.restart(false)
		_, err = c.check()
		return d.commits, err
	}
	all, err := live(t, 0)
	if err != nil || all < 10 {
		t.Fatalf("without a loss: %d commits with events, %v", all, err)
	}
	for _, n := range []int{1, 2, all / 2, all - 1, all} {
		_, err := live(t, n)
		if err == nil {
			t.Errorf("the check does not miss the newest event of commit %d of %d", n, all)
		}
		t.Logf("without the newest event of commit %d of %d the check says: %v", n, all, err)
	}
}
