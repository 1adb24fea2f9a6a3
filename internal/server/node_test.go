package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen/internal/config"
	"platen/internal/store/sqlite"
	"platen/internal/store/storetest"
	"platen/test/testclient"
)

// several starts servers that share a storage.
func several(t *testing.T, count int, change ...func(*config.Config)) []*Server {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "platen.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	shared := storetest.NewShared(db, time.Now)
	var servers []*Server
	for range count {
		servers = append(servers, another(t, shared, change...))
	}
	return servers
}

// another starts one more.
func another(t *testing.T, shared *storetest.Shared, change ...func(*config.Config)) *Server {
	t.Helper()
	c := config.Default()
	c.Listen, c.Database, c.NodeAddress = "127.0.0.1:0", "postgres://shared", testclient.FreeAddress(t)
	c.PublicURL, c.SecretKey = []string{"http://platen.test"}, strings.Repeat("k", config.SecretLeast)
	c.IPActive, c.IPCreations, c.KeyRate, c.IPRate, c.AnonymousRate, c.TickPause = 0, 0, 0, 0, 0, 0
	for _, set := range change {
		set(c)
	}
	handle := shared.Handle()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	s, err := newServer(t.Context(), c, log, parts{handle, handle, machineClock(log)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop(context.WithoutCancel(t.Context())) })
	return s
}

// reply is a response of any server.
type reply struct {
	status int
	header http.Header
	body   string
	// Data and Error are those of the envelope.
	Data  map[string]any
	Error map[string]any
}

// ask sends a request to one of several servers.
//
//nolint:revive // a request has as many parts
func ask(t *testing.T, s *Server, method, path, key, body string, headers ...string) *reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.Addr().String()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Content-Type" {
			r.Header.Del(headers[i])
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := &reply{status: res.StatusCode, header: res.Header, body: string(text)}
	_ = json.Unmarshal(text, a) // a response without an envelope has none
	return a
}

// want fails unless the reply has a status.
func (r *reply) want(t *testing.T, status int) *reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("got %d %s, want %d", r.status, r.body, status)
	}
	return r
}

// keyPair are the keys of a new sandbox.
type keyPair struct{ office, factory string }

func newSandbox(t *testing.T, s *Server, body string) keyPair {
	t.Helper()
	a := ask(t, s, http.MethodPost, "/v1/sandboxes", "", body).want(t, http.StatusCreated)
	return keyPair{fmt.Sprint(a.Data["office_key"]), fmt.Sprint(a.Data["factory_key"])}
}

func TestAnyServerAnswersForAnySandbox(t *testing.T) {
	t.Parallel()
	servers := several(t, 3)
	for i, made := range servers {
		k := newSandbox(t, made, `{"preset":"manual","clock":"manual","seed":1}`)
		var first *reply
		for j := range servers {
			s := servers[(i+j)%3]
			a := ask(t, s, http.MethodPost, "/v1/sandbox/tick", k.office, `{"minutes":60}`, "Idempotency-Key", "tick")
			a.want(t, http.StatusOK)
			if first == nil {
				first = a
			} else if a.body != first.body || a.header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("server %d replays %s, want %s", j, a.body, first.body)
			}
			list := ask(t, s, http.MethodGet, "/v1/office/sales-orders?limit=5", k.office, "").want(t, http.StatusOK)
			again := ask(t, servers[(i+j+1)%3], http.MethodGet, "/v1/office/sales-orders?limit=5", k.office, "",
				"If-None-Match", list.header.Get("ETag"))
			if again.status != http.StatusNotModified {
				t.Errorf("what one server has tagged, another one sends again: %d", again.status)
			}
		}
	}
}

// TestEachServerSaysHowManyThereAre (docs: /status.json).
func TestEachServerSaysHowManyThereAre(t *testing.T) {
	t.Parallel()
	servers := several(t, 2)
	owned(t, servers)
	for i, s := range servers {
		var said struct {
			Nodes *nodes `json:"nodes"`
		}
		a := ask(t, s, http.MethodGet, "/status.json", "", "").want(t, http.StatusOK)
		if err := json.Unmarshal([]byte(a.body), &said); err != nil || said.Nodes == nil {
			t.Fatalf("%s, %v", a.body, err)
		}
		// The first joined before the other, and may not have looked since.
		if said.Nodes.Living < 1+i || said.Nodes.Owned != 1-i || said.Nodes.Admits != (i == 0) || !said.Nodes.Trusted {
			t.Errorf("server %d says %s", i, a.body)
		}
	}
}

