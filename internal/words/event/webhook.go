package event

import "slices"

// Types that record changes of webhook subscriptions. They are in the feed,
// cannot be subscribed to and are never delivered (contract: EVT.BOOKKEEPING,
// OPEN.WHK.BOOKKEEPING).
const (
	WebhookCreated       Type = "sandbox.webhook.created"
	WebhookActivated     Type = "sandbox.webhook.activated"
	WebhookUpdated       Type = "sandbox.webhook.updated"
	WebhookDisabled      Type = "sandbox.webhook.disabled"
	WebhookReenabled     Type = "sandbox.webhook.reenabled"
	WebhookSecretRotated Type = "sandbox.webhook.secret_rotated"
	WebhookDeleted       Type = "sandbox.webhook.deleted"
	WebhookTested        Type = "sandbox.webhook.tested"
)

const webhook = "/webhooks/{id}"

var bookkeeping = []Definition{ //nolint:gochecknoglobals // the table itself
	{50, WebhookCreated, "The client creates a webhook subscription.", webhook, &WebhookCreatedData{}},
	{51, WebhookActivated, "The URL of a subscription responds to the test ping with 2xx.", webhook,
		&WebhookActivatedData{}},
	{52, WebhookUpdated, "The client changes a subscription.", webhook, &WebhookUpdatedData{}},
	{53, WebhookDisabled, "Five attempts in a row have failed.", webhook, &WebhookDisabledData{}},
	{54, WebhookReenabled, "The client enables a disabled subscription.", webhook,
		&WebhookReenabledData{}},
	{55, WebhookSecretRotated, "The client replaces the secret of a subscription.", webhook,
		&WebhookSecretRotatedData{}},
	{56, WebhookDeleted, "The client deletes a subscription.", webhook, &WebhookDeletedData{}},
	{57, WebhookTested, "The URL of a subscription was pinged.", webhook, &WebhookTestedData{}},
}

var all = slices.Concat(catalogue, bookkeeping) //nolint:gochecknoglobals // read only

// Bookkeeping lists the definitions of the types that only the feed shows.
func Bookkeeping() []Definition { return bookkeeping }

// All lists every definition: the catalogue, then the bookkeeping.
func All() []Definition { return all }

// Delivered reports whether a subscription can ask for the type.
func (t Type) Delivered() bool {
	return slices.ContainsFunc(catalogue, func(d Definition) bool { return d.Type == t })
}
