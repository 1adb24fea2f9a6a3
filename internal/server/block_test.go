package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"platen/internal/config"
)

// create asks for a sandbox from an address.
func (c *client) create(address string) answer {
	c.t.Helper()
	c.send(fmt.Sprintf("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: %s\r\nContent-Type: "+
		"application/json\r\nContent-Length: 18\r\n\r\n{\"clock\":\"manual\"}", address))
	return c.receive(http.MethodPost)
}

// TestOneCustomerOfIPv6CannotTakeAllPlaces lets 160 of the 256 networks of a /56
// make ten creations each.
func TestOneCustomerOfIPv6CannotTakeAllPlaces(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]struct {
		change       func(*config.Config)
		places, most int
	}{
		"the limits of a server":  {func(c *config.Config) { c.IPActive, c.IPCreations = 10, 60 }, 80, 100},
		"no limits for a network": {func(*config.Config) {}, 100, 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, behind(set.change))
			c := dial(t, s)
			got := map[int]int{}
			for i := range 160 {
				for range 10 {
					a := c.create(fmt.Sprintf("2001:db8:0:%x::1", i))
					if got[a.status]++; a.status < http.StatusBadRequest {
						continue
					}
					said := code(t, a)
					if said != "ip_active_limit" || !strings.Contains(string(a.body), "2001:db8::/48") {
						t.Fatalf("got %d %s", a.status, a.body)
					}
				}
			}
			if got[http.StatusCreated] != set.places || got[http.StatusCreated] > set.most ||
				got[http.StatusAccepted] > s.config.QueueLength/10 {
				t.Errorf("the answers are %v, want %d places", got, set.places)
			}
			if a := c.create("198.51.100.1"); a.status != http.StatusCreated {
				t.Errorf("another network gets %d %s", a.status, a.body)
			}
		})
	}
}

func TestABlockHasABudgetOfRequests(t *testing.T) {
	t.Parallel()
	s := start(t, behind(func(c *config.Config) { c.IPRate, c.BlockFactor = 10, 2 }))
	c := dial(t, s)
	passed := 0
	var last answer
	for i := range 60 {
		if last = c.getAs(fmt.Sprintf("198.51.100.%d", i), "/v1/nothing"); last.status == http.StatusNotFound {
			passed++
		}
	}
	if passed < 20 || passed > 40 || code(t, last) != "rate_limited" ||
		!strings.Contains(string(last.body), "198.51.100.0/24") {
		t.Errorf("%d requests passed, and the last gets %d %s", passed, last.status, last.body)
	}
	if a := c.getAs("198.51.101.1", "/v1/nothing"); a.status != http.StatusNotFound {
		t.Errorf("another block gets %d", a.status)
	}
	for range 9 { // this machine is in no block
		if a := c.getAs("127.0.0.1", "/v1/nothing"); a.status != http.StatusNotFound {
			t.Errorf("this machine gets %d", a.status)
		}
	}
}
