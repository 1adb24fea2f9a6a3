package hop_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"platen/internal/hop"
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
