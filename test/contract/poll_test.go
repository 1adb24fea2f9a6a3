package contract

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// poll waits for events after a number; more are further parameters.
func (n *tenant) poll(after uint64, more string) (*answer, time.Duration) {
	n.t.Helper()
	began := time.Now()
	a := n.get("/events/poll?after_seq="+strconv.FormatUint(after, 10)+more).want(http.StatusOK, "")
	return a, time.Since(began)
}

func TestAPollShowsWhatTheFeedShows(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FEED.POLL", "OPEN.FEED.ROWS", "OPEN.FEED.FILTERS", "EVT.SAME_TRANSACTION")
		n := traded(t, `{"seed":5,"clock":"manual"}`)
		polls := func() (polled []object) {
			t.Helper()
			for next := "after_seq=0&limit=3"; ; {
				a := n.get("/events/poll?"+next).want(http.StatusOK, "")
				polled = append(polled, a.Items()...)
				if a.Cursor() == "" {
					return polled
				}
				next = "limit=3&cursor=" + a.Cursor()
			}
		}
		n.snapshot()
		polls() // which completes missions, and so writes events; not in between
		last := n.newest()
		for _, query := range []string{
			"after_seq=0", "after_seq=0&limit=100", "after_seq=3&limit=2",
			"after_seq=0&types=office.sales_order.received,sandbox.mission.completed",
			"after_seq=1&system=factory&limit=1",
		} {
			feed, polled := n.get("/events?"+query).want(http.StatusOK, ""),
				n.get("/events/poll?"+query).want(http.StatusOK, "")
			if encode(t, feed.Items()) != encode(t, polled.Items()) ||
				number(t, polled.Data(), "last_seq") != int64(last) ||
				(feed.Cursor() == "") != (polled.Cursor() == "") {
				t.Errorf("%s: the feed shows %v, a poll %v", query, types(feed.Items()), types(polled.Items()))
			}
		}
		all := n.feed(0)
		polled := polls()
		if encode(t, polled) != encode(t, all) {
			t.Errorf("polled by cursor are %d events, the feed has %d", len(polled), len(all))
		}
		for _, query := range []string{
			"", "?wait_s=1", "?after_seq=x", "?after_seq=0&wait_s=26", "?after_seq=0&wait_s=-1",
			"?after_seq=0&wait_s=1.0",
			"?after_seq=0&types=x",
		} {
			n.get("/events/poll"+query).want(http.StatusBadRequest, "invalid_parameter")
		}
	})
}

func TestAPollEndsWithItsKey(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.AUTH.REVOKED.LASTING", "AUTH.INVALID")
		n := serve(t).create(t, `{"clock":"manual"}`)
		n.snapshot()
		r := request{
			method: "GET", path: fmt.Sprintf("/events/poll?after_seq=%d&wait_s=25", n.newest()+1000), key: n.office,
		}
		const waiters = 2
		answers := make(chan *answer, waiters)
		for range waiters {
			go func() {
				for {
					a, err := n.try(t, r)
					if err != nil {
						t.Error(err)
					}
					if a == nil || a.Code() != "poll_in_progress" { // the third was faster
						answers <- a
						return
					}
					waitUntil(t, time.Now().Add(100*time.Millisecond))
				}
			}()
		}
		// Once both wait, a third is refused.
		third := r
		third.path = strings.Replace(r.path, "wait_s=25", "wait_s=1", 1)
		for n.send(t, third).Code() != "poll_in_progress" {
			if len(answers) > 0 {
				t.Fatal("a poll was answered before its key was revoked")
			}
		}
		n.send(t, request{method: "GET", path: "/sandbox?k=" + n.office}).want(http.StatusBadRequest, "key_in_url")
		for range waiters {
			if a := <-answers; a != nil {
				a.want(http.StatusUnauthorized, "unauthorized")
			}
		}
		n.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(http.StatusOK, "")
	})
}

