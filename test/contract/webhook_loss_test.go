package contract

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/test/testclient"
)

// lossy is how much TestNothingIsLostAtAReceiverThatFailsAtRandom does.
type lossy struct {
	sandboxes, events int
	// failures is how often a delivery may fail: by then it has waited for 10
	// seconds, or for 70.
	failures int
	within   time.Duration
}

func lossyRun() lossy {
	if !testclient.Thorough() {
		return lossy{sandboxes: 5, events: 40, failures: 1, within: 15 * time.Minute}
	}
	return lossy{sandboxes: 20, events: 200, failures: 2, within: 15 * time.Minute}
}

// flaky answers some deliveries with an error, or not at all, as chance will
// have it, and keeps count of what it acknowledged.
type flaky struct {
	run lossy

	mu     sync.Mutex
	chance *rand.Rand
	// failed counts by subscriber and event, taken are acknowledged deliveries by
	// subscriber in the order of their coming.
	failed map[string]int
	taken  map[string][]object
}

const failing = 0.12

func (f *flaky) answer(path string, one received) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := path + text(one.event, "id")
	if f.failed[key] < f.run.failures && one.kind() != "webhook.ping" && f.chance.Float64() < failing {
		f.failed[key]++
		return []int{
			http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusTooManyRequests, hangUp,
		}[f.chance.IntN(4)]
	}
	if one.kind() != "webhook.ping" {
		f.taken[path] = append(f.taken[path], one.event)
	}
	return http.StatusNoContent
}

func (f *flaky) of(path string) []object {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.taken[path])
}

// TestNothingIsLostAtAReceiverThatFailsAtRandom: many sandboxes send to one
// receiver. Each event of each arrives unless the log says that it was dropped,
// none arrives from a neighbour, and who handles each id once, and sorts by
// created_at, holds the feed.
func TestNothingIsLostAtAReceiverThatFailsAtRandom(t *testing.T) {
	t.Parallel()
	rows(t, "DLV.AT_LEAST_ONCE", "DLV.ORDER_BY", "DLV.UNORDERED", "DLV.STRICT_ORDER", "SVC.CHANNELS", "EVT.SAME_ID")
	inBubble(t, func(t *testing.T) {
		run, seed := lossyRun(), rand.Uint64()
		t.Logf("seed %d", seed)
		f := &flaky{
			run: run, chance: rand.New(rand.NewPCG(seed, 0)), failed: map[string]int{}, taken: map[string][]object{},
		}
		r := receive(t)
		r.paths(f.answer)
		server := serve(t, map[string]string{"private-webhooks": "true", "key-rate": "0", "ip-rate": "0",
			"anonymous-rate": "0", "ip-active": "0", "ip-creations": "0"})
		var mu sync.Mutex
		ids, unordered, dropped, late := map[string]string{}, 0, 0, []time.Duration(nil)
		var all sync.WaitGroup
		for i := range run.sandboxes {
			all.Go(func() {
				path := fmt.Sprint("/", i)
				n := server.create(t, `{"clock":"manual"}`)
				since := n.newest()
				s := n.serving(r.URL+path, `"*"`)
				for n.newest() < since+uint64(run.events) {
					n.day()
				}
				var given map[string]bool
				// Reading the feed may complete a mission, after its end was read.
				passing := func(e object) bool {
					return strings.HasPrefix(text(e, "type"), "sandbox.") || given[text(e, "id")]
				}
				want, handled := n.feed(since), map[string]bool{}
				id := text(want[0], "sandbox_id") // before those that were given up, all of them at times, are left out
				eventually(t, "each event is acknowledged, or given up", run.within, func() bool {
					// A page of a log that only grows: cheap to ask for again. Between the
					// two a deferred attempt may fail, and its next one is pending: that
					// neither page shows anything does not mean that nothing waits.
					if len(n.get("/webhooks/"+text(s, "id")+"/deliveries?status=pending&limit=1").
						want(http.StatusOK, "").Items())+
						len(n.get("/webhooks/"+text(s, "id")+"/deliveries?status=deferred&limit=1").
							want(http.StatusOK, "").Items()) > 0 {
						return false
					}
					given = n.droppedEvents(s)
					for _, e := range f.of(path) {
						handled[text(e, "id")] = true
					}
					return !slices.ContainsFunc(want, func(e object) bool {
						return !passing(e) && !handled[text(e, "id")]
					})
				})
				want = slices.DeleteFunc(want, passing)
				got := slices.DeleteFunc(f.of(path), passing)
				inOrder := slices.IsSortedFunc(got, byCreation)
				retries := n.lateness(s)
				mu.Lock()
				late = append(late, retries...)
				ids[path], dropped = id, dropped+len(given)
				if !inOrder {
					unordered++
				}
				mu.Unlock()
				slices.SortStableFunc(got, byCreation)
				once := slices.CompactFunc(got, func(a, b object) bool { return a["id"] == b["id"] })
				if len(once) != len(want) {
					t.Fatalf("%d events arrived, want %d", len(once), len(want))
				}
				for i, e := range want {
					if delete(e, "seq"); encode(t, e) != encode(t, once[i]) {
						t.Fatalf("number %d is %v, want %v", i, once[i], e)
					}
				}
			})
		}
		all.Wait()
		for path, id := range ids {
			for _, e := range f.of(path) {
				if e["sandbox_id"] != id {
					t.Errorf("%s, of sandbox %s, was sent an event of %v", path, id, e["sandbox_id"])
				}
			}
		}
		if len(late) == 0 {
			t.Fatal("nothing was sent again: this shows nothing")
		}
		slices.Sort(late)
		t.Logf("%d retries, the median %v late, one in a hundred more than %v",
			len(late), late[len(late)/2], late[(len(late)-1)*99/100])
		// How many are dropped is a matter of luck, and of the machine: a receiver that it keeps from
		// responding in time fails more often. At most half may be dropped.
		if unordered == 0 || dropped > run.sandboxes*run.events/2 {
			t.Errorf("in %d sandboxes deliveries came out of order, %d were dropped: this shows nothing",
				unordered, dropped)
		}
	})
}

