// Package fault names the kinds of faults that a sandbox can inject, and holds the plan of one: the rules that say
// which happen, and how often. Package desk/injection decides by it; nothing in the company follows from a plan but
// the double work that it can allow.
package fault

import (
	"slices"

	"platen/internal/company/sim"
)

// Kind is a way in which something goes wrong.
type Kind string

// Meanings implements jsonfield.Explained.
func (Kind) Meanings() string { return "The page /docs/faults says what each kind does." }

// Kinds.
const (
	// WebhookTwice delivers a webhook a second time, with the same id.
	WebhookTwice Kind = "webhook_twice"
	// WebhookLate delivers a webhook late, and so out of order.
	WebhookLate Kind = "webhook_late"
	// WebhookLost has something in between acknowledge a webhook that its receiver never gets.
	WebhookLost Kind = "webhook_lost"
	// WebhookForged sends a delivery that is forged or cut short before the true one.
	WebhookForged Kind = "webhook_forged"
	// SecretRotated rotates the secret of a subscription that did not ask for it.
	SecretRotated Kind = "secret_rotated"
	// ResponseLost loses the response to a request that was carried out.
	ResponseLost Kind = "response_lost"
	// RequestLost loses a request before it does anything.
	RequestLost Kind = "request_lost"
	// RequestLate loses a request for its client, and carries it out later.
	RequestLate Kind = "request_late"
	// Storm turns some requests of a key away in a row, with 503 or 429.
	Storm Kind = "storm"
	// Outage takes one of the systems away for a while.
	Outage Kind = "outage"
	// SlowResponse holds a response back.
	SlowResponse Kind = "slow_response"
	// StaleRead answers reads of a key from an older state for a while.
	StaleRead Kind = "stale_read"
	// ClockOff has one of the systems tell the wrong time.
	ClockOff Kind = "clock_off"
	// Growth shows fields, values and headers that are new to the client.
	Growth Kind = "growth"
	// ShortPage returns fewer rows than asked for, or has forgotten a cursor.
	ShortPage Kind = "short_page"
	// InProgress says of a request that is repeated that the first one is still at work.
	InProgress Kind = "in_progress"
	// DoubleWork lets both systems take the same reference twice.
	DoubleWork Kind = "double_work"
)

// Form is how a lost request or response looks to its client.
type Form string

// Forms.
const (
	// Failed is a response of a proxy that got none: 502 without the envelope. No HTTP library resends it by itself.
	Failed Form = "error"
	// Cut closes the connection. Some HTTP libraries resend the request then, and their caller does not learn it.
	Cut Form = "cut"
)

// Definition is a row of the table of faults.
type Definition struct {
	Kind Kind
	// Summary says in a sentence what goes wrong.
	Summary string
	// Looks says how it looks to a client, Rule how a client survives it.
	Looks, Rule string
	// Delay is how long it takes at least and at most, in milliseconds, 0 for a fault that
	// takes no time.
	DelayMS [2]int64
	// Writes is set for a fault that, injected without operations, waits for a write: a lost read has no effect to
	// recover from.
	Writes bool
	// Severs is set for a fault that leaves a request without a response of the API, and so has a Form.
	Severs bool
	// Webhook is set for faults of deliveries, which no operation meets.
	Webhook bool
	// Fixed is set for a fault that holds for the whole sandbox or not at all: it is not drawn
	// for each call, and cannot be injected.
	Fixed bool
}

// Definitions lists all faults, in the order in which they are shown.
func Definitions() []Definition { return slices.Clone(definitions) }

// Lookup returns the row of a kind.
func Lookup(kind Kind) (Definition, bool) {
	for _, d := range definitions {
		if d.Kind == kind {
			return d, true
		}
	}
	return Definition{}, false
}

