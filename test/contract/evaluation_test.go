package contract

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var gradingKey = regexp.MustCompile(`^lab_grd_[A-Za-z0-9_-]{43}$`)

// judging are the routes that are not for the player of an evaluation, each with a body that
// would do.
var judging = []request{
	{method: "GET", path: "/sandbox/report"},
	{method: "GET", path: "/sandbox/integration"},
	{method: "GET", path: "/sandbox/integration/findings"},
	{method: "GET", path: "/sandbox/integration/findings.csv"},
	{method: "GET", path: "/sandbox/faults"},
	{method: "GET", path: "/sandbox/faults.csv"},
	{method: "POST", path: "/sandbox/faults", body: `{"kind":"storm"}`},
	{method: "GET", path: "/sandbox/triggers"},
	{method: "POST", path: "/sandbox/triggers", body: `{"type":"order"}`},
	{method: "POST", path: "/sandbox/forks"},
	{method: "GET", path: "/sandbox/checkpoints"},
	{method: "GET", path: "/sandbox/checkpoints.csv"},
	{method: "GET", path: "/sandbox/checkpoints/chk_none"},
	{method: "POST", path: "/sandbox/checkpoints", body: `{"label":"mine"}`},
	{method: "DELETE", path: "/sandbox/checkpoints/chk_none"},
	{method: "PATCH", path: "/sandbox", body: `{"clock":"realtime"}`},
	{method: "POST", path: "/sandbox/extend"},
	{method: "DELETE", path: "/sandbox"},
}

func TestAnEvaluationHasAThirdKeyAndOthersHaveNone(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.CREATE", "OPEN.EVAL.KEY")
	for _, body := range []string{
		`{"evaluation":true}`, `{"preset":"manual","evaluation":true,"clock":"manual","seed":3}`,
		`{"preset":"agent_eval"}`, `{"preset":"agent_eval","evaluation":false}`,
		`{"preset":"empty","evaluation":true,"split":"dev"}`,
	} {
		n := shared.create(t, body)
		if !gradingKey.MatchString(n.grading) {
			t.Errorf("%s: the grading key is %q", body, n.grading)
		}
		if n.row("/sandbox")["evaluation"] != true || n.grader().row("/sandbox/report")["evaluation"] != true {
			t.Errorf("%s is no evaluation", body)
		}
	}
	for _, body := range []string{"", `{"evaluation":false}`, `{"preset":"crunch"}`} {
		n := shared.create(t, body)
		if _, there := n.created["grading_key"]; there || n.row("/sandbox")["evaluation"] != false ||
			n.row("/sandbox/report")["evaluation"] != false {
			t.Errorf("%s: made was %v", body, n.created)
		}
	}
}

// TestAnEvaluationThatCannotBeIsNamed: nothing is made then.
func TestAnEvaluationThatCannotBeIsNamed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.CREATE", "OPEN.EVAL.SPLIT", "OPEN.ERR.VALIDATION_FAILED")
	for body, field := range map[string]string{
		`{"evaluation":"true"}`:                      "evaluation",
		`{"evaluation":1}`:                           "evaluation",
		`{"evaluation":null}`:                        "evaluation",
		`{"evaluation":{}}`:                          "evaluation",
		`{"split":"dev"}`:                            "split",
		`{"split":"train"}`:                          "split",
		`{"split":"train","evaluation":false}`:       "split",
		`{"split":"exam","evaluation":true}`:         "split",
		`{"split":"","evaluation":true}`:             "split",
		`{"split":null,"evaluation":true}`:           "split",
		`{"split":["dev"],"evaluation":true}`:        "split",
		`{"split":"TRAIN","evaluation":true}`:        "split",
		`{"split":"test","evaluation":true}`:         "split", // this server has no secret
		`{"split":"test","preset":"agent_eval"}`:     "split",
		`{"evaluation":true,"grading_key":"lab_x"}`:  "grading_key",
		`{"evaluation":true,"world":1}`:              "world",
		`{"split":"dev","preset":"crunch","seed":1}`: "split",
	} {
		a := shared.send(t, request{method: "POST", path: "/sandboxes", body: body}).
			want(http.StatusUnprocessableEntity, "validation_failed")
		if fields := badFields(a); !slices.Equal(fields, []string{field}) {
			t.Errorf("%s: named are %v", body, fields)
		}
	}
	for _, twice := range []string{
		`{"evaluation":true,"evaluation":true}`, `{"evaluation":true,"split":"dev","split":"dev"}`,
	} {
		shared.send(t, request{method: "POST", path: "/sandboxes", body: twice}).
			want(http.StatusBadRequest, "invalid_json")
	}
}

