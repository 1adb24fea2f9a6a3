package record

import (
	"testing"

	"platen/internal/company/sim"
	"platen/internal/words/moment"
)

type note struct {
	Head
	Text string `json:"text"`
	Stamps
}

func (*note) Resource() string { return "note" }
func (*note) State() string    { return "" }

type notePrivate struct {
	Read bool `json:"read"`
}

// TestCanonicalFormSeesRowsPrivateStateTimersAndState, flushed or not, and not
// when it was written nor by whose recorder.
func TestCanonicalFormSeesRowsPrivateStateTimersAndState(t *testing.T) {
	t.Parallel()
	form := func(text string, read bool, uid uint64, flush bool, timers ...sim.Timer) string {
		table := NewTable[note, notePrivate](Definition{Resource: "note", Prefix: "nte"}, nil)
		r := NewRecorder(1, NewFeed("", uid, Position{}), sim.NewSchedule(nil, 1), 0)
		r.SetMoment(7, 1_000_000+1_000*moment.Instant(uid), sim.Clock{})
		table.Add(r, note{Text: text}, notePrivate{Read: read})
		if flush {
			table.Rows.Flush(uid, &Changes{})
		}
		return string(AppendCanonical(nil, []*Rows{table.Rows}, timers, &struct {
			UID   uint64 `json:"uid"`
			Moved int    `json:"moved"`
		}{uid, len(timers)}))
	}
	want := form("a", false, 1, false)
	if got := form("a", false, 2, true); got != want {
		t.Errorf("another recorder, later and flushed: %q, want %q", got, want)
	}
	for what, got := range map[string]string{
		"text": form("b", false, 1, false), "private": form("a", true, 1, false),
		"timers": form("a", false, 1, false, sim.Timer{Due: 1}),
	} {
		if got == want {
			t.Errorf("another %s does not show in %q", what, got)
		}
	}
}

// TestCanonicalFormLeavesOutWhatIsIncidental at every depth, and nothing else:
// neither texts that look like it nor numbers beyond 2^53.
func TestCanonicalFormLeavesOutWhatIsIncidental(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                               ``,
		`{}`:                             `{}`,
		`{"id":"so_1","created_at":"x"}`: `{"id":"so_1"}`,
		`{"updated_at":{"id":[1,{"a":2}]},"id":"so_1"}`: `{"id":"so_1"}`,
		`{"invoice":{"id":"cin_1","updated_at":"x","status":"open"},"b":null}`: `{"invoice":{"id":"cin_1",` +
			`"status":"open"},"b":null}`,
		`{"list":[{"event_id":"evt_1","n":1},"created_at",[{"ends_at":null}]]}`: `{"list":[{"n":1},` +
			`"created_at",[{}]]}`,
		`{"reference":"created_at","number":18446744073709551615,"f":1.50,"t":true}`: `{"reference":"created_at",` +
			`"number":18446744073709551615,"f":1.50,"t":true}`,
		`{"clock":{"mode":"manual","anchor_wall":"x","anchor":480},` +
			`"now":480}`: `{"clock":{"mode":"manual"},"now":480}`,
	} {
		if got := string(withoutIncidental([]byte(text))); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
