package cli

import (
	"strings"
	"testing"

	"platen/client"
)

// TestAScoreIsTheSameOnTheScreenAndInTheErrorOfTheGate, and neither rounds up to what the gate demands.
func TestAScoreIsTheSameOnTheScreenAndInTheErrorOfTheGate(t *testing.T) {
	t.Parallel()
	for score, want := range map[float64]string{
		0: "0.000", 0.57: "0.570", 0.29: "0.290", 0.8909: "0.890", 0.9149: "0.914", 0.9996: "0.999",
		799.0 / 800: "0.998", 1999999.0 / 2000000: "0.999", 2.0 / 3: "0.666",
	} {
		if got := Score(score); got != want {
			t.Errorf("the screen shows %s for %v, want %s", got, score, want)
		}
		err := client.Gate{Carried: 1}.Check(&client.Settlement{Integration: &client.Integration{ExactlyOnce: &score}})
		if err == nil || !strings.Contains(err.Error(), "exactly_once is "+want+", less than 1") {
			t.Errorf("the gate fails for %v with %v", score, err)
		}
	}
	if got := Score(1); got != "1.000" {
		t.Errorf("the whole score is shown as %s", got)
	}
}

// TestTheErrorOfAGateHasALineForEachFinding, which end with a full stop.
func TestTheErrorOfAGateHasALineForEachFinding(t *testing.T) {
	t.Parallel()
	s := &client.Settlement{Integration: &client.Integration{ExactlyOnce: new(0.5)}, Findings: []client.Finding{
		{Verdict: client.IntegrationVerdictMissed, Message: "SO-1 is at no work order."},
		{Verdict: client.IntegrationVerdictDoubled, Message: "SO-2 is at two."},
	}}
	want := "exactly_once is 0.500, less than 1\nmissed: SO-1 is at no work order.\ndoubled: SO-2 is at two."
	if err := (client.Gate{Carried: 1}).Check(s); err == nil || err.Error() != want {
		t.Errorf("the error is\n%v\nwant\n%s", err, want)
	}
}
