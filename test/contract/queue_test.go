package contract

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/internal/config"
)

var ticketPath = regexp.MustCompile(`^/v1(/queue/tkt_[0-9a-hjkmnp-tv-z]{26})$`)

var creation = request{method: "POST", path: "/sandboxes", body: "{}"}

// queue asks for a sandbox where there is no place, and returns the path of the
// ticket, relative to the base URL.
func (s *service) queue(t testing.TB) string {
	t.Helper()
	a := s.send(t, creation).want(http.StatusAccepted, "")
	match := ticketPath.FindStringSubmatch(text(a.Data(), "poll"))
	if match == nil {
		t.Fatalf("the ticket is %s", a.Raw)
	}
	return match[1]
}

func (s *service) poll(t testing.TB, ticket string) *answer {
	t.Helper()
	return s.send(t, request{method: "GET", path: ticket})
}

// crowded is a server with so many places, all taken for a few seconds.
func crowded(t testing.TB, places string, settings ...map[string]string) (*service, *tenant) {
	t.Helper()
	s := serve(t,
		append([]map[string]string{{"max-sandboxes": places, "sandbox-duration": "8s", "grace": "1s"}}, settings...)...)
	return s, s.create(t, "")
}

func TestWhoFindsNoPlaceWaitsInAQueue(t *testing.T) {
	t.Parallel()
	rows(t, "QUEUE.TICKET", "QUEUE.TICKET.POLL", "QUEUE.TICKET.POSITION", "QUEUE.TICKET.ETA_S", "QUEUE.WAITING",
		"CONV.ID.TICKET", "OPEN.QUEUE.WHEN", "OPEN.QUEUE.POLL_PATH", "OPEN.QUEUE.ETA", "QUEUE.PACE", "ROUTE.QUEUE.POLL",
		"ROUTE.SANDBOXES.CREATE")
	s := serve(t, map[string]string{"max-sandboxes": "1"})
	free := moment(t, s.create(t, "").created["expires_at"]).Add(10 * time.Minute) // after its grace
	for i := range 3 {
		a := s.poll(t, s.queue(t)).want(http.StatusAccepted, "")
		if number(t, a.Data(), "position") != int64(i+1) || a.Header.Get("Retry-After") != "3" {
			t.Errorf("ticket %d: %s, Retry-After %q", i, a.Raw, a.Header.Get("Retry-After"))
		}
		// One lease with its grace after the other, 40 minutes each.
		want := free.Add(time.Duration(i) * 40 * time.Minute).Sub(moment(t, a.Meta()["server_time"])).Seconds()
		if eta := float64(number(t, a.Data(), "eta_s")); eta < want-1 || eta > want+5 {
			t.Errorf("ticket %d waits %v s, by the leases ahead it is %.1f", i, eta, want)
		}
	}
	ticket := s.queue(t)
	s.send(t, request{method: "HEAD", path: ticket}).want(http.StatusAccepted, "")
	s.poll(t, ticket+"?x=1").want(http.StatusBadRequest, "invalid_parameter")
	s.send(t, request{method: "POST", path: ticket}).want(http.StatusMethodNotAllowed, "method_not_allowed")
}

func TestTheQueueIsServedInItsOrder(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "QUEUE.READY", "QUEUE.CLAIMED", "AUTH.REQUIRED", "AUTH.SHOWN_ONCE", "OPEN.QUEUE.WHEN",
			"ROUTE.QUEUE.POLL")
		s, n := crowded(t, "1")
		free := moment(t, n.created["expires_at"]).Add(time.Second) // after its grace
		tickets := []string{s.queue(t), s.queue(t), s.queue(t)}
		for i, ticket := range tickets {
			var ready *answer
			eventually(t, "the next is served", 30*time.Second, func() bool {
				for _, later := range tickets[i+1:] {
					s.poll(t, later).want(http.StatusAccepted, "")
				}
				ready = s.poll(t, ticket)
				return ready.Status != http.StatusAccepted
			})
			data := ready.want(http.StatusCreated, "").Data()
			if time.Now().Before(free) {
				t.Error("there are two sandboxes in one place")
			}
			free = moment(t, data["expires_at"]).Add(time.Second)
			for range 2 {
				s.poll(t, ticket).want(http.StatusNotFound, "ticket_not_found")
			}
			for _, key := range []string{"office_key", "factory_key"} {
				if a := s.send(t,
					request{method: "GET", path: "/sandbox", key: text(data, key)}); a.Status != http.StatusOK &&
					time.Now().Before(free) {
					t.Errorf("the %s of a claimed ticket: %d %s", key, a.Status, a.Raw)
				}
			}
		}
	})
}

