package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen/internal/api"
)

// TestTheConsoleIsToldWhyASignatureIsInvalid as `platen verify` tells it, for anyone with a key, and leaves no trace.
func TestTheConsoleIsToldWhyASignatureIsInvalid(t *testing.T) {
	t.Parallel()
	s := start(t)
	n := s.create(`{"clock":"manual","seed":1}`)
	const secret, body = "whsec_c2VjcmV0IG9mIGEgc3Vic2NyaXB0aW9u", `{"id":"evt_1","data":{}}`
	stamp := strconv.FormatInt(s.clock.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte("secret of a subscription"))
	mac.Write([]byte("evt_1." + stamp + "." + body))
	signature := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	captured := func(change func(map[string]string)) string {
		c := map[string]string{
			"secret": secret, "id": "evt_1", "timestamp": stamp, "signature": signature, "body": body,
		}
		change(c)
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, c := range map[string]struct {
		change   func(map[string]string)
		verified bool
		code     string
	}{
		"as it was sent": {func(map[string]string) {}, true, ""},
		"a line break":   {func(c map[string]string) { c["body"] += "\n" }, false, "body_ending_changed"},
		"another secret": {func(c map[string]string) { c["secret"] = "whsec_b3RoZXI=" }, false, "secret_wrong"},
		"nothing":        {func(c map[string]string) { clear(c) }, false, "header_missing"},
		"an old one": {func(c map[string]string) {
			c["timestamp"] = strconv.FormatInt(s.clock.Now().Add(-time.Hour).Unix(), 10)
		}, false, "clock_off"},
	} {
		a := s.call(http.MethodPost, api.ConsoleVerify, n.factory, captured(c.change)).want(http.StatusOK, "")
		var report struct {
			Verified bool
			Findings []struct{ Code string }
		}
		if err := json.Unmarshal(a.Raw, &report); err != nil {
			t.Fatal(err)
		}
		if report.Verified != c.verified || c.code == "" != (len(report.Findings) == 0) ||
			c.code != "" && report.Findings[0].Code != c.code {
			t.Errorf("%s: %s, want %t and %q", name, a.Raw, c.verified, c.code)
		}
		if a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the response may be stored", name)
		}
	}
	right := captured(func(map[string]string) {})
	s.call(http.MethodPost, api.ConsoleVerify, "", right).want(http.StatusUnauthorized, "unauthorized")
	for _, bad := range []string{"", "[]", `{"secret":1}`, `{"secrets":"x"}`, `{"id":"a","id":"b"}`} {
		s.call(http.MethodPost, api.ConsoleVerify, n.office, bad, "Content-Type", "application/json").
			want(http.StatusBadRequest, "bad_request")
	}
	s.call(http.MethodPost, api.ConsoleVerify, n.office, right, "Content-Type", "text/plain").
		want(http.StatusUnsupportedMediaType, "unsupported_media_type")
	long := captured(func(c map[string]string) { c["body"] = strings.Repeat("x", 16<<10) })
	s.call(http.MethodPost, api.ConsoleVerify, n.office, long).want(http.StatusRequestEntityTooLarge, "body_too_large")
	a := s.call(http.MethodGet, api.ConsoleVerify, n.office, "").want(http.StatusMethodNotAllowed, "method_not_allowed")
	if allow := a.Header.Get("Allow"); allow != http.MethodPost {
		t.Errorf("it takes %q", allow)
	}
	if logged := s.log.String(); strings.Contains(logged, secret) {
		t.Error("the secret is in the log")
	}
	if calls := s.call(http.MethodGet, "/v1/requests", n.office, "").Items(); len(calls) > 0 {
		t.Errorf("%d requests are remembered", len(calls))
	}
}
