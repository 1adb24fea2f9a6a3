package contract

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// longKey is a fresh key that counts on creation.
func longKey() string { return strings.Repeat("k", 20) + freshKey() }

func TestAKeyThatIsTooShortIsSaidToBe(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IDEM.CREATION")
	for key, ignored := range map[string]string{
		"create-1": "shorter than 20 characters", "a-key-of-twenty-chars": "", "": "",
	} {
		r := request{method: "POST", path: "/sandboxes", body: `{"clock":"manual"}`}
		if key != "" {
			r.headers = []string{"Idempotency-Key", key}
		}
		if a := usual(t).send(t, r).want(http.StatusCreated, ""); a.Header.Get("Idempotency-Ignored") != ignored {
			t.Errorf("with the key %q Idempotency-Ignored is %q", key, a.Header.Get("Idempotency-Ignored"))
		}
	}
}

func TestACreationIsReplayedUnderALongKey(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.IDEM.CREATION", "OPEN.ERR.INVALID_PRESET", "IDEM.REPLAY", "IDEM.REPLAY.HEADER", "IDEM.REUSED",
		"OPEN.IDEM.BYTES", "OPEN.IDEM.FIRST")
	folder := t.TempDir()
	s := serve(t, map[string]string{
		"trusted-proxy": "127.0.0.1/32", "database": filepath.Join(folder, "platen.db"), "max-sandboxes": "5",
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
	short := creation.under(strings.Repeat("k", 19))
	one, two := s.send(t, short).want(http.StatusCreated, ""), s.send(t, short).want(http.StatusCreated, "")
	if text(one.Data(), "sandbox_id") == text(two.Data(), "sandbox_id") {
		t.Error("a key of 19 characters had an effect")
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

// TestCreationsUnderOneKeyMakeOneSandbox sends many at once, until one of them
// has come while the first was at work.
func TestCreationsUnderOneKeyMakeOneSandbox(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.ERR.REQUEST_IN_PROGRESS", "OPEN.IDEM.CREATION", "OPEN.ERR.RETRYABLE")
	const rounds, clients = 50, 16
	for round := range rounds {
		key := longKey()
		var mu sync.Mutex
		made, early := map[string]bool{}, 0
		var racing sync.WaitGroup
		for range clients {
			racing.Go(func() {
				a := shared.send(t, creation.under(key))
				mu.Lock()
				defer mu.Unlock()
				if a.Status == http.StatusConflict {
					a.want(http.StatusConflict, "request_in_progress")
					early++
					return
				}
				made[text(a.want(http.StatusCreated, "").Data(), "sandbox_id")] = true
			})
		}
		racing.Wait()
		if len(made) != 1 {
			t.Fatalf("one intention made %d sandboxes", len(made))
		}
		if early > 0 {
			return
		}
		if round == rounds-1 {
			t.Error("no request came while another was at work")
		}
	}
}
