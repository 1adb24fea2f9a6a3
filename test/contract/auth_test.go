package contract

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var (
	officeKey  = regexp.MustCompile(`^lab_off_[A-Za-z0-9_-]{43}$`)
	factoryKey = regexp.MustCompile(`^lab_fac_[A-Za-z0-9_-]{43}$`)
)

// concrete is a path of an operation with an id that does not exist.
func (o *documented) concrete() string { return strings.ReplaceAll(o.path, "{id}", "x_0") }

func TestEachSystemTakesOnlyItsOwnKey(t *testing.T) {
	t.Parallel()
	rows(t, "SVC.TWO_SYSTEMS", "AUTH.OFFICE_ONLY", "AUTH.FACTORY_ONLY", "AUTH.WRONG_SYSTEM", "ERR.WRONG_SYSTEM")
	n := shared.create(t, "")
	tried := 0
	for i := range n.judge.operations {
		o := &n.judge.operations[i]
		wrong, prefix := n.office, "lab_fac_"
		switch {
		case strings.HasPrefix(o.path, "/factory/"):
		case strings.HasPrefix(o.path, "/office/"):
			wrong, prefix = n.factory, "lab_off_"
		default:
			continue
		}
		a := n.send(t, request{method: o.method, path: o.concrete(), key: wrong}).
			want(http.StatusForbidden, "wrong_system")
		if hint := text(a.Failure(), "hint"); !strings.Contains(hint, prefix) {
			t.Errorf("%s: the hint %q does not name %s", a.asked, hint, prefix)
		}
		if right := n.call(o.method, o.concrete(), ""); right.Status == http.StatusForbidden ||
			right.Status == http.StatusUnauthorized {
			t.Errorf("%s: the right key is answered %d", right.asked, right.Status)
		}
		tried++
	}
	if tried < 30 {
		t.Errorf("only %d operations were tried", tried)
	}
}

func TestSharedRoutesTakeEitherKey(t *testing.T) {
	t.Parallel()
	rows(t, "SVC.SHARED", "AUTH.EITHER")
	n := shared.create(t, `{"clock":"manual"}`)
	for _, key := range []string{n.office, n.factory} { // let both reads complete what missions they can
		n.send(t, request{method: "GET", path: "/missions", key: key}).want(200, "")
	}
	for _, path := range []string{"/missions", "/missions/first_call", "/events"} {
		office := n.send(t, request{method: "GET", path: path, key: n.office}).want(200, "")
		factory := n.send(t, request{method: "GET", path: path, key: n.factory}).want(200, "")
		if office.rawData() != factory.rawData() {
			t.Errorf("%s: the two keys read different data", path)
		}
	}
	for _, key := range []string{n.office, n.factory} {
		if got := n.send(t, request{method: "GET", path: "/sandbox", key: key}).
			want(200, "").Data(); text(got, "sandbox_id") != n.id {
			t.Errorf("/sandbox is of %v, want %s", got["sandbox_id"], n.id)
		}
	}
	n.tick(1)
	n.send(t, request{method: "POST", path: "/sandbox/tick", key: n.factory, body: `{"minutes":1}`}).want(200, "")
}

func TestAKeyIsWantedEverywhereButAtCreationAndInTheQueue(t *testing.T) {
	t.Parallel()
	rows(t, "AUTH.REQUIRED", "ERR.UNAUTHORIZED", "OPEN.HTTP.WWW_AUTHENTICATE", "SBX.CREATE")
	for i := range shared.judge.operations {
		o := &shared.judge.operations[i]
		a := shared.send(t, request{method: o.method, path: o.concrete()})
		switch o.path {
		case "/sandboxes":
			a.want(http.StatusCreated, "")
		case "/queue/{id}":
			a.want(http.StatusNotFound, "ticket_not_found")
		default:
			a.want(http.StatusUnauthorized, "unauthorized")
		}
	}
}

func TestKeysTravelInEitherHeader(t *testing.T) {
	t.Parallel()
	rows(t, "AUTH.BEARER", "AUTH.X_API_KEY", "AUTH.BEARER_WINS")
	n, other := shared.create(t, ""), shared.create(t, "")
	unknown := "lab_off_" + strings.Repeat("A", 43)
	for name, c := range map[string]struct {
		key, alias string
		want       string // the sandbox that is read, "" for none
	}{
		"bearer":                       {n.office, "", n.id},
		"alias":                        {"", n.office, n.id},
		"both":                         {n.office, other.office, n.id},
		"an unknown bearer":            {unknown, n.office, ""},
		"an unknown alias":             {n.office, unknown, n.id},
		"an alias of the other system": {n.office, n.factory, n.id},
	} {
		a := n.send(t, request{method: "GET", path: "/sandbox", key: c.key, headers: []string{"X-Api-Key", c.alias}})
		if c.want == "" {
			a.want(http.StatusUnauthorized, "unauthorized")
		} else if got := text(a.want(200, "").Data(), "sandbox_id"); got != c.want {
			t.Errorf("%s: read %s, want %s", name, got, c.want)
		}
	}
}

func TestKeysHaveTheirShapeAndAreShownOnce(t *testing.T) {
	t.Parallel()
	// That no other answer holds a key is checked on every answer of the suite.
	rows(t, "AUTH.KEY.OFFICE", "AUTH.KEY.FACTORY", "AUTH.SHOWN_ONCE", "SBX.CREATE.KEYS", "SBX.CREATE.FACTORY_KEY",
		"SBX.CREATE.OFFICE_KEY")
	seen := map[string]bool{}
	for range 5 {
		n := shared.create(t, "")
		if !officeKey.MatchString(n.office) || !factoryKey.MatchString(n.factory) {
			t.Errorf("the keys are %q and %q", n.office, n.factory)
		}
		if seen[n.office] || seen[n.factory] || n.office[8:] == n.factory[8:] {
			t.Error("a key was given out twice")
		}
		seen[n.office], seen[n.factory] = true, true
		n.row("/sandbox")
		n.feed(0)
	}
}

