package problem

import "net/http"

// Codes of webhook subscriptions.
const (
	WebhookLimitReached Code = "webhook_limit_reached"
	WebhookURLRejected  Code = "webhook_url_rejected"
	InvalidEventType    Code = "invalid_event_type"
)

var webhook = []Definition{ //nolint:gochecknoglobals // the table itself
	{
		Code: WebhookLimitReached, Status: http.StatusConflict,
		Hint:    "DELETE one of them, or PATCH it to another URL.",
		Meaning: "A sandbox has at most three webhook subscriptions, whatever their status.",
		Remedy:  "List them with GET /webhooks and delete one that you no longer need, or change its URL and events.",
	},
	{
		Code: WebhookURLRejected, Status: http.StatusUnprocessableEntity,
		Hint: "details.reason names the rule. The URL must be a public https:// URL on port 443, without userinfo.",
		Meaning: "The URL of a subscription breaks a rule. Deliveries go to public addresses only, so that no " +
			"subscription can send requests into a private network.",
		Remedy: "Use a public https:// URL. On your own machine, start the server with --profile local, which " +
			"allows any.",
	},
	{
		Code: InvalidEventType, Status: http.StatusUnprocessableEntity,
		Hint:    `details.type is the unknown type. Every type is listed on /docs/events; ["*"] stands for all.`,
		Meaning: "A subscription names an event type that does not exist, or one that is never delivered.",
		Remedy:  "Correct the name. Types named sandbox.webhook.* are in the feed only.",
	},
}