func TestNobodyKnowsAForeignTicket(t *testing.T) {
	t.Parallel()
	rows(t, "QUEUE.UNKNOWN", "ERR.TICKET_NOT_FOUND", "OPEN.ERR.TICKET_NOT_FOUND", "OPEN.AUTH.KEY_IGNORED")
	n := shared.create(t, "")
	for _, id := range []string{
		"tkt_00000000000000000000000000", "tkt_", "x", "sbx_1", strings.Repeat("t", 3000), "%00", "tkt_%C3%A4",
	} {
		shared.poll(t, "/queue/"+id).want(http.StatusNotFound, "ticket_not_found")
		shared.send(t, request{method: "GET", path: "/queue/" + id, key: n.office}).
			want(http.StatusNotFound, "ticket_not_found")
	}
	shared.poll(t, "/queue").want(http.StatusNotFound, "route_not_found")
}

func TestATicketIsLostThatNobodyClaims(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		rows(t, "QUEUE.FORFEIT", "ERR.TICKET_FORFEITED", "LIMIT.CLAIM", "OPEN.QUEUE.FORFEIT")
		if c := config.Default(); c.ClaimWindow != 120*time.Second || c.QueueLength != 500 {
			t.Errorf("a ready ticket waits %v in a queue of %d", c.ClaimWindow, c.QueueLength)
		}
		s, n := crowded(t, "1", map[string]string{"claim-window": "1s"})
		first, second := s.queue(t), s.queue(t)
		waitUntil(t, moment(t, n.created["expires_at"]))
		// HEAD looks and does not claim, so the ticket is lost in a second.
		eventually(t, "the first is lost", 30*time.Second, func() bool {
			return s.send(t, request{method: "HEAD", path: first}).Status == http.StatusGone
		})
		for range 2 {
			s.poll(t, first).want(http.StatusGone, "ticket_forfeited")
		}
		// Its place has gone to the next, or been lost again meanwhile.
		if a := s.poll(t, second); a.Status == http.StatusAccepted {
			t.Errorf("the next still waits: %s", a.Raw)
		}
	})
}

func TestNobodyIsOvertaken(t *testing.T) {
	t.Parallel()
	rows(t, "QUEUE.TICKET.POSITION", "OPEN.QUEUE.WHEN")
	s := serve(t, map[string]string{"max-sandboxes": "1"})
	s.create(t, "")
	var mu sync.Mutex
	positions := map[int64]bool{}
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() {
			a := s.send(t, creation).want(http.StatusAccepted, "")
			mu.Lock()
			defer mu.Unlock()
			positions[number(t, a.Data(), "position")] = true
		})
	}
	crowd.Wait()
	for i := range int64(8) {
		if !positions[i+1] {
			t.Errorf("nobody stands at %d of %v", i+1, positions)
		}
	}
}

func TestTicketsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.QUEUE.DURABLE", "QUEUE.KEEPS_PLACE")
	database := filepath.Join(t.TempDir(), "platen.db")
	settings := map[string]string{"database": database, "max-sandboxes": "1"}
	var tickets []string
	t.Run("before", func(t *testing.T) {
		s := serve(t, settings)
		s.create(t, "")
		for range 4 {
			tickets = append(tickets, s.queue(t))
		}
	})
	t.Run("after", func(t *testing.T) {
		s := serve(t, settings, map[string]string{"anonymous-rate": "30"})
		_, refused, _ := s.flood(t, request{method: "GET", path: tickets[2]})
		refused.want(http.StatusTooManyRequests, "rate_limited")
		eventually(t, "the budget allows a poll", 10*time.Second, func() bool {
			a := s.poll(t, tickets[2])
			return a.Status == http.StatusAccepted && number(t, a.Data(), "position") == 3
		})
	})
}

func TestANetworkMayHaveAndCreateSoMany(t *testing.T) {
	t.Parallel()
	rows(t, "ERR.IP_ACTIVE_LIMIT", "ERR.IP_CREATE_LIMIT", "OPEN.RATE.CREATION", "ROUTE.SANDBOXES.CREATE",
		"OPEN.RATE.RETRY_AT")
	if c := config.Default(); c.IPActive != 10 || c.IPCreations != 60 {
		t.Errorf("a network may have %d and create %d in an hour", c.IPActive, c.IPCreations)
	}
	for setting, code := range map[string]string{"ip-active": "ip_active_limit", "ip-creations": "ip_create_limit"} {
		s := serve(t, map[string]string{setting: "2", "trusted-proxy": "127.0.0.1/32"})
		n := s.create(t, "")
		s.create(t, "")
		refused := s.send(t, creation).want(http.StatusTooManyRequests, code)
		at := moment(t, refused.Failure()["retry_at"])
		want := moment(t, n.created["expires_at"]).Add(10 * time.Minute) // its deletion
		if setting == "ip-creations" {
			want = moment(t, n.row("/sandbox")["created_at"]).Add(time.Hour)
		}
		if apart := at.Sub(want).Abs(); apart > 2*time.Second {
			t.Errorf("%s: retry_at is %v, want about %v", code, at, want)
		}
		elsewhere := creation
		elsewhere.headers = []string{"X-Forwarded-For", "198.51.100.7"}
		s.send(t, elsewhere).want(http.StatusCreated, "")
	}
}