// TestTheGradingKeyIsReplayedAsTheOthersAre, to the byte.
func TestTheGradingKeyIsReplayedAsTheOthersAre(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.KEY", "OPEN.IDEM.CREATION")
	order := request{method: "POST", path: "/sandboxes", body: `{"evaluation":true,"seed":9}`,
		headers: []string{"Idempotency-Key", "an evaluation of " + freshKey() + time.Now().String()}}
	order.headers[1] = order.headers[1][:40]
	first := shared.send(t, order).want(http.StatusCreated, "")
	again := shared.send(t, order).want(http.StatusCreated, "")
	if again.Header.Get("Idempotency-Replayed") != "true" || !bytes.Equal(first.Raw, again.Raw) ||
		!gradingKey.MatchString(text(again.Data(), "grading_key")) {
		t.Errorf("the replay is %s, the first was %s", again.Raw, first.Raw)
	}
}

// TestThePlayerOfAnEvaluationIsKeptFromWhatJudgesIt, with either key, in any preset, and
// nothing comes of the attempt.
func TestThePlayerOfAnEvaluationIsKeptFromWhatJudgesIt(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.PLAYER", "OPEN.ERR.NOT_IN_EVALUATION", "OPEN.FORK.EVALUATION", "OPEN.FAULT.EVALUATION",
		"OPEN.TRIGGER.EVALUATION", "OPEN.INTEGRATION.EVALUATION")
	for _, body := range []string{
		`{"evaluation":true,"clock":"manual","faults":{"plan":"light"}}`, `{"preset":"manual","evaluation":true}`,
		`{"preset":"agent_eval"}`,
	} {
		n := shared.create(t, body)
		n.row("/sandbox") // its clock runs from here on
		before := n.grader().row("/sandbox")
		hash, checkpoints := n.stateHash(), len(n.grader().all("/sandbox/checkpoints"))
		for _, r := range judging {
			for _, key := range []string{n.office, n.factory} {
				for _, with := range []string{r.body, "nonsense"} {
					tried := r
					if tried.key = key; r.method != "GET" {
						tried.body = with
					}
					n.send(t, tried).want(http.StatusForbidden, "not_in_evaluation")
				}
			}
		}
		after := n.grader().row("/sandbox")
		for _, same := range []string{"status", "assisted", "extensions_left", "expires_at", "faults"} {
			if encode(t, before[same]) != encode(t, after[same]) {
				t.Errorf("%s: %s went from %v to %v", body, same, before[same], after[same])
			}
		}
		if child(t, before, "clock")["mode"] != child(t, after, "clock")["mode"] ||
			len(n.grader().all("/sandbox/checkpoints")) != checkpoints {
			t.Errorf("%s: from %v to %v", body, before, after)
		}
		if child(t, after, "clock")["mode"] == "manual" && n.stateHash() != hash {
			t.Errorf("%s: the company is another one", body)
		}
	}
}

