package hop_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"platen/internal/cluster/hop"
	"platen/internal/store"
)

// TestNoClientSpeaksForANode: headers of nodes that a client sends do not reach the next one, which
// would take an idempotency key of them.
func TestNoClientSpeaksForANode(t *testing.T) {
	t.Parallel()
	road, err := hop.NewRoad([]byte("a secret of all nodes"))
	if err != nil {
		t.Fatal(err)
	}
	defer road.Close()
	var got http.Header
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := road.Open(r); err != nil {
			t.Error(err)
		}
		got = r.Header
		hop.Say(w.Header(), hop.Served, nil)
	}))
	defer node.Close()
	for _, own := range []string{"", "mine"} {
		r := httptest.NewRequest(http.MethodPost, "/v1/sandbox/tick", http.NoBody)
		r.Header.Set("Platen-Hop-Idempotency-Key", "smuggled")
		r.Header.Set("platen-hop-owner", "nobody")
		if own != "" {
			r.Header.Set("Idempotency-Key", own)
		}
		to := &store.Node{Address: strings.TrimPrefix(node.URL, "http://")}
		response, err := road.Send(t.Context(), to, r, nil, hop.Call{})
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if got.Get("Idempotency-Key") != own || got.Get("Platen-Hop-Owner") != "" {
			t.Errorf("with a key %q of its own the request arrives with %v", own, got)
		}
	}
}

// TestACapturedRequestIsGoodForNothingElse: a reader of the wire between nodes cannot send a request again with
// another body, key, method or target, nor at another time.
func TestACapturedRequestIsGoodForNothingElse(t *testing.T) {
	t.Parallel()
	road, err := hop.NewRoad([]byte("a secret of all nodes"))
	if err != nil {
		t.Fatal(err)
	}
	defer road.Close()
	sentAt := time.UnixMilli(1_800_000_000_000)
	now := sentAt
	road.Now = func() time.Time { return now }
	var captured http.Header
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		captured = r.Header.Clone()
		hop.Say(w.Header(), hop.Served, nil)
	}))
	defer node.Close()
	const body, target = `{"minutes":60}`, "/v1/sandbox/tick?a=b"
	sent := httptest.NewRequest(http.MethodPost, target, http.NoBody)
	sent.Header.Set("Idempotency-Key", "mine")
	to := &store.Node{Address: strings.TrimPrefix(node.URL, "http://")}
	response, err := road.Send(t.Context(), to, sent, []byte(body), hop.Call{})
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	open := func(method, target, key, body string) error {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header = captured.Clone()
		r.Header["Platen-Hop-Idempotency-Key"] = []string{key}
		_, err := road.Open(r)
		if read, _ := io.ReadAll(r.Body); err == nil && !bytes.Equal(read, []byte(body)) {
			t.Errorf("the body %s was opened as %s", body, read)
		}
		return err
	}
	if err := open(http.MethodPost, target, "mine", body); err != nil {
		t.Errorf("the request itself: %v", err)
	}
	for name, err := range map[string]error{
		"another body":   open(http.MethodPost, target, "mine", `{"minutes":61}`),
		"no body":        open(http.MethodPost, target, "mine", ""),
		"another key":    open(http.MethodPost, target, "yours", body),
		"another method": open(http.MethodPatch, target, "mine", body),
		"another target": open(http.MethodPost, "/v1/sandbox/tick?a=c", "mine", body),
	} {
		if !errors.Is(err, hop.ErrForged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for age, want := range map[time.Duration]error{
		30 * time.Second: nil, 31 * time.Second: hop.ErrStale, time.Hour: hop.ErrStale,
		-30 * time.Second: nil, -31 * time.Second: hop.ErrStale,
	} {
		now = sentAt.Add(age)
		if err := open(http.MethodPost, target, "mine", body); !errors.Is(err, want) {
			t.Errorf("after %s: %v, want %v", age, err, want)
		}
	}
}