func TestKeysThatDoNotWorkAreToldNothing(t *testing.T) {
	t.Parallel()
	rows(t, "AUTH.INVALID", "OPEN.HTTP.ONE_401", "ERR.UNAUTHORIZED")
	n := shared.create(t, "")
	last := byte('A')
	if n.office[len(n.office)-1] == last {
		last = 'Q'
	}
	first := shared.send(t, request{method: "GET", path: "/sandbox", key: "lab_off_" + strings.Repeat("A", 43)}).
		want(401, "unauthorized")
	for _, key := range []string{
		"lab_fac_" + strings.Repeat("b", 43), "nonsense", "lab_off_short", n.office[:len(n.office)-1] + string(last),
		n.office + "A", strings.ToUpper(n.office), "lab_fac_" + n.office[8:],
	} {
		for _, asked := range [][2]string{
			{"GET", "/sandbox"}, {"GET", "/office/cash"}, {"GET", "/office/nothing"}, {"DELETE", "/office/cash"},
			{"GET", "/office//cash"},
		} {
			a := shared.send(t, request{method: asked[0], path: asked[1], key: key}).want(401, "unauthorized")
			if got, want := encode(t, a.Failure()), encode(t, first.Failure()); got != want {
				t.Errorf("%.12s…: %s, but an unknown key gets %s", key, got, want)
			}
		}
	}
}

func TestBrowsersOfOtherOriginsAreNotServed(t *testing.T) {
	t.Parallel()
	// That no answer has an Access-Control header is checked on every answer.
	rows(t, "AUTH.NO_CORS", "OPEN.HTTP.OPTIONS")
	n := shared.create(t, "")
	paths := []string{"/nothing", "/office/sales-orders.csv", "/office"}
	for i := range n.judge.operations {
		paths = append(paths, n.judge.operations[i].concrete())
	}
	for _, path := range paths {
		for _, headers := range [][]string{
			{"Origin", "https://elsewhere.test", "Access-Control-Request-Method", "GET",
				"Access-Control-Request-Headers", "authorization"},
			{"Origin", n.Origin},
			nil,
		} {
			n.send(t, request{method: "OPTIONS", path: path, headers: headers}).want(401, "unauthorized")
			n.send(t, request{method: "OPTIONS", path: path, key: n.keyFor(path), headers: headers}).
				want(401, "unauthorized")
		}
	}
	n.get("/sandbox", "Origin", "https://elsewhere.test").want(200, "")
}

func TestCreationDoesNotLookAtKeys(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.AUTH.KEY_IGNORED")
	n := shared.create(t, "")
	for _, key := range []string{"nonsense", n.office, n.factory, "lab_off_" + strings.Repeat("A", 43)} {
		a := shared.send(t, request{method: "POST", path: "/sandboxes", key: key, headers: []string{"X-Api-Key", key}}).
			want(201, "")
		if text(a.Data(), "sandbox_id") == n.id {
			t.Errorf("with a key of it, creation gave the sandbox %s again", n.id)
		}
	}
}

// TestAKeyInAnotherSchemeIsNamedWithoutTheKey: curl -u and the forms of other services, also for agents, whose call
// is not told that there is no sandbox as if it had sent nothing.
func TestAKeyInAnotherSchemeIsNamedWithoutTheKey(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.AUTH.SCHEME")
	n := shared.create(t, "")
	agent := shared.agent(t, "")
	basic := base64.StdEncoding.EncodeToString([]byte(n.office + ":"))
	for sent, named := range map[string]string{
		"Basic " + basic: "scheme Basic", "bAsIc " + basic: "scheme Basic", "Token " + n.office: "scheme Token",
		"ApiKey " + n.office: "scheme ApiKey", n.office: "without a scheme", basic: "without a scheme",
		n.office + " " + n.factory: "another scheme", "Bearer:" + n.office: "no space and key follow",
		"Bearer": "no space and key follow", "Bearer\t" + n.office: "no space and key follow",
	} {
		a := shared.send(t, request{method: "GET", path: "/sandbox", headers: []string{"Authorization", sent}}).
			want(http.StatusUnauthorized, "unauthorized")
		called := agent.rpc("tools/call", `{"name":"get_sandbox","arguments":{}}`, "Authorization", sent)
		for door, said := range map[string]string{"the API": string(a.Raw), "agents": string(called.Raw)} {
			if !strings.Contains(said, named) || !strings.Contains(said, "Send Authorization: Bearer") {
				t.Errorf("%q: %s are told %s, without %q", sent, door, said, named)
			}
			if strings.Contains(said, n.office) || strings.Contains(said, n.factory) || strings.Contains(said, basic) {
				t.Errorf("%q: the key is repeated: %s", sent, said)
			}
		}
		shared.send(t, request{method: "GET", path: "/sandbox", headers: []string{
			"Authorization", sent, "X-Api-Key", n.factory,
		}}).want(http.StatusOK, "")
	}
	for _, scheme := range []string{"Bearer ", "bearer ", "BEARER  "} {
		shared.send(t, request{method: "GET", path: "/sandbox", headers: []string{"Authorization", scheme + n.office}}).
			want(http.StatusOK, "")
	}
	plain := shared.send(t, request{method: "GET", path: "/sandbox"}).want(http.StatusUnauthorized, "unauthorized")
	if said := string(plain.Raw); strings.Contains(said, "scheme") || strings.Contains(said, "Authorization came") {
		t.Errorf("without the header, the response is %s", said)
	}
}