// TestTheGradingKeyDoesWhatThePlayerMayNot, and the fork that it makes is an evaluation.
func TestTheGradingKeyDoesWhatThePlayerMayNot(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.GRADER", "OPEN.EVAL.CREATE", "OPEN.EVAL.KEY", "OPEN.FORK.EVALUATION")
	n := shared.create(t, `{"preset":"manual","evaluation":true,"seed":77,"clock":"manual","faults":{"plan":"light"}}`)
	g := n.grader()
	s := g.row("/sandbox")
	if number(t, s, "seed") != 77 || s["split"] != "train" || child(t, s, "faults")["plan"] != "light" {
		t.Errorf("the grader sees %v", s)
	}
	agrees(t, "the report", g.row("/sandbox/report"), object{"seed": 77, "split": "train"})
	g.row("/sandbox/integration")
	for _, list := range []string{"/sandbox/integration/findings", "/sandbox/faults", "/sandbox/checkpoints",
		"/missions", "/requests", "/events", "/sandbox/achievements", "/sandbox/lore-events", "/sandbox/major-orders"} {
		g.all(list)
	}
	g.row("/sandbox/triggers")
	g.row("/sandbox/series")
	g.get("/events/poll?after_seq=0").want(http.StatusOK, "")
	g.tick(30)
	named := g.names("here")
	g.post("/sandbox/faults", `{"kind":"response_lost"}`).want(http.StatusOK, "")
	if d := g.patch("/sandbox", `{"clock":"realtime"}`).want(http.StatusOK, "").Data(); number(t, d, "seed") != 77 {
		t.Errorf("changed, it is %v", d)
	}
	g.patch("/sandbox", `{"clock":"manual"}`).want(http.StatusOK, "")
	g.post("/sandbox/extend", "").want(http.StatusConflict, "extension_not_yet")
	fork := g.fork(encode(t, object{"checkpoint": named["id"]}))
	if !gradingKey.MatchString(fork.grading) || fork.grading == n.grading || fork.office == n.office {
		t.Errorf("the fork has %v", fork.created)
	}
	if f := fork.grader().row("/sandbox"); number(t, f, "seed") != 77 || f["evaluation"] != true {
		t.Errorf("the fork is %v", f)
	}
	fork.asks("").want(http.StatusForbidden, "not_in_evaluation")
	if fork.row("/sandbox")["seed"] != nil {
		t.Error("the player of the fork sees its seed")
	}
	g.post("/sandbox/triggers", `{"type":"order"}`).want(http.StatusOK, "")
	if g.row("/sandbox")["assisted"] != true {
		t.Error("the trigger of a grader left no mark")
	}
	g.call("DELETE", "/sandbox/checkpoints/"+text(named, "id"), "").want(http.StatusOK, "")
	g.call("DELETE", "/sandbox", "").want(http.StatusOK, "")
	for _, key := range []string{n.office, n.factory, n.grading} {
		n.send(t, request{method: "GET", path: "/sandbox", key: key}).want(http.StatusUnauthorized, "unauthorized")
	}
}

// TestTheGradingKeyOpensNothingThatIsPlayed, and says which key does; in the alias header,
// too.
func TestTheGradingKeyOpensNothingThatIsPlayed(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.GRADER", "AUTH.WRONG_SYSTEM", "ERR.WRONG_SYSTEM")
	n := shared.create(t, `{"evaluation":true,"clock":"manual"}`)
	opened := 0
	for _, o := range slices.Concat(n.judge.operations, n.judge.tables) {
		path := strings.NewReplacer("{id}", "x", "{delivery_id}", "y").Replace(o.path)
		var hint string
		switch {
		case strings.HasPrefix(path, "/office/"):
			hint = "lab_off_"
		case strings.HasPrefix(path, "/factory/"):
			hint = "lab_fac_"
		case strings.HasPrefix(path, "/webhooks"):
			hint = "lab_off_ or lab_fac_"
		default:
			opened++
			continue
		}
		r := request{method: o.method, path: path, key: n.grading}
		if o.method != "GET" {
			r.body = `{}`
		}
		if opened%2 == 1 {
			r.headers, r.key = []string{"X-Api-Key", n.grading}, ""
		}
		a := n.send(t, r).want(http.StatusForbidden, "wrong_system")
		if got := text(a.Failure(), "hint"); !strings.Contains(got, hint) {
			t.Errorf("%s %s: the hint is %q, want %s in it", o.method, o.path, got, hint)
		}
	}
	n.send(t, request{method: "GET", path: "/sandbox", headers: []string{"X-Api-Key", n.grading}}).
		want(http.StatusOK, "")
	for _, forged := range []string{
		"lab_grd_" + strings.Repeat("A", 43), "lab_grd_" + n.office[8:], "lab_off_" + n.grading[8:], n.grading + "x",
		n.grading[:50], "LAB_GRD_" + n.grading[8:],
	} {
		n.send(t, request{method: "GET", path: "/sandbox", key: forged}).want(http.StatusUnauthorized, "unauthorized")
	}
	m := shared.create(t, "")
	n.send(t, request{method: "GET", path: "/office/cash", key: m.office}).want(http.StatusOK, "")
}

