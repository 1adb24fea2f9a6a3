package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestTheDoctorNamesWebhooksThatGetNothing, the reason, and the command that helps.
func TestTheDoctorNamesWebhooksThatGetNothing(t *testing.T) {
	t.Parallel()
	const row = `{"id":"whk_%s","url_host":"example.org","status":%q,"consecutive_failures":%d,"last_error_class":%q}`
	rows := []string{
		fmt.Sprintf(row, "a", "active", 0, "none"), fmt.Sprintf(row, "b", "active", 4, "connect"),
		fmt.Sprintf(row, "c", "disabled", 5, "http_5xx"), fmt.Sprintf(row, "d", "disabled", 0, "none"),
		fmt.Sprintf(row, "e", "pending_verification", 0, "none"),
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/sandbox":
			fmt.Fprint(w, `{"data":{"sandbox_id":"sbx_a","status":"active","expires_in_s":3600}}`)
		case "/v1/webhooks":
			fmt.Fprintf(w, `{"data":{"items":[%s],"next_cursor":null}}`, strings.Join(rows, ","))
		}
	}))
	t.Cleanup(server.Close)
	var out bytes.Buffer
	d := Doctor{Version: "test", Target: Target{Server: server.URL, Key: "lab_off_" + strings.Repeat("x", 43)}}
	if err := d.Run(t.Context(), &out); err != nil {
		t.Fatal(err, out.String())
	}
	for _, want := range []string{
		"ok    webhooks 1 subscription without a failure.",
		"note  webhooks whk_b to example.org: 4 attempts in a row failed, the last with connect. " +
			"The fifth disables it.",
		"platen webhooks deliveries whk_b",
		"note  webhooks whk_c to example.org is disabled: 5 attempts in a row failed, the last with http_5xx.",
		"platen webhooks update whk_c, then platen webhooks redeliver-failed whk_c --since 1",
		"note  webhooks whk_d to example.org is disabled.",
		"note  webhooks whk_e to example.org gets nothing before its test.", "platen webhooks test whk_e",
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("the doctor does not say %q:\n%s", want, out.String())
		}
	}
}