// owned makes a sandbox that the first server owns.
func owned(t *testing.T, servers []*Server) keyPair {
	t.Helper()
	k := newSandbox(t, servers[0], `{"preset":"manual","clock":"manual","seed":1}`)
	ask(t, servers[0], http.MethodGet, "/v1/sandbox", k.office, "").want(t, http.StatusOK)
	return k
}

// tick moves the clock of a sandbox by way of a server, always with the same key.
func tick(t *testing.T, s *Server, k keyPair, minutes int) *reply {
	t.Helper()
	body := fmt.Sprintf(`{"minutes":%d}`, minutes)
	return ask(t, s, http.MethodPost, "/v1/sandbox/tick", k.office, body, "Idempotency-Key", "t").want(t, http.StatusOK)
}

// TestARequestIsAnsweredAlikeWhereverItArrives, also one that is refused, and whatever is
// refused first.
func TestARequestIsAnsweredAlikeWhereverItArrives(t *testing.T) {
	t.Parallel()
	servers := several(t, 2)
	k := owned(t, servers)
	order := ask(t, servers[0], http.MethodGet, "/v1/office/sales-orders?limit=1", k.office, "").want(t, http.StatusOK)
	id := fmt.Sprint(order.Data["items"].([]any)[0].(map[string]any)["id"])
	for name, q := range map[string]struct {
		method, path, key, body string
		headers                 []string
	}{
		"a read":             {"GET", "/v1/sandbox", k.office, "", nil},
		"a list as CSV":      {"GET", "/v1/office/sales-orders.csv", k.office, "", nil},
		"HEAD":               {"HEAD", "/v1/office/sales-orders", k.office, "", nil},
		"the wrong system":   {"GET", "/v1/office/sales-orders", k.factory, "", nil},
		"no such row":        {"GET", "/v1/office/sales-orders/so_none", k.office, "", nil},
		"no such route":      {"GET", "/v1/nothing/at%2Fall?x=%20y", k.office, "", nil},
		"no such method":     {"PATCH", "/v1/office/sales-orders", k.office, "{}", nil},
		"an odd parameter":   {"GET", "/v1/office/sales-orders?limit=0", k.office, "", nil},
		"no key":             {"GET", "/v1/sandbox", "", "", nil},
		"an unknown key":     {"GET", "/v1/sandbox", "lab_off_" + strings.Repeat("x", 32), "", nil},
		"no idempotency key": {"POST", "/v1/office/market", k.office, "{}", nil},
		"two idempotency keys": {"POST", "/v1/office/sales-orders/" + id + "/accept", k.office, "",
			[]string{"Idempotency-Key", "a", "Idempotency-Key", "b"}},
		"a body that is none": {"POST", "/v1/sandbox/tick", k.office, "{", []string{"Idempotency-Key", "c"}},
		"a body that is large": {"POST", "/v1/sandbox/tick", k.office, strings.Repeat(" ", 20_000) + "{}",
			[]string{"Idempotency-Key", "d"}},
		"a body of another type": {"POST", "/v1/sandbox/tick", k.office, `{"minutes":1}`,
			[]string{"Idempotency-Key", "e", "Content-Type", "text/plain"}},
		"a version that is none": {"GET", "/v1/sandbox", k.office, "", []string{"Sim-Version", "1999-01"}},
		"a type that is none":    {"GET", "/v1/sandbox", k.office, "", []string{"Accept", "image/png"}},
		"a forged header": {"GET", "/v1/sandbox", k.office, "",
			[]string{"Platen-Hop", "e30.AAAA", "Platen-Hop-Verdict", "served"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			there, here := ask(t, servers[1], q.method, q.path, q.key, q.body, q.headers...),
				ask(t, servers[0], q.method, q.path, q.key, q.body, q.headers...)
			code := func(r *reply) any { return r.Error["code"] }
			if there.status != here.status || code(there) != code(here) {
				t.Fatalf("through another server %d %v, at the owner %d %v", there.status, code(there), here.status,
					code(here))
			}
			for name := range here.header {
				if _, ok := there.header[name]; !ok {
					t.Errorf("through another server it has no %s", name)
				}
			}
			if q.method == http.MethodHead && there.header.Get("Content-Length") != here.header.Get("Content-Length") {
				t.Errorf("through another server it has the length %s, at the owner %s",
					there.header.Get("Content-Length"), here.header.Get("Content-Length"))
			}
			for name := range there.header {
				if _, ok := here.header[name]; !ok {
					t.Errorf("through another server it has %s: %s", name, there.header[name])
				}
			}
		})
	}
}

