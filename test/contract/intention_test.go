package contract

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// longKey is a fresh key that counts on creation.
func longKey() string { return strings.Repeat("k", 20) + freshKey() }

// TestAShortKeyCountsAtHome: it is of clients that reach a server of their own machine directly. Where
// strangers may share an address, it is an error, and makes nothing.
func TestAShortKeyCountsAtHome(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IDEM.CREATION", "IDEM.ACCEPTED", "OPEN.ERR.IDEMPOTENCY_KEY_INVALID")
	short := func(key string, headers ...string) request {
		r := creation.under(key)
		r.headers = append(r.headers, headers...)
		return r
	}
	home := serve(t)
	first := home.send(t, short("create-1")).want(http.StatusCreated, "")
	if again := home.send(t, short("create-1")).want(http.StatusCreated, ""); string(again.Raw) != string(first.Raw) {
		t.Error("a short key made two sandboxes")
	}
	n := home.tenantOf(t, first.Data())
	fork := n.asks("", "Idempotency-Key", "f").want(http.StatusCreated, "")
	if again := n.asks("", "Idempotency-Key", "f").want(http.StatusCreated, ""); string(again.Raw) != string(fork.Raw) {
		t.Error("a short key made two forks")
	}
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "X-Real-IP"} {
		refusesShort(t, home.send(t, short("create-1", header, "10.0.0.9")))
	}
	shares := serve(t, map[string]string{"trusted-proxy": "10.0.0.0/8"})
	refusesShort(t, shares.send(t, short(strings.Repeat("k", 19))))
	n = shares.tenantOf(t, shares.send(t, short(strings.Repeat("k", 20))).want(http.StatusCreated, "").Data())
	refusesShort(t, n.asks("", "Idempotency-Key", "f"))
	n.post("/sandbox/tick", "", "Idempotency-Key", "f").want(http.StatusOK, "")
}

// refusesShort expects the error about a short key, which names the least length.
func refusesShort(t *testing.T, a *answer) {
	t.Helper()
	a.want(http.StatusBadRequest, "idempotency_key_invalid")
	if message := text(a.Failure(), "message"); !strings.Contains(message, "at least 20 characters") {
		t.Errorf("it says %q", message)
	}
}

func TestACreationIsReplayedUnderALongKey(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IDEM.CREATION", "OPEN.ERR.INVALID_PRESET", "IDEM.REPLAY", "IDEM.REPLAY.HEADER", "IDEM.REUSED",
		"OPEN.IDEM.BYTES", "OPEN.IDEM.FIRST")
	folder := t.TempDir()
	s := serve(t, map[string]string{
		"trusted-proxy": "127.0.0.1/32", "database": filepath.Join(folder, "platen.db"), "max-sandboxes": "3",
	})
	key := longKey()
	first := s.send(t, creation.under(key)).want(http.StatusCreated, "")
	again := s.send(t, creation.under(key)).want(http.StatusCreated, "")
	if string(again.Raw) != string(first.Raw) || again.Header.Get("Idempotency-Replayed") != "true" ||
		first.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("the replay is %s", again.Raw)
	}
	other := creation.under(key)
	other.body = `{"preset":"manual"}`
	s.send(t, other).want(http.StatusUnprocessableEntity, "idempotency_key_reused")
	for faulty, code := range map[string]string{
		"{": "invalid_json", "[]": "invalid_json", `{"seed":-1}`: "validation_failed",
		`{"preset":"nowhere"}`: "invalid_preset",
	} {
		other.body = faulty
		s.send(t, other).want(http.StatusUnprocessableEntity, "idempotency_key_reused")
		if a := s.send(t,
			request{method: "POST", path: "/sandboxes", body: faulty}.under(longKey())); a.Code() != code {
			t.Errorf("%s under a fresh key is answered %s, want %s", faulty, a.Raw, code)
		}
	}
	elsewhere := creation.under(key)
	elsewhere.headers = append(elsewhere.headers, "X-Forwarded-For", "198.51.100.7")
	if a := s.send(t, elsewhere).
		want(http.StatusCreated, ""); text(a.Data(), "sandbox_id") == text(first.Data(), "sandbox_id") {
		t.Error("another network was given the keys of this one")
	}
	s.create(t, "") // the last place
	key = longKey()
	ticket := s.send(t, creation.under(key)).want(http.StatusAccepted, "")
	if again := s.send(t, creation.under(key)).want(http.StatusAccepted, ""); string(again.Raw) != string(ticket.Raw) ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the ticket %s is replayed as %s", ticket.Raw, again.Raw)
	}
	// Nothing on the disk opens a sandbox or claims a ticket.
	poll := text(ticket.Data(), "poll")
	secrets := []string{
		text(first.Data(), "office_key"), text(first.Data(), "factory_key"), poll[strings.LastIndex(poll, "/")+1:], key,
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		stored, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, secret := range secrets {
			if strings.Contains(string(stored), secret) {
				t.Errorf("%s holds secret %d", filepath.Base(name), i)
			}
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v, %v", filepath.Base(name), info.Mode(), err)
		}
	}
}

// TestCreationsUnderOneKeyMakeOneSandbox: of many at once the first makes it, and the others
// wait for its response.
func TestCreationsUnderOneKeyMakeOneSandbox(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IDEM.CONCURRENT", "OPEN.IDEM.CREATION")
	n := shared.create(t, "")
	for _, r := range []request{creation, {method: "POST", path: "/sandbox/forks", key: n.office}} {
		r := r.under(longKey())
		const clients = 16
		made := make(chan string, clients)
		var racing sync.WaitGroup
		for range clients {
			racing.Go(func() { made <- string(shared.send(t, r).want(http.StatusCreated, "").Raw) })
		}
		racing.Wait()
		close(made)
		bodies := map[string]bool{}
		for body := range made {
			bodies[body] = true
		}
		if len(bodies) != 1 {
			t.Errorf("%d clients got %d responses to %s", clients, len(bodies), r)
		}
	}
}

// TestAClaimIsRepeatedUnderItsKey: a client that lost the response of the claim gets it again.
func TestAClaimIsRepeatedUnderItsKey(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.QUEUE.CLAIM.REPLAY", "QUEUE.CLAIMED")
	s := serve(t, map[string]string{"max-sandboxes": "1"})
	n := s.create(t, "")
	ticket := s.queue(t)
	claim := request{method: "GET", path: ticket}
	keyed := claim
	keyed.headers = []string{"Idempotency-Key", "claim"}
	s.send(t, keyed).want(http.StatusAccepted, "")
	n.call("DELETE", "/sandbox", "").want(http.StatusOK, "")
	var claimed *answer
	eventually(t, "the place is free", 10*time.Second, func() bool {
		claimed = s.send(t, keyed)
		return claimed.Status == http.StatusCreated
	})
	if again := s.send(t, keyed).want(http.StatusCreated, ""); string(again.Raw) != string(claimed.Raw) ||
		again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("the claim %s is repeated as %s", claimed.Raw, again.Raw)
	}
	s.send(t, claim).want(http.StatusNotFound, "ticket_not_found")
	keyed.headers[1] = "another"
	s.send(t, keyed).want(http.StatusNotFound, "ticket_not_found")
	keyed.headers[1] = strings.Repeat("k", 65)
	s.send(t, keyed).want(http.StatusBadRequest, "idempotency_key_invalid")
}
