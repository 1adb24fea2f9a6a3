package contract

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"platen/test/testclient"
)

// archiveForm has the members that HAR 1.2 requires, by the path of the object, each with a value of its type.
var archiveForm = map[string]object{
	"log":         {"version": "", "creator": object{}, "entries": []any{}},
	"log.creator": {"name": "", "version": ""},
	"entry": {
		"startedDateTime": "", "time": 0.0, "request": object{}, "response": object{}, "cache": object{},
		"timings": object{},
	},
	"request": {
		"method": "", "url": "", "httpVersion": "", "cookies": []any{}, "headers": []any{}, "queryString": []any{},
		"headersSize": 0.0, "bodySize": 0.0,
	},
	"response": {
		"status": 0.0, "statusText": "", "httpVersion": "", "cookies": []any{}, "headers": []any{},
		"content": object{}, "redirectURL": "", "headersSize": 0.0, "bodySize": 0.0,
	},
	"queryString": {"name": "", "value": ""},
	"postData":    {"mimeType": ""},
	"content":     {"size": 0.0, "mimeType": ""},
	"timings":     {"send": 0.0, "wait": 0.0, "receive": 0.0},
}

// formed checks that an object has the members that HAR requires of it.
func formed(t testing.TB, name string, o object) {
	t.Helper()
	for member, like := range archiveForm[name] {
		value, there := o[member]
		same := there
		switch like.(type) {
		case string:
			_, same = value.(string)
		case []any:
			_, same = value.([]any)
		case object:
			_, same = value.(object)
		case float64:
			number(t, o, member)
		}
		if !same {
			t.Errorf("%s.%s is %v", name, member, value)
		}
	}
}

// archive reads the requests of a sandbox as an HTTP Archive, whose form it checks.
func (n *tenant) archive(key string) []object {
	n.t.Helper()
	a := n.send(n.t, request{method: "GET", path: "/requests.har", key: key}).want(http.StatusOK, "")
	if disposition := a.Header.Get("Content-Disposition"); disposition != `attachment; filename="requests.har"` {
		n.t.Errorf("it is saved as %s", disposition)
	}
	whole, err := testclient.Decode(a.Raw)
	if err != nil {
		n.t.Fatal(err)
	}
	log := child(n.t, whole.(object), "log")
	formed(n.t, "log", log)
	formed(n.t, "log.creator", child(n.t, log, "creator"))
	if log["version"] != "1.2" {
		n.t.Errorf("it is HAR %v", log["version"])
	}
	entries := children(n.t, log, "entries")
	for _, e := range entries {
		formed(n.t, "entry", e)
		sent, got := child(n.t, e, "request"), child(n.t, e, "response")
		formed(n.t, "request", sent)
		formed(n.t, "response", got)
		formed(n.t, "content", child(n.t, got, "content"))
		formed(n.t, "timings", child(n.t, e, "timings"))
		if sent["postData"] != nil {
			formed(n.t, "postData", child(n.t, sent, "postData"))
		}
		for _, q := range children(n.t, sent, "queryString") {
			formed(n.t, "queryString", q)
		}
		if u, err := url.Parse(text(sent, "url")); err != nil || !strings.HasPrefix(u.String(), n.BaseURL+"/") {
			n.t.Errorf("the URL %q: %v", sent["url"], err)
		}
		if _, err := time.Parse(time.RFC3339Nano, text(e, "startedDateTime")); err != nil {
			n.t.Error(err)
		}
		if len(sent["headers"].([]any))+len(got["headers"].([]any)) > 0 || number(n.t, sent, "headersSize") != -1 {
			n.t.Errorf("an entry has headers: %v", e)
		}
	}
	return entries
}

