package subscription

import (
	"slices"
	"strings"
	"time"

	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

const (
	// MaxSubscriptions is how many subscriptions a sandbox has at most
	// (contract: LIMIT.WEBHOOKS).
	MaxSubscriptions = 3
	// rotation is how long an old secret signs beside the new one (contract:
	// LIMIT.ROTATION).
	rotation = 24 * time.Hour
	// Everything in the place of a type subscribes to all that are delivered
	// (contract: WHK.EVENTS).
	Everything event.Type = event.Any
)

// LastErrorClass says what was wrong with the newest attempt that failed.
type LastErrorClass string

// NoError is the last error class of a subscription before its first error.
const NoError LastErrorClass = "none"

// Enum implements jsonfield.Enumeration.
func (LastErrorClass) Enum() []string {
	return append([]string{string(NoError)}, event.ErrorClass("").Enum()...)
}

// Meanings implements jsonfield.Explained.
func (LastErrorClass) Meanings() string { return event.ErrorClass("").Meanings() }

// Resources of the two tables.
const (
	Resource         = "webhook"
	DeliveryResource = "webhook_delivery"
)

// Status is the status of a subscription.
//
//	(new) ──▶ pending_verification ──test answered 2xx──▶ active ──5 failures──▶ disabled
//	                  ▲                                    │ ▲                      │
//	                  └────────────another URL─────────────┘ └────re-enabled────────┘
//
// A deleted one is gone: only the response of its deletion shows it.
type Status string

// Statuses (contract: WHK.STATE.NEW, OPEN.WHK.DISABLED, OPEN.WHK.DELETE).
const (
	PendingVerification Status = "pending_verification"
	Active              Status = "active"
	Disabled            Status = "disabled"
	Deleted             Status = "deleted"
)

// Subscription is a webhook subscription as clients read it (contract: WHK.ID
// and the rows after it, OPEN.WHK.FIELDS).
type Subscription struct {
	_ struct{} `doc:"A webhook subscription of the client: a URL, the event types that it gets and its state."`

	record.Head
	Status      Status       `json:"status" enum:"pending_verification,active,disabled,deleted" doc:"pending_verification waits for a test that your URL responds to with 2xx; active gets deliveries; five failures in a row make it disabled, until you re-enable it. deleted is only in the response of the deletion."`
	URLHost     string       `json:"url_host" example:"hooks.example.com" doc:"The host of the URL. No response holds the URL itself."`
	Events      []event.Type `json:"events" doc:"The types that are delivered, or * for all."`
	Description *string      `json:"description" doc:"Your own note; null without one."`
	// Secret is null in every row: only the response that tells a secret, once,
	// fills it.
	Secret              *string         `json:"secret" doc:"Shown once, in the response that created it; null ever after, also when that response is replayed."`
	OldSecretValidUntil *moment.Instant `json:"old_secret_valid_until" doc:"Until when the secret before the last rotation signs too; null when there was none."`
	ConsecutiveFailures int64           `json:"consecutive_failures" doc:"Attempts that have failed since the last success. The fifth disables the subscription."`
	LastErrorClass      LastErrorClass  `json:"last_error_class" doc:"The kind of the newest failure; none before the first."`
	record.Stamps
}

// Resource implements record.Row.
func (*Subscription) Resource() string { return Resource }

// State implements record.Row.
func (s *Subscription) State() string { return string(s.Status) }

// sealed holds the state of a subscription that clients never read.
type sealed struct {
	Address   []byte `json:"address"`
	Secret    []byte `json:"secret"`
	OldSecret []byte `json:"old_secret,omitempty"`
	// Unasked is set for a secret that no client asked for or knows.
	Unasked bool `json:"unasked,omitzero"`
	// Since is the number of the event that took it into service: earlier ones
	// are not delivered.
	Since uint64 `json:"since,omitzero"`
	// Off is the number of the newest event when it left service, 0 while it serves and before it first did.
	Off uint64 `json:"off,omitzero"`
	// Missed are events that the receiver did not get and of which the log need not have a row.
	Missed missed `json:"missed,omitempty"`
	// Twice is the smallest number of an event that the receiver acknowledged
	// twice, 0 for none.
	Twice uint64 `json:"twice,omitzero"`
	// RestsUntil is from when something is sent again after an attempt that
	// failed, 0 for at once.
	RestsUntil moment.Instant `json:"rests_until,omitzero"`
}

// Subscriptions are the subscriptions of one sandbox and their delivery log.
type Subscriptions struct {
	Subscriptions *record.Table[Subscription, sealed]
	Deliveries    *record.Table[Delivery, origin]
	recorder      *record.Recorder

	// queue are the deliveries that wait, by when they are due; sent when the
	// newest were, as far as the budget is about them; settled those that are
	// over, by subscription and oldest first. All follow from the rows and are
	// made of them when they are first wanted.
	queue   []waiting
	sent    []moment.Instant
	settled map[string][]string
	indexed bool
	// faults are the faults to inject, nil for none.
	faults Faults
}

// New returns no subscriptions. The recorder notes their changes, each at its moment.
func New(recorder *record.Recorder) *Subscriptions {
	return &Subscriptions{
		recorder: recorder,
		Subscriptions: record.NewTable(record.Definition{Resource: Resource, Prefix: "whk", Removes: true},
			[]record.Filter[Subscription, sealed]{
				{Name: "status", Of: (*Subscription).State},
			}),
		Deliveries: record.NewTable(record.Definition{Resource: DeliveryResource, Prefix: "whd", Removes: true},
			[]record.Filter[Delivery, origin]{
				{Name: "status", Of: (*Delivery).State},
				{Name: "trigger", Of: func(d *Delivery) string { return string(d.Trigger) }},
				{Name: "webhook_id", Private: func(from *origin) string { return from.SubscriptionID }},
			}),
	}
}

// Tables lists the tables.
func (b *Subscriptions) Tables() []*record.Rows {
	return []*record.Rows{b.Subscriptions.Rows, b.Deliveries.Rows}
}

// Glance reports whether a subscription is active, and returns the smallest number of an event that a receiver
// acknowledged twice, 0 for none.
func (b *Subscriptions) Glance() (serving bool, twice uint64) {
	for s, private := range b.Subscriptions.All {
		serving = serving || s.Status == Active
		if private.Twice > 0 && (twice == 0 || private.Twice < twice) {
			twice = private.Twice
		}
	}
	return serving, twice
}

// Find returns a subscription, or refuses with not_found.
func (b *Subscriptions) Find(id string) (*Subscription, error) {
	s, ok := b.Subscriptions.Find(id)
	if !ok {
		return nil, problem.Missing(Resource, id)
	}
	return s, nil
}

// Address returns the sealed URL of a subscription, and its sealed secrets of a
// moment, the newest first. The subscription must exist.
func (b *Subscriptions) Address(id string, now moment.Instant) (address []byte, secrets [][]byte) {
	s, _ := b.Subscriptions.Find(id)
	private := record.Private(b.Subscriptions, id)
	secrets = [][]byte{private.Secret}
	if s.OldSecretValidUntil != nil && now < *s.OldSecretValidUntil {
		secrets = append(secrets, private.OldSecret)
	}
	return private.Address, secrets
}

// TypeDetails are the details of invalid_event_type.
type TypeDetails struct {
	Type  string `json:"type"`
	Index int    `json:"index"`
}

// CheckTypes refuses types that do not exist, and those of the bookkeeping,
// which cannot be subscribed to (contract: WHK.INVALID_TYPE, EVT.BOOKKEEPING).
// "*" means every type, and must be alone.
func CheckTypes(types []event.Type) error {
	for i, t := range types {
		switch _, known := event.Lookup(t); {
		case t.Delivered() || t == Everything && len(types) == 1:
		case t == Everything:
			return invalidType(i, t, `"*" stands for every type, and so stands alone.`)
		case known:
			return invalidType(i, t, "Events of the type %q keep the books of subscriptions: "+
				"they are in the feed and are never delivered.", t)
		case strings.Contains(string(t), "*"):
			return invalidType(i, t, `%q is a pattern. Name each event type, or use ["*"] for all of them.`,
				shortened(t))
		default:
			return invalidType(i, t, "There is no event type %q.", shortened(t))
		}
	}
	return nil
}

func invalidType(index int, t event.Type, format string, values ...any) error {
	return problem.New(problem.InvalidEventType, format, values...).With(TypeDetails{Type: shortened(t), Index: index})
}

// shortened cuts a client's text to a length that fits a message.
func shortened(t event.Type) string {
	const most = 80
	text := []rune(string(t))
	if len(text) <= most {
		return string(t)
	}
	return string(text[:most]) + "…"
}

// wants reports whether a subscription is sent an event.
func (s *Subscription) wants(n *record.Notice, since uint64) bool {
	return s.Status == Active && n.Sequence > since && n.Type.Delivered() && s.asksFor(n.Type)
}

// asksFor reports whether a type is among those that are delivered.
func (s *Subscription) asksFor(t event.Type) bool {
	return slices.Contains(s.Events, Everything) || slices.Contains(s.Events, t)
}
