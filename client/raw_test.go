package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"platen/client"
)

// TestAPathIsSentAsAMethodIs: with the key of its system, again after a lost response, and with
// one idempotency key.
func TestAPathIsSentAsAMethodIs(t *testing.T) {
	t.Parallel()
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization")+" "+r.Header.Get("Idempotency-Key"))
		switch {
		case r.URL.Path == "/v1/factory/nothing":
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"code":"not_found","message":"There is none."}}`)
		case len(sent) == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			fmt.Fprint(w, `{"data":{"new":"field"}}`)
		}
	}))
	t.Cleanup(server.Close)
	c := client.New(server.URL, client.Keys{Office: "o", Factory: "f"})
	ctx := client.WithIdempotencyKey(t.Context(), "k")
	data, err := c.Send(ctx, http.MethodPost, "/factory/work-orders?x=1", []byte("{}"))
	if string(data) != `{"new":"field"}` || err != nil || fmt.Sprint(sent) != "[Bearer f k Bearer f k]" {
		t.Errorf("the response is %s, %v, after %q", data, err, sent)
	}
	_, err = c.Send(t.Context(), http.MethodGet, "/factory/nothing", nil)
	if !client.IsCode(err, client.CodeNotFound) {
		t.Errorf("a refusal is %v", err)
	}
}

// TestRowsComeAsTheyAre, each once, also when the server has forgotten a cursor.
func TestRowsComeAsTheyAre(t *testing.T) {
	t.Parallel()
	forgotten := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.FormValue("status") != "open" || r.FormValue("limit") != "100":
			w.WriteHeader(http.StatusBadRequest)
		case r.FormValue("cursor") == "":
			fmt.Fprint(w, `{"data":{"items":[{"id":"c","new":1},{"id":"b"}],"next_cursor":"1"}}`)
		case forgotten < 20:
			forgotten++
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"code":"invalid_cursor","message":"It is forgotten."}}`)
		default:
			fmt.Fprint(w, `{"data":{"items":[{"id":"b"},{"id":"a"}],"next_cursor":null}}`)
		}
	}))
	t.Cleanup(server.Close)
	var rows []string
	c := client.New(server.URL, client.Keys{Office: "o"})
	for row, err := range c.Rows(t.Context(), "/office/x", url.Values{"status": {"open"}}) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(row))
	}
	if fmt.Sprint(rows) != `[{"id":"c","new":1} {"id":"b"} {"id":"a"}]` {
		t.Errorf("the rows are %s", rows)
	}
}