func TestAPollAnswersWhenSomethingHappens(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FEED.POLL")
		n := serve(t).create(t, `{"clock":"manual"}`)
		n.snapshot()
		last := n.newest()
		if a, took := n.poll(last, "&wait_s=1"); len(a.Items()) != 0 || took < time.Second {
			t.Errorf("after %v: %s", took, a.Raw)
		}
		var waiting sync.WaitGroup
		var heard *answer
		waiting.Go(func() { heard, _ = n.poll(last, "&wait_s=25") })
		order := n.order("SO-1001")
		n.accept(text(order, "id"))
		accepted := time.Now()
		waiting.Wait()
		if late := time.Since(accepted); len(heard.Items()) == 0 || late > 20*time.Second {
			t.Errorf("%v after the order was accepted: %s", late, heard.Raw)
		}
		if kinds := types(heard.Items()); kinds[0] != "office.sales_order.accepted" {
			t.Errorf("heard was %v", kinds)
		}
	})
}

// TestTimePassesWhileAPollWaits: with a day in a second a run ends soon, and
// there is no request but the poll.
func TestTimePassesWhileAPollWaits(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FEED.POLL", "OPEN.TIME.CREATED_AT")
		n := serve(t, hasty(t)).create(t, `{"preset":"rush"}`)
		work := text(n.work("prd_notebook", 30, ""), "id")
		before := n.newest()
		n.print(work)
		a, _ := n.poll(before, "&wait_s=25&types=factory.print_run.completed")
		if kinds := types(a.Items()); len(kinds) != 1 {
			t.Errorf("heard was %v: %s", kinds, a.Raw)
		}
	})
}

func TestTwoPollsOfAKeyMayWait(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FEED.POLL.LIMIT", "OPEN.ERR.POLL_IN_PROGRESS")
		n := serve(t).create(t, `{"clock":"manual"}`)
		n.snapshot()
		path := fmt.Sprintf("/events/poll?wait_s=15&after_seq=%d", n.newest())
		const polls = 3
		var mu sync.Mutex
		statuses := map[int]int{}
		var waiting sync.WaitGroup
		for range polls {
			waiting.Go(func() {
				a := n.get(path)
				if a.Status != http.StatusOK {
					a.want(http.StatusConflict, "poll_in_progress")
				}
				mu.Lock()
				defer mu.Unlock()
				statuses[a.Status]++
			})
		}
		waiting.Wait()
		if statuses[http.StatusOK] != 2 || statuses[http.StatusConflict] != 1 {
			t.Errorf("three polls were answered %v", statuses)
		}
		n.get("/events/poll?after_seq=0").want(http.StatusOK, "")
	})
}

// TestTheLongestPollIsAnswered: no time-out of the server is shorter.
func TestTheLongestPollIsAnswered(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "OPEN.FEED.POLL")
		n := serve(t).create(t, `{"clock":"manual"}`)
		n.snapshot()
		if a, took := n.poll(n.newest(), "&wait_s=25"); len(a.Items()) != 0 || took < 25*time.Second {
			t.Errorf("after %v: %s", took, a.Raw)
		}
	})
}

// TestAPollHasATagAndATable, as the feed has.
func TestAPollHasATagAndATable(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.FEED.POLL", "LIST.ETAG")
	n := shared.create(t, `{"clock":"manual"}`)
	n.snapshot()
	path := fmt.Sprintf("/events/poll?after_seq=%d&wait_s=0", n.newest()-2)
	n.get(path).want(http.StatusOK, "") // missions that reading completes are complete by now
	path = fmt.Sprintf("/events/poll?after_seq=%d&wait_s=0", n.newest()-2)
	first := n.get(path).want(http.StatusOK, "")
	tag := first.Header.Get("ETag")
	if tag == "" || len(first.Items()) != 2 {
		t.Fatalf("the poll has the tag %q and %d events", tag, len(first.Items()))
	}
	shared.send(t, request{method: "GET", path: path, key: n.office, headers: []string{"If-None-Match", tag}}).
		want(http.StatusNotModified, "")
	n.happens()
	shared.send(t, request{method: "GET", path: path, key: n.office, headers: []string{"If-None-Match", tag}}).
		want(http.StatusOK, "")
	if a := shared.send(t, request{method: "GET", path: strings.Replace(path, "poll?", "poll.csv?", 1), key: n.office}).
		want(http.StatusOK, ""); !strings.HasPrefix(string(a.Raw), "seq,") {
		t.Errorf("as a table: %s", a.Raw)
	}
}
