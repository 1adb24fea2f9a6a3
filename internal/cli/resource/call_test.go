package resource

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"platen/client"
	"platen/internal/cli"
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

func connected(t *testing.T, times int) *client.Client {
	t.Helper()
	return client.New(forgetful(t, times), client.Keys{Office: "x"})
}

// TestANumberIsFoundBehindAForgottenCursor.
func TestANumberIsFoundBehindAForgottenCursor(t *testing.T) {
	t.Parallel()
	list, _ := listAt("sales-orders")
	s := &session{client: connected(t, 2), ctx: t.Context()}
	if id, err := s.idOf(&list, "so-1"); id != "a" || err != nil {
		t.Errorf("its id is %q, %v", id, err)
	}
	s = &session{client: connected(t, 1000), ctx: t.Context()}
	if id, err := s.idOf(&list, "so-1"); err == nil {
		t.Errorf("its id is %q though the cursor stays forgotten", id)
	}
}