func TestRequestsAreAnHTTPArchive(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.HAR", "OPEN.REQUEST.BODIES", "OPEN.REQUEST.SECRETS")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`)
	body := `{"sku":"prd_notebook","quantity":1000001}`
	rejected := n.post("/factory/work-orders", body).want(http.StatusUnprocessableEntity, "validation_failed")
	read := n.get("/office/sales-orders?limit=2&status=received").want(http.StatusOK, "")
	n.get("/office/" + strings.Repeat("%C3%A9", 60) + "?a=%zz&b=lab_off_" + strings.Repeat("x", 43) + "|\"")
	cut := n.post("/office/requisitions", `{"lines":[],"reference":"`+strings.Repeat("x", 9000)+`"}`)
	n.get("/office/cash.csv")
	hook := n.subscribe("https://hooks.example.com/platen", `"*"`)
	if entries := n.archive(n.office); len(entries) != len(n.all("/requests")) {
		t.Errorf("the archive has %d requests, the list %d", len(entries), len(n.all("/requests")))
	}
	entry := func(key string, of *answer) (sent, got, whole object) {
		t.Helper()
		whole = one(t, n.archive(key), "_request_id", text(of.Meta(), "request_id"))
		return child(t, whole, "request"), child(t, whole, "response"), whole
	}

	sent, got, whole := entry(n.factory, rejected)
	agrees(t, "the request", sent, object{"method": "POST", "url": n.BaseURL + "/factory/work-orders"})
	agrees(t, "its data", child(t, sent, "postData"), object{"mimeType": "application/json", "text": body})
	agrees(t, "its response", got, object{"status": 422, "statusText": "Unprocessable Entity"})
	agrees(t, "its content", child(t, got, "content"), object{
		"mimeType": "application/json", "text": string(rejected.Raw), "size": len(rejected.Raw),
	})
	agrees(t, "the entry", whole, object{"_system": "factory"})

	// To the other key nothing of it is shown.
	sent, got, whole = entry(n.office, rejected)
	if sent["postData"] != nil || child(t, got, "content")["text"] != nil || text(whole, "comment") == "" {
		t.Errorf("the other key is shown %v", whole)
	}
	sent, _, _ = entry(n.office, read)
	if queries := children(t, sent, "queryString"); len(queries) != 2 || queries[1]["value"] != "received" {
		t.Errorf("the query is %v", queries)
	}
	sent, _, _ = entry(n.office, cut)
	data := child(t, sent, "postData")
	if len(text(data, "text")) != 4096 || !strings.Contains(text(data, "comment"), "4096 of 90") {
		t.Errorf("a long body is %v", data)
	}
	for query, comment := range map[string]string{
		strings.Repeat("&", 300): "100 of 301 arguments", "q=" + strings.Repeat("x", 3000): "2048 of 3002 bytes",
	} {
		sent, _, whole = entry(n.office, n.get("/office/nothing?"+query))
		if arguments := children(t, sent, "queryString"); len(arguments) > 100 ||
			!strings.Contains(text(whole, "comment"), comment) {
			t.Errorf("of a long query string there are %d arguments, and the comment %q", len(arguments),
				whole["comment"])
		}
	}
	for _, e := range n.archive(n.office) {
		sent := child(t, e, "request")
		if path := text(sent, "url"); strings.HasSuffix(path, "/webhooks") {
			data := child(t, sent, "postData")
			if data["text"] != nil || text(data, "comment") == "" {
				t.Errorf("the body about %v is %v", hook["id"], data)
			}
		}
	}
	all := string(n.send(t, request{method: "GET", path: "/requests.har", key: n.office}).Raw)
	if strings.Contains(all, "lab_off_") || strings.Contains(all, "hooks.example.com/platen") {
		t.Error("a secret is in the archive")
	}
}

func TestAnArchiveHasNoParametersAndATag(t *testing.T) {
	t.Parallel()
	rows(t, "OPEN.REQUEST.HAR")
	n := shared.create(t, `{"preset":"manual","clock":"manual"}`).greet()
	n.get("/requests.har?limit=1").want(http.StatusBadRequest, "invalid_parameter")
	n.call("POST", "/requests.har", "").want(http.StatusMethodNotAllowed, "method_not_allowed")
	first := n.get("/requests.har", "Accept", "text/html").want(http.StatusOK, "").Header.Get("ETag")
	n.get("/requests.har", "If-None-Match", first).want(http.StatusNotModified, "")
	other := n.send(t, request{
		method: "GET", path: "/requests.har", key: n.factory, headers: []string{"If-None-Match", first},
	})
	other.want(http.StatusOK, "")
	n.row("/sandbox")
	n.get("/requests.har", "If-None-Match", first).want(http.StatusOK, "")

	off := serve(t, map[string]string{"request-bodies": "false"}).create(t, "").greet()
	entries := off.archive(off.office)
	if len(entries) == 0 || slices.ContainsFunc(entries, func(e object) bool { return text(e, "comment") == "" }) {
		t.Errorf("a server that keeps no bodies shows %v", entries)
	}
}
