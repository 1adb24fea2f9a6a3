package activity_test

import (
	"fmt"
	"testing"

	"platen/internal/company/fault"
	"platen/internal/desk/activity"
)

// TestIntentsAreBounded: what a cap keeps out counts for nothing, and accuses nobody.
func TestIntentsAreBounded(t *testing.T) {
	t.Parallel()
	var s activity.Intents
	never := func(_, _ uint64) bool { return false }
	send := func(id string, hit fault.Kind) {
		s.Follow(&activity.Call{Status: 502, Write: true, Fault: hit,
			Intent: &activity.Intended{Operation: "create_work_order", Step: "order", Subject: id}}, never)
	}
	for i := range activity.MaxIntents + 2 {
		send(fmt.Sprint("so_", i), fault.RequestLost)
	}
	send("so_0", fault.RequestLost) // known already
	if n := len(s.Known); n != activity.MaxIntents {
		t.Errorf("%d intents are remembered", n)
	}
	if first := s.At(0); first.Subject != "so_0" || first.Closed {
		t.Errorf("the first is %+v", first)
	}
}

// TestAnIntentIsOpenWhileItIsTurnedAway follows one from its first attempt to the stored response.
func TestAnIntentIsOpenWhileItIsTurnedAway(t *testing.T) {
	t.Parallel()
	var s activity.Intents
	send := func(key uint64, status int, hit fault.Kind, replayed bool, made string) activity.Intent {
		s.Follow(&activity.Call{Status: status, Write: true, Fault: hit, Key: key, Replayed: replayed,
			Intent: &activity.Intended{Operation: "create_work_order", Step: "order", Subject: "so_1", Made: made}},
			func(_, _ uint64) bool { return false })
		return s.At(0)
	}
	if got := send(1, 503, fault.Outage, false, ""); got.Closed || got.Made != "" {
		t.Errorf("turned away: %+v", got)
	}
	if got := send(1, 503, "", false, ""); got.Closed {
		t.Errorf("turned away without a fault: %+v", got)
	}
	if got := send(1, 201, fault.ResponseLost, false, "wo_1"); got.Closed || got.Made != "wo_1" || got.Key != 1 {
		t.Errorf("carried out without a response: %+v", got)
	}
	if got := send(1, 201, "", true, ""); !got.Closed || !got.Shown || got.Outcome != "" {
		t.Errorf("the stored response came: %+v", got)
	}
	if got := send(2, 201, "", false, "wo_2"); got.Outcome != "" {
		t.Errorf("a client that knows does it again: %+v", got)
	}
}
