package client_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/client"
)

const created = `{"sandbox_id":"sbx_1","public_name":"Quiet Heron Press","expires_at":"2026-10-01T09:30:00.000000Z",` +
	`"office_key":"lab_off_secret","factory_key":"lab_fac_secret"}`

func made() step {
	s := success(created)
	s.status = 201
	return s
}

func (f *fake) create(t *testing.T) (*client.Sandbox, error) {
	t.Helper()
	return client.CreateSandbox(t.Context(), f.URL+"/v1", client.CreateSandboxInput{Preset: new("starter")},
		client.HTTPClient(f.Client()), client.Clock(f.clock.Now, f.clock.Sleep))
}

func TestASandboxBringsItsClient(t *testing.T) {
	t.Parallel()
	f := newFake(t, refusal(503, "queue_full", true, "").with("Retry-After", "30"), made(), success("{}"))
	s, err := f.create(t)
	if err != nil {
		t.Fatal(err)
	}
	if s.SandboxID != "sbx_1" || s.Keys() != (client.Keys{Office: "lab_off_secret", Factory: "lab_fac_secret"}) {
		t.Errorf("got %s", s)
	}
	if _, err := s.Client().GetCash(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := f.requests()
	if sent[0].body != `{"preset":"starter"}` || sent[0].header.Get("Authorization") != "" ||
		sent[2].header.Get("Authorization") != "Bearer lab_off_secret" {
		t.Errorf("sent %+v", sent)
	}
	if sent[0].header.Get("Idempotency-Key") == "" ||
		sent[0].header.Get("Idempotency-Key") != sent[1].header.Get("Idempotency-Key") {
		t.Error("the attempts have no key in common")
	}
}

func TestWaitsInTheQueue(t *testing.T) {
	t.Parallel()
	ticket := success(`{"poll":"/v1/queue/tkt_1","position":2,"eta_s":40}`)
	moved := success(`{"position":1}`).with("Retry-After", "5")
	ticket.status, moved.status = 202, 202
	f := newFake(t, ticket, moved, refusal(429, "rate_limited", true, "").with("Retry-After", "2"), made())
	s, err := f.create(t)
	if err != nil || s.SandboxID != "sbx_1" {
		t.Fatalf("got %v, %v", s, err)
	}
	if want := []time.Duration{3 * time.Second, 5 * time.Second, 2 * time.Second}; !slices.Equal(f.clock.slept, want) {
		t.Errorf("slept %v, want %v", f.clock.slept, want)
	}
	for _, sent := range f.requests()[1:] {
		if sent.method != "GET" || sent.path != "/v1/queue/tkt_1" {
			t.Errorf("sent %s %s", sent.method, sent.path)
		}
	}
}

func TestATicketLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"//elsewhere.test/x", "http://elsewhere.test/x", "x", ""} {
		ticket := success(fmt.Sprintf(`{"poll":%q,"position":2,"eta_s":40}`, path))
		ticket.status = 202
		f := newFake(t, ticket)
		if _, err := f.create(t); err == nil || len(f.requests()) != 1 {
			t.Errorf("%q was followed: %v", path, err)
		}
	}
}

func TestAForfeitedTicketIsAnError(t *testing.T) {
	t.Parallel()
	ticket := success(`{"poll":"/v1/queue/tkt_1","position":1,"eta_s":1}`)
	ticket.status = 202
	f := newFake(t, ticket, refusal(410, "ticket_forfeited", false, ""))
	if _, err := f.create(t); !client.IsCode(err, "ticket_forfeited") {
		t.Errorf("got %v", err)
	}
}

func TestProvesItsWork(t *testing.T) {
	t.Parallel()
	for difficulty := range 13 {
		f := newFake(t, refusal(428, "pow_required", false,
			fmt.Sprintf(`,"details":{"challenge":"abc.def","difficulty":%d}`, difficulty)), made())
		if _, err := f.create(t); err != nil {
			t.Fatal(err)
		}
		proof := f.requests()[1].header.Get("Sim-PoW")
		nonce, ok := strings.CutPrefix(proof, "abc.def.")
		sum := sha256.Sum256([]byte("abc.def" + nonce))
		if got := bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:])); !ok || got < difficulty {
			t.Errorf("the proof %q has %d zeros, want %d", proof, got, difficulty)
		}
		if f.requests()[0].header.Get("Idempotency-Key") != f.requests()[1].header.Get("Idempotency-Key") {
			t.Error("the proof came with another key")
		}
	}
}

