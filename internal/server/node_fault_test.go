package server

import (
	"context"
	"net/http"
	"slices"
	"testing"
)

// seen returns the status of a read, 502 for a response that is not the API's, or 0 for a connection that was cut.
func seen(t *testing.T, s *Server, path, key string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr().String()+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		return 0 // the connection was cut
	}
	defer response.Body.Close()
	return response.StatusCode
}

// TestFaultsAreTheSameOnSeveralServers: whichever of them a request arrives at, and after the
// owner of the sandbox has stopped and another one has taken over.
func TestFaultsAreTheSameOnSeveralServers(t *testing.T) {
	t.Parallel()
	const body = `{"preset":"manual","clock":"manual","seed":1,"faults":{"seed":6,"delay_pct":0,"rules":[
		{"kind":"response_lost","share":0.2},{"kind":"request_lost","share":0.1},{"kind":"storm","share":0.1},
		{"kind":"outage","share":0.05}]}}`
	paths := []string{"/v1/office/sales-orders", "/v1/office/customers", "/v1/events"}
	const rounds = 40
	alone := several(t, 1)[0]
	k := newSandbox(t, alone, body)
	var want []int
	for range rounds {
		for _, path := range paths {
			want = append(want, seen(t, alone, path, k.office))
		}
	}

	servers := several(t, 3)
	k = newSandbox(t, servers[0], body)
	ask(t, servers[0], http.MethodGet, "/v1/sandbox", k.office, "").want(t, http.StatusOK) // it owns the sandbox
	var got []int
	for round := range rounds {
		if round == rounds/2 {
			servers[0].Stop(context.WithoutCancel(t.Context()))
			servers = servers[1:]
		}
		for i, path := range paths {
			got = append(got, seen(t, servers[(round+i)%len(servers)], path, k.office))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("several servers: %v\nalone:           %v", got, want)
	}
	statuses := slices.Compact(slices.Sorted(slices.Values(want)))
	for _, status := range []int{0, http.StatusOK, http.StatusBadGateway, http.StatusServiceUnavailable} {
		if !slices.Contains(statuses, status) {
			t.Errorf("%d never happened: %v", status, statuses)
		}
	}
}
