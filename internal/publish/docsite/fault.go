package docsite

import "platen/internal/company/fault"

// Survival is a fault, with what survives it in the reference integration in Go.
type Survival struct {
	fault.Definition

	Reference string
}

// survivors name the places of the reference integration by the faults that they survive.
var survivors = map[fault.Kind]string{ //nolint:gochecknoglobals // the table itself
	fault.ResponseLost:  "`deal` makes the key of the event's id; package `client` repeats the request with it",
	fault.RequestLost:   "the same",
	fault.RequestLate:   "the same: it reads nothing before it repeats",
	fault.Storm:         "package `client` waits until `retry_at`",
	fault.Outage:        "`catchUp` passes no event that the feed has not shown",
	fault.SlowResponse:  "package `client` gives each attempt a time limit, and repeats it",
	fault.InProgress:    "package `client` repeats what is `retryable`",
	fault.StaleRead:     "`shown` comes back later for a record that the feed has named",
	fault.ClockOff:      "package `client` compares `retry_at` with `server_time`",
	fault.Growth:        "decoding ignores what is not known",
	fault.ShortPage:     "`anew` begins a list from the top",
	fault.WebhookTwice:  "it reads the feed; `docs/webhooks/receiver.go` keeps the ids that it has seen",
	fault.WebhookLate:   "it reads the feed, where order is certain",
	fault.WebhookLost:   "it reads the feed, where nothing is missing",
	fault.WebhookForged: "`docs/webhooks/receiver.go` verifies the raw body first",
	fault.SecretRotated: "the same: any valid signature will do",
	fault.DoubleWork:    "`deal`: the same event always has the same key",
}

// Faults lists the faults that can be injected, for the guide.
func (s *Site) Faults() []Survival {
	var all []Survival
	for _, d := range fault.Definitions() {
		all = append(all, Survival{d, survivors[d.Kind]})
	}
	return all
}
