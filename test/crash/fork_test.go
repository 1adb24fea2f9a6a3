package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"platen/test/testclient"
)

const (
	// forkRounds is how often a server is killed amid forks and deletions, forkWorkers
	// how many clients make and delete them, forksEach how many of their requests are
	// answered before a kill.
	forkRoundsFew = 3
	forkRounds    = 12
	forkWorkers   = 3
	forksEach     = 9
)

// child is a fork that a client asked for.
type child struct {
	request request
	// raw is the response, nil while there was none.
	raw    []byte
	tenant *tenant
	// ending is set once its deletion was asked for, ended once that is known.
	ending, ended bool
}

// family is a sandbox and its forks.
type family struct {
	parent *tenant
	seed   uint64
	// answered counts the requests that were answered.
	answered atomic.Int64

	mu       sync.Mutex // guards children
	children []*child
}

func newFamily(p *process) (*family, error) {
	parent, err := newTenant(p, "starter", "manual")
	return &family{parent: parent, seed: rand.Uint64()}, err
}

// work makes forks and deletes some, and lets the parent live on, until the context
// ends or the server does.
func (f *family) work(ctx context.Context, p *process, worker int) error {
	random := rand.New(rand.NewPCG(f.seed, uint64(worker)))
	for i := 0; ctx.Err() == nil; i++ {
		var err error
		switch key := fmt.Sprintf("the request %d of worker %d", i, worker); i % 4 {
		case 0:
			_, err = p.send(request{method: http.MethodPost, path: "/factory/work-orders", key: f.parent.Factory,
				idempotency: key, body: `{"sku":"prd_flyer","quantity":100,"reference":"` + key + `"}`})
		case 3:
			err = f.end(p, random)
		default:
			body := []string{"", `{"checkpoint":"start"}`, fmt.Sprintf(`{"seq":%d}`, 1+random.IntN(26))}[random.IntN(3)]
			err = f.fork(p, key, body)
		}
		if err != nil {
			return err
		}
		f.answered.Add(1)
	}
	return nil
}

func (f *family) fork(p *process, key, body string) error {
	c := &child{request: request{
		method: http.MethodPost, path: "/sandbox/forks", key: f.parent.Office, idempotency: key, body: body,
	}}
	f.mu.Lock()
	f.children = append(f.children, c)
	f.mu.Unlock()
	return f.ask(p, c)
}

