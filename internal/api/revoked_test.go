package api_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"platen/internal/api"
	"platen/test/testclient"
)

// TestAPollEndsWhenItsKeyIsRevoked: what it waited for is not handed out any
// more.
func TestAPollEndsWhenItsKeyIsRevoked(t *testing.T) {
	t.Parallel()
	inBubble(t, "manual", func(b *bubble) {
		b.quiet()
		for _, path := range []string{"/events/poll?after_seq=1000&wait_s=25"} {
			waiting := b.begin(path, b.office)
			if p := b.call(http.MethodGet, "/sandbox?k="+b.office, "", ""); p.code != "key_in_url" {
				b.t.Fatalf("the URL with the key: %d %s", p.status, p.code)
			}
			if p := <-waiting; p.status != http.StatusUnauthorized || p.code != "unauthorized" || p.took > time.Second {
				b.t.Errorf("the poll: %d %s after %s", p.status, p.code, p.took)
			}
		}
	})
}

// TestAStreamEndsWhenAKeyOfItIsRevoked: either of the two that it was opened
// with.
func TestAStreamEndsWhenAKeyOfItIsRevoked(t *testing.T) {
	t.Parallel()
	for _, which := range []string{"its own", "the other"} {
		t.Run(which, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			office, factory := s.keys(`{"clock":"manual"}`)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			r, err := testclient.Request{
				Method: http.MethodGet, URL: s.url + api.ConsoleStream, Key: office,
				Headers: []string{"Platen-Other-Key", factory},
			}.Build(ctx)
			if err != nil {
				t.Fatal(err)
			}
			stream, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			defer stream.Body.Close()
			lines := bufio.NewScanner(stream.Body)
			lines.Buffer(nil, 8<<20)
			if !lines.Scan() || lines.Text() != "event: change" {
				t.Fatalf("the stream begins with %q", lines.Text())
			}
			revoked := map[string]string{"its own": office, "the other": factory}[which]
			s.call(http.MethodGet, "/v1/sandbox?k="+revoked, "", "").want(400, "key_in_url")
			told := 0
			for lines.Scan() {
				if lines.Text() == "event: gone" {
					return
				}
				if strings.HasPrefix(lines.Text(), "data: ") {
					told++
				}
			}
			t.Errorf("the stream ended without a word, %v; %d changes were told after the first", lines.Err(), told)
		})
	}
}

// TestAKeyOfSharedRoutesIsKnownInTheWholeSandbox: whichever credential comes
// with the retry. A key that one system used elsewhere is still one that was
// used.
func TestAKeyOfSharedRoutesIsKnownInTheWholeSandbox(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"clock":"manual"}`)
	first := n.call("POST", "/v1/sandbox/tick", n.office, `{"minutes":7}`, "Idempotency-Key", "t-1").want(200, "")
	again := n.call("POST", "/v1/sandbox/tick", n.factory, `{"minutes":7}`, "Idempotency-Key", "t-1").want(200, "")
	if again.Header.Get("Idempotency-Replayed") != "true" || string(again.Raw) != string(first.Raw) {
		t.Errorf("with the other key: %s", again.Raw)
	}
	n.call("POST", "/v1/sandbox/tick", n.factory, `{"minutes":8}`, "Idempotency-Key", "t-1").
		want(422, "idempotency_key_reused")
	n.call("POST", "/v1/factory/work-orders", n.factory, `{"sku":"prd_notebook","quantity":1}`,
		"Idempotency-Key", "t-1").want(422, "idempotency_key_reused")
	n.call("POST", "/v1/factory/work-orders", n.factory, `{"sku":"prd_notebook","quantity":1}`,
		"Idempotency-Key", "wo-1").want(201, "")
	n.call("POST", "/v1/sandbox/tick", n.factory, `{"minutes":7}`, "Idempotency-Key", "wo-1").
		want(422, "idempotency_key_reused")
	// The two systems share no data, and no keys.
	n.call("POST", "/v1/office/requisitions", n.office,
		`{"needed_by":"2026-09-20","lines":[{"sku":"mat_coated","quantity":10}]}`, "Idempotency-Key", "wo-1").
		want(201, "")
}

// TestTheFirstBadParameterIsNamed, whatever else is wrong: the same request has
// the same answer.
func TestTheFirstBadParameterIsNamed(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	for _, path := range []string{
		"/v1/office/sales-orders?zebra=1&apple=1&mango=1", "/v1/sandbox?zebra=1&apple=1&mango=1",
	} {
		for range 30 {
			a := n.call("GET", path, n.office, "").want(400, "invalid_parameter")
			if details, _ := a.Failure()["details"].(map[string]any); details["parameter"] != "apple" {
				t.Fatalf("%s: named is %v", path, details)
			}
		}
	}
}

// TestTheConsolesStateIsNotKept by anything on the way, and comes compressed
// only where that is wanted.
func TestTheConsolesStateIsNotKept(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, _ := s.keys("")
	for accepted, zipped := range map[string]bool{
		"gzip": true, "br, gzip;q=0.5": true, "*": true, "GZIP": true, "gzip;q=0": false, "gzip; q=0.0": false,
		"br, *;q=0": false, "identity": false, "": false, "gzip;q=0, *": false,
	} {
		a := s.call(http.MethodGet, api.ConsoleState, office, "", "Accept-Encoding", accepted)
		if got := a.Header.Get("Content-Encoding") == "gzip"; got != zipped {
			t.Errorf("Accept-Encoding %q is answered with %q", accepted, a.Header.Get("Content-Encoding"))
		}
		if a.Header.Get("Cache-Control") != "no-store" || !strings.Contains(a.Header.Get("Vary"), "Accept-Encoding") {
			t.Errorf("Cache-Control is %q, Vary %q", a.Header.Get("Cache-Control"), a.Header.Get("Vary"))
		}
	}
}

// TestTheCompanysTimeDoesNotGoBack when the wall clock is set back, and goes on
// from where it was.
func TestTheCompanysTimeDoesNotGoBack(t *testing.T) {
	t.Parallel()
	n := start(t).create(`{"clock":"realtime"}`)
	shown := func() string {
		t.Helper()
		clock, _ := n.call("GET", "/v1/sandbox", n.office, "").want(200, "").Data()["clock"].(map[string]any)
		at, _ := clock["sim_date"].(string)
		time, _ := clock["sim_time"].(string)
		return at + " " + time
	}
	n.clock.Advance(2*time.Minute + 700*time.Millisecond)
	before := shown()
	n.clock.Advance(-time.Minute)
	if after := shown(); after != before {
		t.Errorf("on a clock that was set back it is %s, it was %s", after, before)
	}
	n.clock.Advance(2 * time.Minute)
	if later := shown(); later <= before {
		t.Errorf("later it is %s, it was %s", later, before)
	}
}

// TestTwoKeysInOneHeaderAreRefused: a proxy in front of Platen may have looked
// at the other one.
func TestTwoKeysInOneHeaderAreRefused(t *testing.T) {
	t.Parallel()
	n := start(t).create("")
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		r, err := testclient.Request{Method: http.MethodGet, URL: n.url + "/v1/sandbox"}.Build(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Add(name, "Bearer "+n.office)
		r.Header.Add(name, "Bearer "+n.factory)
		n.do(r).want(400, "bad_request")
	}
	n.call("GET", "/v1/sandbox", n.office, "", "X-Api-Key", n.factory).want(200, "") // the alias may be beside it
}
