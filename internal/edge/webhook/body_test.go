package webhook_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"platen/internal/edge/webhook"
)

func body(t *testing.T, event string) string {
	t.Helper()
	b, err := webhook.Body([]byte(event))
	if err != nil {
		t.Fatalf("%.80s: %v", event, err)
	}
	return string(b)
}

func TestABodyIsTheEventWithoutItsNumber(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		`{"seq":7,"id":"evt_1","data":{"b":1.50,"a":[1,2],"seq":3}}`: `{"id":"evt_1","data":{"b":1.50,` +
			`"a":[1,2],"seq":3}}`,
		`{"id":"evt_1","seq":7}`:              `{"id":"evt_1"}`,
		`{"id":"evt_1"}`:                      `{"id":"evt_1"}`,
		`{"seq":7,"t":"a\u0026\u00fc\/&"}`:    `{"t":"a\u0026\u00fc\/&"}`,
		`{"seq":7,"n":100000000000000000001}`: `{"n":100000000000000000001}`,
		`{"seq":7}`:                           `{}`,
	} {
		if got := body(t, event); got != want {
			t.Errorf("%s became %s, want %s", event, got, want)
		}
	}
	for _, event := range []string{
		"", "null", "[]", `{"a":1`, `{"a":1}{}`, `{"a"}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}",
	} {
		if b, err := webhook.Body([]byte(event)); err == nil {
			t.Errorf("%q became %s", event, b)
		}
	}
}

// sized is an event whose body has a number of bytes.
func sized(size int) string {
	const head, tail = `{"seq":1,"id":"evt_1","data":{"id":"so_1","note":"`,
		`","status":"received"},"links":{"self":"/x"}}`
	return head + strings.Repeat("x", size-len(head)-len(tail)+len(`"seq":1,`)) + tail
}

// TestABodyAboveTheLimitKeepsShortScalars (contract: EVT.BODY.MAX,
// EVT.BODY.TRUNCATED, LIMIT.DELIVERY_BODY, OPEN.DLV.SCALARS).
func TestABodyAboveTheLimitKeepsShortScalars(t *testing.T) {
	t.Parallel()
	if got := body(t, sized(4096)); len(got) != 4096 || strings.Contains(got, "truncated") {
		t.Errorf("a body of 4,096 bytes has %d: %.60s", len(got), got)
	}
	if got, want := body(t, sized(4097)),
		`{"id":"evt_1","data":{"id":"so_1","status":"received"},"links":{"self":"/x"},"truncated":true}`; got != want {
		t.Errorf("a body of 4,097 bytes became %s, want %s", got, want)
	}
	edge, umlauts := strings.Repeat("x", 128), strings.Repeat("\u00fc", 64)
	event := `{"seq":1,"data":{"long":"` + strings.Repeat("x", 4096) +
		`","null":null,"yes":true,"no":false,"n":-1.5e3,"edge":"` + edge +
		`","over":"` + edge + `x","two":"` + umlauts + `","escaped":"` + strings.Repeat(`\u0078`, 128) +
		`","list":[1],"object":{"a":1},"empty":""}}`
	want := `{"data":{"null":null,"yes":true,"no":false,"n":-1.5e3,"edge":"` + edge + `","two":"` +
		umlauts + `","escaped":"` +
		strings.Repeat(`\u0078`, 128) + `","empty":""},"truncated":true}`
	if got := body(t, event); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FuzzBody: what comes out of any event is JSON without a number, and within
// the limit as long as the fields beside data leave room for it.
func FuzzBody(f *testing.F) {
	f.Add([]byte(`{"seq":1,"id":"evt_1","data":{"a":1}}`))
	f.Add([]byte(sized(4097)))
	f.Add([]byte(`{"data":{` + strings.Repeat(" ", 5000) + `"a":1}}`))
	f.Add([]byte(`{"data":{` + strings.Repeat(`"a":1,`, 5000) + `"a":1}}`))
	f.Add([]byte(`{"data":[` + strings.Repeat("1,", 5000) + `1]}`))
	f.Fuzz(func(t *testing.T, event []byte) {
		got, err := webhook.Body(event)
		if err != nil {
			return
		}
		var read map[string]json.RawMessage
		if err := json.Unmarshal(got, &read); err != nil {
			t.Fatalf("%q became %q: %v", event, got, err)
		}
		if _, numbered := read["seq"]; numbered && !bytes.Contains(event, []byte(`\u`)) {
			t.Fatalf("%q became %q, which has a number", event, got)
		}
		if beside := len(got) - len(read["data"]); beside < 2048 && len(got) > 4096 {
			t.Fatalf("%q became %d bytes", event, len(got))
		}
	})
}