// TestAPollWakesOnAWriteAtAnotherServer.
func TestAPollWakesOnAWriteAtAnotherServer(t *testing.T) {
	t.Parallel()
	servers := several(t, 3)
	k := owned(t, servers)
	newest := ask(t, servers[0], http.MethodGet, "/v1/sandbox", k.office, "").want(t, http.StatusOK).Data["last_seq"]
	polled := make(chan *reply, 1)
	go func() {
		path := fmt.Sprintf("/v1/events/poll?after_seq=%.0f&wait_s=25", newest)
		polled <- ask(t, servers[1], http.MethodGet, path, k.office, "")
	}()
	for servers[0].registry.Watchers() == 0 {
		time.Sleep(time.Millisecond) //nolint:forbidigo // until the poll waits
	}
	tick(t, servers[2], k, 480)
	a := (<-polled).want(t, http.StatusOK)
	if items := a.Data["items"].([]any); len(items) == 0 {
		t.Errorf("the poll ended without an event: %s", a.body)
	}
}

func TestAKeyThatStoodInAURLIsDeadEverywhere(t *testing.T) {
	t.Parallel()
	servers := several(t, 3)
	k := owned(t, servers)
	for _, s := range servers {
		ask(t, s, http.MethodGet, "/v1/sandbox", k.office, "").want(t, http.StatusOK)
	}
	ask(t, servers[1], http.MethodGet, "/v1/sandbox?key="+k.office, "", "").want(t, http.StatusBadRequest)
	for _, s := range servers {
		ask(t, s, http.MethodGet, "/v1/sandbox", k.office, "").want(t, http.StatusUnauthorized)
		ask(t, s, http.MethodGet, "/v1/sandbox", k.factory, "").want(t, http.StatusOK)
	}
}

func TestASandboxThatIsDeletedIsGoneEverywhere(t *testing.T) {
	t.Parallel()
	servers := several(t, 3)
	k := owned(t, servers)
	for _, s := range servers {
		ask(t, s, http.MethodGet, "/v1/sandbox", k.office, "").want(t, http.StatusOK)
	}
	ask(t, servers[2], http.MethodDelete, "/v1/sandbox", k.office, "").want(t, http.StatusOK)
	for _, s := range servers {
		ask(t, s, http.MethodGet, "/v1/sandbox", k.office, "").want(t, http.StatusUnauthorized)
	}
}

// TestTheBudgetOfAKeyIsOneForAllServers.
func TestTheBudgetOfAKeyIsOneForAllServers(t *testing.T) {
	t.Parallel()
	servers := several(t, 3, func(c *config.Config) { c.KeyRate, c.KeyBurst = 1, 12 })
	k := owned(t, servers) // one of them
	passed := 1
	for i := range 20 {
		a := ask(t, servers[i%3], http.MethodGet, "/v1/sandbox", k.office, "")
		if a.status == http.StatusOK {
			passed++
		} else if a.want(t, http.StatusTooManyRequests); a.header.Get("Retry-After") == "" {
			t.Error("a refusal does not say when to come again")
		}
	}
	if passed != 12 {
		t.Errorf("%d requests passed, want 12", passed)
	}
}

// TestPlacesAreHandedOutOnce, wherever clients ask, and a creation that is repeated at
// another server makes nothing.
func TestPlacesAreHandedOutOnce(t *testing.T) {
	t.Parallel()
	servers := several(t, 3, func(c *config.Config) { c.MaxSandboxes = 2 })
	key := strings.Repeat("k", 20)
	create := func(s *Server) *reply {
		return ask(t, s, http.MethodPost, "/v1/sandboxes", "", "{}", "Idempotency-Key", key).want(t, http.StatusCreated)
	}
	first, again := create(servers[0]), create(servers[1])
	if again.body != first.body {
		t.Errorf("repeated at another server it is %s, want %s", again.body, first.body)
	}
	k := newSandbox(t, servers[1], "{}")
	waits := ask(t, servers[2], http.MethodPost, "/v1/sandboxes", "", "{}").want(t, http.StatusAccepted)
	poll := fmt.Sprint(waits.Data["poll"])
	ask(t, servers[1], http.MethodGet, poll, "", "").want(t, http.StatusAccepted)
	ask(t, servers[2], http.MethodDelete, "/v1/sandbox", k.office, "").want(t, http.StatusOK)
	for s := 0; ; s++ {
		a := ask(t, servers[s%3], http.MethodGet, poll, "", "")
		if a.status == http.StatusCreated {
			break
		}
		a.want(t, http.StatusAccepted)
		time.Sleep(50 * time.Millisecond) //nolint:forbidigo // until the server that admits has looked
	}
}

