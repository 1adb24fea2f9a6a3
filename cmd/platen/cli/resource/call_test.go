package resource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"platen/client"
	"platen/cmd/platen/cli"
)

// forgetful serves three rows on two pages, and forgets the cursor between them so many times.
func forgetful(t *testing.T, times int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("cursor") == "":
			fmt.Fprint(w, `{"data":{"items":[{"id":"c","number":"SO-3"}],"next_cursor":"1"}}`)
		case times > 0:
			times--
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"code":"invalid_cursor","message":"It is forgotten."}}`)
		default:
			fmt.Fprint(w, `{"data":{"items":[{"id":"b","number":"SO-2"},{"id":"a","number":"SO-1"}]}}`)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestAForgottenCursorBeginsAListAnew, without a row that comes twice.
func TestAForgottenCursorBeginsAListAnew(t *testing.T) {
	t.Parallel()
	list, ok := listAt("sales-orders")
	if !ok {
		t.Fatal("there is no list of orders")
	}
	for times, want := range map[int]string{2: "[{c} {b} {a}]", 1000: ""} {
		var out bytes.Buffer
		c := Call{Operation: list, All: true, JSON: true, Out: &out,
			Target: cli.Target{Server: forgetful(t, times), Key: "lab_off_" + strings.Repeat("x", 43)}}
		err := c.Run(t.Context())
		var rows []struct{ ID string }
		if (err == nil) != (want != "") || err == nil && json.Unmarshal(out.Bytes(), &rows) != nil {
			t.Errorf("forgotten %d times: %s, %v", times, out.String(), err)
		}
		if got := fmt.Sprint(rows); got != want && err == nil {
			t.Errorf("forgotten %d times the list is %s, want %s", times, got, want)
		}
	}
}

// TestANumberOfAFieldIsTurnedIntoItsID, as the server knows it.
func TestANumberOfAFieldIsTurnedIntoItsID(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch strings.TrimPrefix(r.URL.Path, "/v1") {
		case "/office/sales-orders/SO-1":
			fmt.Fprint(w, `{"data":{"id":"a","number":"SO-1"}}`)
		case "/office/sales-orders/SO-2":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"code":"not_found","message":"There is none."}}`)
		default:
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error":{"code":"wrong_system","message":"Not with this key."}}`)
		}
	}))
	t.Cleanup(server.Close)
	list, _ := listAt("sales-orders")
	s := &session{client: client.New(server.URL, client.Keys{Office: "x"}), ctx: t.Context()}
	for given, want := range map[string]string{"so-1": "a", "SO-2": "SO-2", "so_3": "so_3"} {
		if id, err := s.idOf(&list, given); id != want || err != nil {
			t.Errorf("the id of %s is %q, %v", given, id, err)
		}
	}
	if id, err := s.idOf(&list, "SO-4"); err == nil {
		t.Errorf("its id is %q though the server refuses to say", id)
	}
}

// TestATableHasNoColumnThatSaysNothing: no currency beside amounts, no second date that is the first, and no empty
// column that takes the room of another.
func TestATableHasNoColumnThatSaysNothing(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("w", 60)
	for rows, want := range map[string]string{
		`[{"id":"led_a","amount_minor":-1250,"currency":"XTS","kind":"payroll","event_id":"evt_a",` +
			`"reference_id":"pay_a","entry_on":"2026-09-11",` +
			`"created_on":"2026-09-11"}]`: "ID AMOUNT KIND REFERENCE_ID ENTRY_ON EVENT_ID",
		`[{"id":"a","placed_on":"2026-09-11","created_on":"2026-09-12"}]`:                    "ID PLACED_ON CREATED_ON",
		`[{"id":"a","note":null,"first":"` + wide + `","last":"` + wide[:49] + `"}]`:         "ID FIRST LAST",
		`[{"id":"a","note":null,"first":"` + wide + `"},{"id":"b","note":"x","first":null}]`: "ID NOTE FIRST",
		`[{"id":"a","note":null}]`: "ID NOTE",
	} {
		var list []json.RawMessage
		var out bytes.Buffer
		if err := json.Unmarshal([]byte(rows), &list); err != nil {
			t.Fatal(err)
		}
		if err := writeRows(&out, list, nil); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(out.String(), "\n")
		if got := strings.Join(strings.Fields(head), " "); got != want {
			t.Errorf("the columns of %s are %s, want %s", rows, got, want)
		}
	}
}

// TestDeliveriesShowWhenTheyWereSent, in the time of this machine, and why one failed.
func TestDeliveriesShowWhenTheyWereSent(t *testing.T) {
	t.Parallel()
	const rows = `{"data":{"items":[{"id":"whd_b","status":"pending","due_at":"2026-11-27T08:29:16.5Z",` +
		`"sent_at":null,"status_code":null,"error_class":null,"attempt":1,"created_at":"2026-11-27T08:29:06Z"},` +
		`{"id":"whd_a","status":"failed","due_at":"2026-11-27T08:29:06.25Z",` +
		`"sent_at":"2026-11-27T08:29:06.264367Z","status_code":502,"error_class":"http_5xx","attempt":2,` +
		`"created_at":"2026-11-27T08:29:06Z"}],"next_cursor":null}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, rows)
	}))
	t.Cleanup(server.Close)
	var deliveries Operation
	for _, op := range Table() {
		if op.Resource == "webhooks" && op.Verb == "deliveries" {
			deliveries = op
		}
	}
	var out bytes.Buffer
	c := Call{Operation: deliveries, IDs: []string{"whk_a"}, Out: &out,
		Target: cli.Target{Server: server.URL, Key: "lab_off_" + strings.Repeat("x", 43)}}
	if err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := time.Date(2026, 11, 27, 8, 29, 6, 0, time.UTC).Local().Format(time.DateTime)
	want := "ID     STATUS   SENT_AT              STATUS_CODE  ERROR_CLASS  ATTEMPT\n" +
		"whd_b  pending  -                    -            -            1\n" +
		"whd_a  failed   " + sent + "  502          http_5xx     2\n"
	if out.String() != want {
		t.Errorf("the table is\n%s, want\n%s", out.String(), want)
	}
}
