package api_test

import (
	"net/http"
	"strings"
	"testing"

	"platen/internal/api"
)

// TestAReviewerSeesTheConsoleAndNothingElse: the token of a link comes to the holder of both keys,
// shows what both keys show, opens no route of the API, leaves no trace, and ends with a key.
func TestAReviewerSeesTheConsoleAndNothingElse(t *testing.T) {
	t.Parallel()
	s := start(t)
	office, factory := s.keys(`{"clock":"manual","seed":1}`)
	both := append(bearer(office), "Platen-Other-Key", factory)
	for _, headers := range [][]string{
		bearer(office), bearer(factory), append(bearer(office), "Platen-Other-Key", office),
	} {
		s.call(http.MethodGet, api.ConsoleReview, "", "", headers...).want(http.StatusForbidden, "wrong_system")
	}
	token, _ := plain(t, s.call(http.MethodGet, api.ConsoleReview, "", "", both...).Answer)["token"].(string)
	if !strings.HasPrefix(token, "lab_rev_") || strings.Contains(token, office[8:]) ||
		strings.Contains(token, factory[8:]) {
		t.Fatalf("the token is %q", token)
	}
	again, _ := plain(t, s.call(http.MethodGet, api.ConsoleReview, "", "", both...).Answer)["token"].(string)
	if again != token {
		t.Errorf("another time the token is %q, was %q", again, token)
	}
	_, own, _ := look(t, s, both...)
	status, got, _ := look(t, s, bearer(token)...)
	if status != http.StatusOK || len(got.Records["sales_order"]) != len(own.Records["sales_order"]) ||
		len(got.Records["press"]) != len(own.Records["press"]) || len(got.Records["press"]) == 0 {
		t.Errorf("a reviewer is shown %d: %d orders, %d presses",
			status, len(got.Records["sales_order"]), len(got.Records["press"]))
	}
	for _, path := range []string{api.ConsoleScore, api.ConsoleFaults, api.ConsoleAttention} {
		s.call(http.MethodGet, path, "", "", bearer(token)...).want(http.StatusOK, "")
	}
	s.call(http.MethodGet, api.ConsoleReview, "", "", bearer(token)...).want(http.StatusForbidden, "wrong_system")
	for _, path := range []string{"/v1/sandbox", "/v1/office/cash", "/v1/factory/stock", "/v1/requests", "/v1/events"} {
		s.call(http.MethodGet, path, token, "").want(http.StatusForbidden, "wrong_system")
	}
	s.call(http.MethodPost, "/v1/sandbox/tick", token, "").want(http.StatusForbidden, "wrong_system")
	s.call(http.MethodDelete, "/v1/sandbox", token, "").want(http.StatusForbidden, "wrong_system")
	if _, after, _ := look(t, s, both...); len(after.Calls) != len(own.Calls) ||
		after.Now["sim_time"] != own.Now["sim_time"] {
		t.Errorf("a reviewer has left %v", after.Calls)
	}

	// A token that anything is changed in is none.
	for i := len("lab_rev_"); i < len(token); i += 7 {
		other := byte('A')
		if token[i] == other {
			other = 'B'
		}
		s.call(http.MethodGet, api.ConsoleState, "", "", bearer(token[:i]+string(other)+token[i+1:])...).
			want(http.StatusUnauthorized, "unauthorized")
	}
	for _, wrong := range []string{
		"lab_rev_", token + "A", token[:len(token)-1], "lab_rev_" + strings.Repeat("=", 64),
	} {
		s.call(http.MethodGet, api.ConsoleState, "", "", bearer(wrong)...).want(http.StatusUnauthorized, "unauthorized")
	}

	// One of a sandbox is none of another, and it ends with either key.
	strange, _ := s.keys(`{"clock":"manual","seed":2}`)
	s.call(http.MethodGet, api.ConsoleState, "", "", append(bearer(token), "Platen-Other-Key", strange)...).
		want(http.StatusOK, "")
	s.call(http.MethodGet, "/v1/sandbox?key="+factory, "", "").want(http.StatusBadRequest, "key_in_url")
	s.call(http.MethodGet, api.ConsoleState, "", "", bearer(token)...).want(http.StatusUnauthorized, "unauthorized")
	s.call(http.MethodGet, "/v1/sandbox", office, "").want(http.StatusOK, "")
}
