package task

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"platen/client"
)

// TestAListIsReadAgainWhereItsCursorIsForgotten, and a page without a row does not end it.
func TestAListIsReadAgainWhereItsCursorIsForgotten(t *testing.T) {
	t.Parallel()
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		switch cursor := r.URL.Query().Get("cursor"); {
		case cursor == "":
			fmt.Fprint(w, `{"data":{"items":[{"id":"c"}],"next_cursor":"1"}}`)
		case asked == 2 || asked == 5: // behind the first page, and behind the second
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"code":"invalid_cursor","message":"It is forgotten."}}`)
		case cursor == "1":
			fmt.Fprint(w, `{"data":{"items":[],"next_cursor":"2"}}`)
		default:
			fmt.Fprint(w, `{"data":{"items":[{"id":"b"},{"id":"a"}],"next_cursor":null}}`)
		}
	}))
	t.Cleanup(server.Close)
	rows, err := office(server.URL).list(t.Context(), "/office/sales-orders")
	if got := fmt.Sprint(rows); err != nil || got != "[map[id:a] map[id:b] map[id:c]]" {
		t.Errorf("after %d requests the list is %v (%v)", asked, got, err)
	}
}

// office is the world of a sandbox of which only the key of the Office is known.
func office(base string) *world {
	var s client.Sandbox
	s.OfficeKey = "x"
	return newWorld(&s, base)
}

// TestACursorThatStaysForgottenIsAnError, after so many beginnings.
func TestACursorThatStaysForgottenIsAnError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("cursor") == "" {
			fmt.Fprint(w, `{"data":{"items":[{"id":"c"}],"next_cursor":"1"}}`)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":{"code":"invalid_cursor","message":"It is forgotten."}}`)
	}))
	t.Cleanup(server.Close)
	if rows, err := office(server.URL).list(t.Context(), "/x"); err == nil {
		t.Errorf("the list is %v", rows)
	}
}