// lateness is how long after their moment retries were sent. None may be early,
// and how late they are is told, not judged: it is the machine's, too.
func (n *tenant) lateness(s object) []time.Duration {
	n.t.Helper()
	var late []time.Duration
	for _, d := range n.deliveries(s) {
		if number(n.t, d, "attempt") == 1 || d["sent_at"] == nil { // given up before it was made
			continue
		}
		after := moment(n.t, d["sent_at"]).Sub(moment(n.t, d["due_at"]))
		if after < 0 {
			n.t.Errorf("it was sent %v early: %v", -after, d)
		}
		late = append(late, after)
	}
	return late
}

func byCreation(a, b object) int {
	return strings.Compare(text(a, "created_at"), text(b, "created_at"))
}

// droppedEvents are the events that were given up, by their ids: after five
// failures in a row nothing is sent that waited.
func (n *tenant) droppedEvents(s object) map[string]bool {
	n.t.Helper()
	given := map[string]bool{}
	for _, d := range n.all("/webhooks/" + text(s, "id") + "/deliveries?status=dropped") {
		given[text(d, "event_id")] = true
	}
	return given
}

// TestADeletedSandboxSendsNothingMore: but for what is under way.
func TestADeletedSandboxSendsNothingMore(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.DLV.ENDED")
		settings := map[string]string{"private-webhooks": "true", "sandbox-duration": "26s", "grace": "2s"}
		n, r := serve(t, settings).create(t, `{"clock":"manual","seed":1}`), receive(t)
		s := n.serving(r.URL, `"*"`)
		// Eight are under way at once, for 3.5 seconds each: more wait than can be sent
		// before the end, and they do not come to their sixty in a minute.
		const slowly = 3500 * time.Millisecond
		r.answers(func(one received) int {
			waitUntil(t, one.at.Add(slowly))
			return http.StatusNoContent
		})
		// In one request: a busy machine takes as long for seven as the sandbox lasts.
		n.post("/sandbox/tick", `{"minutes":4800,"until":{"sim_date":"2026-09-16"}}`).want(http.StatusOK, "")
		all := len(n.deliveries(s))
		eventually(t, "the sandbox is deleted", 60*time.Second, func() bool {
			return n.service.send(t,
				request{method: http.MethodGet, path: "/sandbox", key: n.office}).Status == http.StatusUnauthorized
		})
		// Its keys end at the moment; what it holds is taken away within a second or two.
		waitUntil(t, time.Now().Add(2*time.Second))
		underWay := len(r.requests())
		t.Logf("%d of %d deliveries were sent before the end", underWay, all)
		if underWay == 0 || underWay >= all {
			t.Fatalf("%d of %d deliveries were sent before the end", underWay, all)
		}
		waitUntil(t, time.Now().Add(slowly+2*time.Second)) // when what was under way has made room for the next
		if sent := len(r.requests()) - underWay; sent > 0 {
			t.Errorf("%d deliveries were sent after the deletion", sent)
		}
	})
}
