package activity_test

import (
	"testing"

	"platen/internal/company/fault"
	"platen/internal/desk/activity"
	"platen/internal/words/moment"
)

// TestARequestThatWasUnderWayRepeatsNothing: a second worker did not know of the loss when it sent its own.
func TestARequestThatWasUnderWayRepeatsNothing(t *testing.T) {
	t.Parallel()
	buy := func(id string, arrived, answered moment.Instant, lost fault.Kind) *activity.Call {
		return &activity.Call{
			Status: 201, Write: true, Arrived: arrived, Answered: answered, Fault: lost,
			Made: &activity.Decision{Resource: "market_trade", ID: id, Content: 1},
		}
	}
	var c activity.ClientActivity
	if lost := c.Decide(buy("one", 10, 20, fault.ResponseLost), 0); lost != nil {
		t.Errorf("the first repeats %v", lost)
	}
	if lost := c.Decide(buy("two", 19, 21, ""), 0); lost != nil {
		t.Errorf("one that was under way repeats %v", lost)
	}
	if lost := c.Decide(buy("three", 20, 22, ""), 0); lost == nil || lost.ID != "one" {
		t.Errorf("one that came after the loss repeats %v", lost)
	}
	other := buy("four", 30, 31, "")
	other.Made.Content = 2
	if lost := c.Decide(other, 0); lost != nil {
		t.Errorf("another request repeats %v", lost)
	}
	c.Decide(&activity.Call{Status: 200, Names: func(id string) bool { return id == "one" }}, 0)
	if lost := c.Decide(buy("five", 40, 41, ""), 0); lost != nil {
		t.Errorf("a client that was shown the record repeats %v", lost)
	}
}