// TestTheSeedIsInNothingThatAPlayerIsSent: every operation is tried with both keys.
func TestTheSeedIsInNothingThatAPlayerIsSent(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.SEED", "OPEN.CREATE.SEED", "OPEN.SANDBOX.FIELDS.FAULTS")
	const seed, faultSeed = "8765432109876543", "7654321098765431"
	n := shared.create(t, `{"preset":"starter","evaluation":true,"split":"dev","clock":"manual","seed":`+seed+
		`,"faults":{"rules":[{"kind":"webhook_late","share":0.5}],"seed":`+faultSeed+`}}`)
	secrets := []string{seed, faultSeed, fmt.Sprintf("%x", 8765432109876543), `"dev"`}
	look := func(what string, header http.Header, body []byte) {
		t.Helper()
		for _, secret := range secrets {
			if bytes.Contains(body, []byte(secret)) || strings.Contains(fmt.Sprint(header), secret) {
				t.Errorf("%s tells %s: %v %s", what, secret, header, body)
			}
		}
	}
	n.works()
	ids := []string{"x"}
	for _, list := range []string{"/office/sales-orders", "/factory/work-orders", "/events", "/missions"} {
		for _, row := range n.all(list) {
			ids = append(ids, text(row, "id"))
			break
		}
	}
	hook := n.post("/webhooks", `{"url":"http://127.0.0.1:9/none","events":["*"]}`)
	look("a webhook", hook.Header, hook.Raw)
	tried := 0
	for _, o := range slices.Concat(n.judge.operations, n.judge.tables) {
		if strings.HasPrefix(o.path, "/sandboxes") || strings.HasPrefix(o.path, "/queue") {
			continue
		}
		for _, id := range ids {
			for _, key := range []string{n.office, n.factory} {
				path := strings.NewReplacer("{id}", id, "{delivery_id}", "y").Replace(o.path)
				r := request{method: o.method, path: path, key: key}
				if o.method != "GET" {
					r.body, r.headers = `{}`, []string{"Idempotency-Key", freshKey()}
				}
				a := n.send(t, r)
				look(o.id, a.Header, a.Raw)
				tried++
			}
			if !strings.Contains(o.path, "{id}") {
				break
			}
		}
	}
	if tried < 200 {
		t.Errorf("%d requests were tried", tried)
	}
	s := n.row("/sandbox")
	for _, hidden := range []string{"seed", "split", "faults"} {
		if value, there := s[hidden]; !there || value != nil {
			t.Errorf("the player sees %s: %v", hidden, value)
		}
	}
	for _, e := range n.feed(0) {
		look("an event", nil, []byte(encode(t, e)))
	}
	for _, path := range []string{"/console/data/state", "/console/data/score", "/console/data/faults"} {
		header, body := n.watches(path, n.office)
		look(path, header, body)
	}
	a := shared.agent(t, n.office)
	for _, operation := range []string{"get_sandbox", "get_report", "list_faults", "get_integration", "list_requests"} {
		told, _ := a.tool("call_operation", `{"operation":"`+operation+`"}`)
		look(operation, nil, []byte(encode(t, told)))
	}
	if g := n.grader().row("/sandbox"); encode(t, g["seed"]) != seed || g["split"] != "dev" {
		t.Errorf("the grader sees %v", g)
	}
}