// TestAServerThatStopsLeavesItsSandboxesToOthers, and its place at the door.
func TestAServerThatStopsLeavesItsSandboxesToOthers(t *testing.T) {
	t.Parallel()
	servers := several(t, 3)
	k := owned(t, servers)
	first := tick(t, servers[0], k, 60)
	if err := servers[0].Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range servers[1:] {
		again := tick(t, s, k, 60)
		if again.body != first.body {
			t.Errorf("it replays %s, want %s", again.body, first.body)
		}
		newSandbox(t, s, "{}")
	}
}

// TestAServerWhoseAddressIsGoneIsReplaced: to the others it has ended.
func TestAServerWhoseAddressIsGoneIsReplaced(t *testing.T) {
	t.Parallel()
	servers := several(t, 3)
	k := owned(t, servers)
	if err := servers[0].cluster.http.Close(); err != nil {
		t.Fatal(err)
	}
	moved := tick(t, servers[1], k, 7)
	if moved.Data["advanced_minutes"] != 7.0 {
		t.Errorf("a write that was first sent to it became %s", moved.body)
	}
	made := ask(t, servers[1], http.MethodPost, "/v1/sandboxes", "", `{"preset":"nothing"}`)
	if made.want(t, http.StatusUnprocessableEntity).Error["code"] != "invalid_preset" {
		t.Errorf("a creation that was first sent to it became %s", made.body)
	}
	for _, s := range servers[1:] {
		ask(t, s, http.MethodGet, "/v1/sandbox", k.office, "").want(t, http.StatusOK)
		newSandbox(t, s, "{}")
	}
	if got := servers[1].cluster.node.Figures(); got.Burials != 1 {
		t.Errorf("it buried %d", got.Burials)
	}
}

func TestNobodyButNodesIsServedAtTheirAddress(t *testing.T) {
	t.Parallel()
	servers := several(t, 1)
	k := owned(t, servers)
	for _, path := range []string{"/v1/sandbox", "/node/self", "/node/revoke", "/"} {
		url := "http://" + servers[0].config.NodeAddress + path
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+k.office)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusForbidden {
			t.Errorf("%s is answered with %d", path, res.StatusCode)
		}
	}
}

// TestAnAgentIsServedByAnyServer: its session is in the storage, its calls go to the
// owner of its sandbox.
func TestAnAgentIsServedByAnyServer(t *testing.T) {
	t.Parallel()
	servers := several(t, 3)
	say := func(s *Server, session, message string) *reply {
		headers := []string{"Accept", "application/json, text/event-stream"}
		if session != "" {
			headers = append(headers, "Mcp-Session-Id", session, "MCP-Protocol-Version", "2025-06-18")
		}
		return ask(t, s, http.MethodPost, "/mcp", "", message, headers...)
	}
	begun := say(servers[0], "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{`+
		`"protocolVersion":"2025-06-18","capabilities":{},`+
		`"clientInfo":{"name":"test","version":"1"}}}`).want(t, http.StatusOK)
	session := begun.header.Get("Mcp-Session-Id")
	call := func(s *Server, tool, arguments string) string {
		t.Helper()
		a := say(s, session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+
			arguments+`}}`).want(t, http.StatusOK)
		if !strings.Contains(a.body, `\"data\"`) && !strings.Contains(a.body, `"data"`) {
			t.Fatalf("%s is answered with %s", tool, a.body)
		}
		return a.body
	}
	call(servers[1], "create_sandbox", `{"preset":"manual","clock":"manual","seed":1}`)
	call(servers[2], "advance_time", `{"minutes":480,"view":"full"}`)
	for _, s := range servers {
		if body := call(s, "get_sandbox", `{}`); !strings.Contains(body, "day_number") {
			t.Errorf("get_sandbox is answered with %s", body)
		}
	}
}
