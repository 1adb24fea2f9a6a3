// Package subscription keeps webhook subscriptions: the events that each one
// gets, the deliveries that are due, and their outcomes. It decides and
// remembers; it sends nothing, and knows no secret but in its sealed form.
package subscription

import (
	"time"

	"platen/internal/words/event"
)

// Trigger says why an attempt is made.
type Trigger string

// Triggers.
const (
	Auto   Trigger = "auto"
	Manual Trigger = "manual"
	Test   Trigger = "test"
)

// Attempt is one request that is to be sent now.
type Attempt struct {
	SandboxID, SubscriptionID, DeliveryID string

	EventID   string
	EventType event.Type
	// Event is the event as the feed shows it, with or without its number.
	Event []byte
	// Number counts the attempts of a delivery from 1.
	Number  int
	Trigger Trigger

	// Trace is sent with it.
	Trace event.Trace

	// Address and Secrets are sealed. The newest secret is first.
	Address []byte
	Secrets [][]byte

	// Lost is set for one that is not sent and counts as acknowledged. Decoy is sent before it.
	Lost  bool
	Decoy Decoy
	// Off is by how much the clock of its sender is off.
	Off time.Duration
}

// Outcome is the result of an attempt.
type Outcome struct {
	SubscriptionID, DeliveryID string

	SentAt  time.Time
	Latency time.Duration
	// StatusCode is 0 when there was no response.
	StatusCode int
	// ErrorClass is empty when the response was 2xx (contract:
	// OPEN.DLV.ERROR_CLASS).
	ErrorClass event.ErrorClass
}
