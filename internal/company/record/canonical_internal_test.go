package record

import "testing"

// TestCanonicalFormLeavesOutWhatIsIncidental at every depth, and nothing else:
// neither texts that look like it nor numbers beyond 2^53.
func TestCanonicalFormLeavesOutWhatIsIncidental(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                               ``,
		`{}`:                             `{}`,
		`{"id":"so_1","created_at":"x"}`: `{"id":"so_1"}`,
		`{"updated_at":{"id":[1,{"a":2}]},"id":"so_1"}`:                              `{"id":"so_1"}`,
		`{"invoice":{"id":"cin_1","updated_at":"x","status":"open"},"b":null}`:       `{"invoice":{"id":"cin_1","status":"open"},"b":null}`,
		`{"list":[{"event_id":"evt_1","n":1},"created_at",[{"ends_at":null}]]}`:      `{"list":[{"n":1},"created_at",[{}]]}`,
		`{"reference":"created_at","number":18446744073709551615,"f":1.50,"t":true}`: `{"reference":"created_at","number":18446744073709551615,"f":1.50,"t":true}`,
		`{"clock":{"mode":"manual","anchor_wall":"x","anchor":480},"now":480}`:       `{"clock":{"mode":"manual"},"now":480}`,
	} {
		if got := string(withoutIncidental([]byte(text))); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