// watches reads what the console shows.
func (n *tenant) watches(path, key string) (http.Header, []byte) {
	n.t.Helper()
	r, err := http.NewRequestWithContext(n.t.Context(), http.MethodGet, n.Origin+path, http.NoBody)
	if err != nil {
		n.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	response, err := n.web().Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return response.Header, body
}

// TestReadingWithTheGradingKeyLeavesNoTrace: no mission, no fault, no clock that starts, no
// row of a request, and no change of the company.
func TestReadingWithTheGradingKeyLeavesNoTrace(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.TRACE")
	waits := shared.create(t, `{"preset":"starter","evaluation":true}`)
	waits.grader().row("/sandbox")
	waits.grader().row("/sandbox/report")
	if !waits.waiting() {
		t.Error("a grader has started the clock")
	}
	n := shared.create(t, `{"preset":"manual","evaluation":true,"clock":"manual","seed":5,"faults":{"rules":[
		{"kind":"request_lost","share":1},{"kind":"storm","share":1}]}}`)
	g := n.grader()
	hash, before := n.stateHash(), g.newest()
	for range 12 {
		for _, path := range []string{"/sandbox", "/sandbox/report", "/sandbox/integration",
			"/sandbox/integration/findings", "/sandbox/faults", "/events?limit=50", "/missions", "/requests",
			"/sandbox/series", "/sandbox/checkpoints"} {
			g.get(path).want(http.StatusOK, "")
		}
	}
	g.get("/events/none").want(http.StatusNotFound, "not_found")
	g.get("/office/cash").want(http.StatusForbidden, "wrong_system")
	if n.stateHash() != hash || g.newest() != before {
		t.Error("reading has changed the company")
	}
	if calls := g.all("/requests"); len(calls) > 0 {
		t.Errorf("the player has sent %v", calls)
	}
	if hits := g.all("/sandbox/faults"); len(hits) > 0 {
		t.Errorf("a grader met %v", hits)
	}
	agrees(t, "the manners", child(t, g.row("/sandbox/integration"), "manners"),
		object{"requests": 0, "early": 0, "writes_refused": 0, "unchanged_reads": 0})
	for _, m := range g.all("/missions") {
		if m["status"] == "completed" {
			t.Errorf("a grader completed %v", m["id"])
		}
	}
	agrees(t, "the writes", child(t, g.row("/sandbox/report"), "writes"),
		object{"accepted": 0, "refused": 0, "replayed": 0})
}

// TestThePlayerSeesNothingOfThePreparation: no request from before the first checkpoint of its grader, in the list, by
// its id or in the console, and no trigger. The grader sees all, and a later checkpoint hides no more.
func TestThePlayerSeesNothingOfThePreparation(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.REQUESTS", "OPEN.EVAL.SEED", "OPEN.TRIGGER.ASSISTED")
	n := shared.create(t, `{"preset":"starter","evaluation":true,"clock":"manual"}`)
	g := n.grader()
	order := g.pulls(object{"type": "order"})
	n.accept(text(order, "id"))
	made := n.all("/requests")
	if len(made) == 0 {
		t.Fatal("before it is handed over the player sees no request")
	}
	tag := n.get("/requests").Header.Get("ETag")
	g.post("/sandbox/checkpoints", `{"label":"handed over"}`).want(http.StatusCreated, "")
	n.send(t, request{method: "GET", path: "/requests", key: n.office, headers: []string{"If-None-Match", tag}}).
		want(http.StatusOK, "")
	if left := n.all("/requests"); len(left) > 0 {
		t.Errorf("the player sees %v", left)
	}
	hidden := "/requests/" + text(made[0], "id")
	n.get(hidden).want(http.StatusNotFound, "not_found")
	if _, body := n.watches("/console/data/state", n.office); bytes.Contains(body, []byte(text(made[0], "id"))) {
		t.Error("the console shows the request")
	} else if bytes.Contains(body, []byte("handed over")) {
		t.Error("the console shows the checkpoint")
	}
	if s := n.row("/sandbox"); s["assisted"] != false {
		t.Errorf("the player sees assisted: %v", s["assisted"])
	}
	n.get("/office/cash").want(http.StatusOK, "")
	g.post("/sandbox/checkpoints", `{"label":"later"}`).want(http.StatusCreated, "")
	asked := func(r object) bool { return r["path"] == "/v1/office/cash" }
	if rows := n.all("/requests"); !slices.ContainsFunc(rows, asked) {
		t.Errorf("of its own requests the player sees %v", rows)
	}
	g.get(hidden).want(http.StatusOK, "")
	if s := g.row("/sandbox"); s["assisted"] != true {
		t.Errorf("the grader sees assisted: %v", s["assisted"])
	}
}

// TestAGradingKeyInAURLIsRevoked, alone, and the sandbox stays an evaluation.
func TestAGradingKeyInAURLIsRevoked(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.KEY", "AUTH.KEY_IN_URL", "AUTH.KEY_IN_URL.REVOKED")
	n := shared.create(t, `{"evaluation":true}`)
	n.send(t, request{method: "GET", path: "/sandbox?key=" + n.grading}).want(http.StatusBadRequest, "key_in_url")
	n.send(t, request{method: "GET", path: "/sandbox", key: n.grading}).want(http.StatusUnauthorized, "unauthorized")
	if s := n.row("/sandbox"); s["evaluation"] != true || s["seed"] != nil {
		t.Errorf("without its grading key it is %v", s)
	}
	n.asks("").want(http.StatusForbidden, "not_in_evaluation")
	n.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(http.StatusOK, "")
}

// TestTheGradingKeyHasABudgetOfItsOwn, which the player cannot use up, nor the other way
// round.
func TestTheGradingKeyHasABudgetOfItsOwn(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.BUDGET")
	s := serve(t, map[string]string{"key-rate": "1", "key-burst": "5"})
	n := s.create(t, `{"evaluation":true,"clock":"manual"}`)
	for range 6 {
		n.send(t, request{method: "GET", path: "/sandbox", key: n.office})
	}
	n.send(t, request{method: "GET", path: "/sandbox", key: n.office}).want(http.StatusTooManyRequests, "rate_limited")
	for range 5 {
		n.send(t, request{method: "GET", path: "/sandbox", key: n.grading}).want(http.StatusOK, "")
	}
	n.send(t, request{method: "GET", path: "/sandbox", key: n.grading}).want(http.StatusTooManyRequests, "rate_limited")
	n.send(t, request{method: "GET", path: "/sandbox", key: n.factory}).want(http.StatusOK, "")
}

// TestASeedCountsAnotherWorldInEachSplit.
func TestASeedCountsAnotherWorldInEachSplit(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.EVAL.SPLIT")
	hashes := map[string]string{}
	for _, split := range []string{`"train"`, `"dev"`} {
		n := shared.create(t, `{"preset":"agent_eval","seed":12,"split":`+split+`}`)
		n.day()
		again := shared.create(t, `{"preset":"agent_eval","seed":12,"split":`+split+`}`)
		again.day()
		hashes[split] = n.stateHash()
		if again.stateHash() != hashes[split] {
			t.Errorf("the world of %s is another one the second time", split)
		}
	}
	first := shared.create(t, `{"preset":"agent_eval","seed":12}`)
	if first.day(); hashes[`"train"`] != first.stateHash() {
		t.Error("a seed without a split is not of train")
	}
}