var definitions = []Definition{ //nolint:gochecknoglobals // the table itself
	{
		Kind: ResponseLost, Summary: "The response to a successful request is lost.", Writes: true, Severs: true,
		Looks: "A closed connection, or a 502 without the envelope.",
		Rule:  "Send the same request again with the same Idempotency-Key: it is not carried out twice.",
	},
	{
		Kind: RequestLost, Summary: "A request is lost before it has an effect.", Writes: true, Severs: true,
		Looks: "The same as a lost response.",
		Rule:  "The same: you cannot tell the two apart, and with an Idempotency-Key you need not.",
	},
	{
		Kind: RequestLate, Summary: "A request is lost for its client and takes effect later.",
		Writes: true, Severs: true,
		Looks: "The same as a lost request; after your next requests, or when time passes, it takes effect.",
		Rule: "Send it again with the same Idempotency-Key. " +
			"That it has no effect yet does not prove that it will have none.",
	},
	{
		Kind: Storm, Summary: "Several requests of a key in a row are rejected.",
		Looks: "503 unavailable or 429 rate_limited, with Retry-After and retry_at.",
		Rule:  "Wait as long as you are told, and send the same request again.",
	},
	{
		Kind: Outage, Summary: "Head Office or the Factory is down for a while.",
		Looks: "503 unavailable on all its routes, and the feed ends before its next event.",
		Rule: "Keep your place in the feed and come back. " +
			"A record that one system cannot take now delays nothing in the other.",
	},
	{
		Kind: SlowResponse, Summary: "A response takes seconds.", DelayMS: [2]int64{2_000, 8_000},
		Looks: "2 to 8 seconds, one in a hundred times 35.",
		Rule:  "Set a time limit for each request, and treat what exceeds it as lost.",
	},
	{
		Kind: InProgress, Summary: "A repeated request finds the first one still running.",
		Looks: "409 request_in_progress, which is retryable.",
		Rule:  "Wait, and send it again with the same key; a new key would do it twice.",
	},
	{
		Kind: StaleRead, Summary: "Reads of a key show an older state for a while, until it writes.",
		Looks: "Outdated lists and rows, with their ETags, for up to an hour of in-world time.",
		Rule:  "Follow the feed, which is never stale; do not decide by a list that something has not happened.",
	},
	{
		Kind: ClockOff, Summary: "The clock of one system is wrong.",
		Looks: "server_time, Date, retry_at and webhook-timestamp are 90 to 240 seconds off.",
		Rule:  "Compare a server's times with that server's own, never with your clock.",
	},
	{
		Kind: Growth, Summary: "A response contains something new.",
		Looks: "An unknown field, an unknown value of a field that may grow, a Deprecation header.",
		Rule:  "Ignore what you do not know.",
	},
	{
		Kind: ShortPage, Summary: "A page is shorter than requested, or its cursor becomes invalid.",
		Looks: "Fewer rows and a next_cursor, or 400 invalid_cursor.",
		Rule:  "Only next_cursor tells whether there is more; without a valid one, start the list again.",
	},
	{
		Kind: WebhookTwice, Summary: "A webhook arrives twice.", Webhook: true, DelayMS: [2]int64{2_000, 90_000},
		Looks: "The same webhook-id again, seconds or minutes later.",
		Rule:  "Remember the ids that you have handled.",
	},
	{
		Kind: WebhookLate, Summary: "A webhook arrives late, after newer ones.", Webhook: true,
		DelayMS: [2]int64{1_000, 45_000},
		Looks:   "Events arrive in another order than they happened.",
		Rule:    "Take a webhook as a hint to read the feed, and take the order from there.",
	},
	{
		Kind: WebhookLost, Summary: "An intermediary acknowledges a webhook that you never get.", Webhook: true,
		Looks: "Nothing. The log of deliveries shows delivered, via intermediary.",
		Rule:  "Read the feed from time to time even if no webhook comes.",
	},
	{
		Kind: WebhookForged, Summary: "A forged or truncated delivery arrives among the genuine ones.", Webhook: true,
		Looks: "An invalid signature.",
		Rule:  "Verify the signature over the raw body before you look at it.",
	},
	{
		Kind: SecretRotated, Summary: "A webhook secret is rotated without your request.", Webhook: true,
		Looks: "webhook-signature has two values for a day; the feed has sandbox.webhook.secret_rotated.",
		Rule:  "Accept a delivery if any of its signatures is valid.",
	},
	{
		Kind: DoubleWork, Summary: "Both systems accept the same reference twice.", Fixed: true,
		Looks: "201 instead of duplicate_reference; the work is printed, bought and billed twice.",
		Rule:  "Your Idempotency-Key is the only thing that prevents doubles.",
	},
}

// Rule is one thing that goes wrong, and how often.
type Rule struct {
	Kind Kind `json:"kind"`
	// SharePPM is the part of the calls or deliveries that it happens to.
	SharePPM int64 `json:"share_ppm"`
	// Operations limits it to some operations, all when empty.
	Operations []string `json:"operations,omitempty"`
	// FromMinute and ToMinute are the working minutes in which it happens, from the first up to
	// before the second; a ToMinute of 0 is no end.
	FromMinute sim.Minute `json:"from_minute,omitzero"`
	ToMinute   sim.Minute `json:"to_minute,omitzero"`
	// DelayMS replaces the delay of its kind, nil to keep it.
	DelayMS *int64 `json:"delay_ms,omitzero"`
	// Form is that of a lost request or response, "" for either by chance.
	Form Form `json:"form,omitempty"`
}