func TestTooMuchWorkIsRefused(t *testing.T) {
	t.Parallel()
	for _, details := range []string{`,"details":{"challenge":"abc","difficulty":200}`, ``} {
		f := newFake(t, refusal(428, "pow_required", false, details))
		if _, err := f.create(t); !client.IsCode(err, "pow_required") || len(f.requests()) != 1 {
			t.Errorf("got %v after %d requests", err, len(f.requests()))
		}
	}
	f := newFake(t, refusal(428, "pow_required", false, `,"details":{"challenge":"abc","difficulty":1}`))
	if _, err := f.create(t); !client.IsCode(err, "pow_required") || len(f.requests()) != 4 {
		t.Errorf("proofs that are never enough: %v after %d requests", err, len(f.requests()))
	}
}

func TestKeysAreNotPrinted(t *testing.T) {
	t.Parallel()
	s, err := newFake(t, made()).create(t)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("made", "sandbox", s, "keys", s.Keys())
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "sandbox", *s, "keys", s.Keys())
	text := log.String() + fmt.Sprint(s, *s, s.Keys()) + fmt.Sprintf("%+v %#v %+v %#v", s, *s, s.Keys(), s.Keys())
	if strings.Contains(text, "secret") {
		t.Errorf("printed %s", text)
	}
}

func TestDatesAreText(t *testing.T) {
	t.Parallel()
	d := client.DateOf(time.Date(2026, 9, 7, 23, 0, 0, 0, time.UTC))
	if d != "2026-09-07" || !d.Time().Equal(time.Date(2026, 9, 7, 0, 0, 0, 0, time.UTC)) ||
		!client.Date("x").Time().IsZero() {
		t.Errorf("got %s, %s", d, d.Time())
	}
}

// TestTheGradingKeyGoesWhereThePlayerMayNot, and the creation key with creations alone.
func TestTheGradingKeyGoesWhereThePlayerMayNot(t *testing.T) {
	t.Parallel()
	report := func(c *client.Client) error { _, err := c.GetReport(t.Context()); return err }
	sandbox := func(c *client.Client) error { _, err := c.GetSandbox(t.Context()); return err }
	cash := func(c *client.Client) error { _, err := c.GetCash(t.Context()); return err }
	all := client.Keys{Office: "lab_off_test", Factory: "lab_fac_test", Grading: "lab_grd_test"}
	for name, c := range map[string]struct {
		keys client.Keys
		call func(*client.Client) error
		want string
	}{
		"the report":    {all, report, "lab_grd_test"},
		"the sandbox":   {all, sandbox, "lab_off_test"},
		"cash":          {all, cash, "lab_off_test"},
		"without it":    {client.Keys{Office: "lab_off_test"}, report, "lab_off_test"},
		"with it alone": {client.Keys{Grading: "lab_grd_test"}, sandbox, "lab_grd_test"},
	} {
		f := newFake(t, success("{}"))
		if err := c.call(client.New(f.URL+"/v1", c.keys, client.HTTPClient(f.Client()))); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := f.requests()[0].header.Get("Authorization"); got != "Bearer "+c.want {
			t.Errorf("%s: sent was %q, want %s", name, got, c.want)
		}
	}
	f := newFake(t, success("{}"))
	grader := client.New(f.URL+"/v1", client.Keys{Grading: "lab_grd_test"}, client.HTTPClient(f.Client()))
	if _, err := grader.GetCash(t.Context()); !errors.Is(err, client.ErrNoKey) || len(f.requests()) > 0 {
		t.Errorf("a grading key opens Head Office: %v", err)
	}
	f = newFake(t, made(), success("{}"))
	s, err := client.CreateSandbox(t.Context(), f.URL+"/v1", client.CreateSandboxInput{},
		client.HTTPClient(f.Client()), client.CreationKey("the operator's"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client().GetSandbox(t.Context()); err != nil {
		t.Fatal(err)
	}
	if first, second := f.requests()[0].header.Get("Authorization"),
		f.requests()[1].header.Get("Authorization"); first != "Bearer the operator's" || second == first {
		t.Errorf("sent were %q and %q", first, second)
	}
}