// ask asks for a fork, also once more: the response to the first request counts.
func (f *family) ask(p *process, c *child) error {
	a, err := p.send(c.request)
	if err != nil {
		return err
	}
	if a.Status == http.StatusServiceUnavailable && p.dying.Load() {
		return errGone
	}
	if a.Status != http.StatusCreated {
		return fmt.Errorf("fork %s: %d %s", c.request.body, a.Status, a.Raw)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.raw != nil && string(a.Raw) != string(c.raw) {
		return fmt.Errorf("fork %s was made twice:\n%s\n%s", c.request.body, c.raw, a.Raw)
	}
	c.raw, c.tenant = a.Raw, &tenant{preset: "starter", clock: "manual"}
	return json.Unmarshal(a.Raw, &struct{ Data *tenant }{c.tenant})
}

// end deletes a fork.
func (f *family) end(p *process, random *rand.Rand) error {
	f.mu.Lock()
	var c *child
	if n := len(f.children); n > 0 {
		c = f.children[random.IntN(n)]
	}
	if c == nil || c.raw == nil || c.ending {
		f.mu.Unlock()
		return nil
	}
	c.ending = true
	f.mu.Unlock()
	return f.delete(p, c)
}

func (f *family) delete(p *process, c *child) error {
	a, err := p.send(request{method: http.MethodDelete, path: "/sandbox", key: c.tenant.Factory})
	if err != nil {
		return err
	}
	// 401 is for one whose first deletion got no answer.
	if a.Status != http.StatusOK && a.Status != http.StatusUnauthorized {
		return fmt.Errorf("delete a fork: %d %s", a.Status, a.Raw)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c.ended = true
	return nil
}

// check compares every fork with what is known of it.
func (f *family) check(p *process) error {
	if err := f.parent.follow(p, f.parent.newest()); err != nil {
		return err
	}
	for _, c := range f.children {
		if !c.ended {
			// One without an answer is asked for again; the others must be the same.
			if err := f.ask(p, c); err != nil {
				return err
			}
		}
		if c.ending && !c.ended {
			if err := f.delete(p, c); err != nil {
				return err
			}
		}
		if err := f.checkChild(p, c); err != nil {
			return fmt.Errorf("the fork %s of %s: %w", c.tenant.ID, c.request.body, err)
		}
	}
	return nil
}

func (f *family) checkChild(p *process, c *child) error {
	for _, key := range []string{c.tenant.Office, c.tenant.Factory} {
		a, err := p.send(request{method: http.MethodGet, path: "/sandbox", key: key})
		if err != nil {
			return err
		}
		if want := map[bool]int{true: http.StatusUnauthorized, false: http.StatusOK}[c.ended]; a.Status != want {
			return fmt.Errorf("it answers %d %s, want %d", a.Status, a.Raw, want)
		}
	}
	if c.ended {
		return nil
	}
	var status struct {
		ForkedFrom struct {
			SandboxID string `json:"sandbox_id"`
			Seq       uint64 `json:"seq"`
		} `json:"forked_from"`
	}
	if err := c.tenant.object(p, "/sandbox", &status); err != nil {
		return err
	}
	// A read meanwhile may have completed a mission before the fork.
	if err := errors.Join(c.tenant.follow(p, 0), f.parent.follow(p, f.parent.newest())); err != nil {
		return err
	}
	from := status.ForkedFrom
	if from.SandboxID != f.parent.ID || from.Seq == 0 || from.Seq > c.tenant.newest() {
		return fmt.Errorf("it comes from %+v and has %d events", from, c.tenant.newest())
	}
	for i := range from.Seq {
		if mine, parents := c.tenant.seen[i].raw, f.parent.seen[i].raw; mine != parents {
			return fmt.Errorf("its event %d is\n%s\nnot\n%s", i+1, mine, parents)
		}
	}
	var report struct {
		Invariants struct{ Hold bool } `json:"invariants"`
	}
	if err := c.tenant.object(p, "/sandbox/report", &report); err != nil || !report.Invariants.Hold {
		return fmt.Errorf("its books do not hold: %w", err)
	}
	return nil
}

func (f *family) report(t *testing.T) {
	t.Helper()
	living := 0
	for _, c := range f.children {
		if !c.ended {
			living++
		}
	}
	t.Logf("%d forks asked for, %d live and have the parent's past, %d are deleted", len(f.children), living,
		len(f.children)-living)
	if living == 0 || living == len(f.children) {
		t.Error("nothing was left to compare, or nothing was deleted")
	}
}

// TestForksOutliveKills: one that was acknowledged is there whole, once; one that was
// not is there or can be had with the same key; one that was deleted stays away.
func TestForksOutliveKills(t *testing.T) {
	t.Parallel()
	database := filepath.Join(t.TempDir(), "platen.db")
	start := func() *process {
		p, err := launch(database, "--tick-pause", "0s")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.kill)
		return p
	}
	p := start()
	f, err := newFamily(p)
	if err != nil {
		t.Fatal(err)
	}
	for round := range testclient.Few(forkRoundsFew, forkRounds) {
		until := f.answered.Load() + forksEach
		var working sync.WaitGroup
		for i := range forkWorkers {
			working.Go(func() {
				if err := f.work(t.Context(), p, round*forkWorkers+i); err != nil && !errors.Is(err, errGone) {
					t.Error(err)
				}
			})
		}
		reached := func() bool { return f.answered.Load() >= until || t.Failed() }
		testclient.Eventually(t, "the forks before a kill", writeTimeout, reached)
		p.kill()
		working.Wait()
		p = start()
		if err := f.check(p); err != nil {
			t.Fatal(err)
		}
	}
	f.report(t)
	if err := p.complaints(); err != nil {
		t.Error(err)
	}
}
