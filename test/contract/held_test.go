package contract

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"
)

// TestTheResponseThatWaitsLongestGivesWay: at most half of the places are held by responses that wait. A poll is sent
// with what there is, and a delay that is cut short met no fault.
func TestTheResponseThatWaitsLongestGivesWay(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FEED.POLL", "OPEN.FAULT.SLOW_RESPONSE", "OPEN.CONN.STUCK")
		const held = 4
		n := serve(t, map[string]string{"connections": fmt.Sprint(2 * held)}).create(t,
			`{"preset":"manual","seed":5,"clock":"manual"}`)
		n.snapshot()
		n.get("/office/cash").want(http.StatusOK, "")
		began := time.Now()
		type ended struct {
			id   string
			took time.Duration
		}
		var mu sync.Mutex
		var all sync.WaitGroup
		var ends []ended // in their order
		ask := func(path, key string) {
			all.Go(func() {
				a := n.send(t, request{method: "GET", path: path, key: key}).want(http.StatusOK, "")
				mu.Lock()
				defer mu.Unlock()
				ends = append(ends, ended{text(a.Meta(), "request_id"), time.Since(began)})
			})
			<-time.After(10 * time.Millisecond) // each comes behind the one before
		}

		n.injects("slow_response", held+2, "get_cash")
		for range held + 2 {
			ask("/office/cash", n.office)
		}
		all.Wait()
		if ends[0].took > time.Second || ends[1].took > time.Second || ends[2].took < 2*time.Second {
			t.Errorf("of %d slow responses, %d of which may wait, they end after %v", held+2, held, ends)
		}
		if kinds := n.suffered(); len(kinds) != held {
			t.Errorf("the faults are %v", kinds)
		}
		pending := children(t, child(t, n.row("/sandbox"), "faults"), "pending")
		if len(pending) != 1 || number(t, pending[0], "count") != 2 {
			t.Errorf("still to happen is %v", pending)
		}
		for i, e := range ends {
			if faults := fmt.Sprint(n.row("/requests/" + e.id)["faults"]); (faults == "[]") != (i < 2) {
				t.Errorf("request %d is said to have met %s", i, faults)
			}
		}
		n.get("/office/cash").want(http.StatusOK, "")
		n.get("/office/cash").want(http.StatusOK, "")

		ends, began = nil, time.Now()
		path := fmt.Sprintf("/events/poll?after_seq=%d&wait_s=20", n.newest()+1000)
		for _, key := range []string{n.office, n.office, n.factory, n.factory} {
			ask(path, key)
		}
		n.injects("slow_response", 1, "get_cash")
		ask("/office/cash", n.office)
		all.Wait()
		if len(ends) != held+1 || ends[0].took > time.Second || ends[held].took < 20*time.Second {
			t.Errorf("when one more response waits than may, the polls end after %v", ends)
		}
	})
}
