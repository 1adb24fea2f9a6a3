package event

import "platen/internal/words/moment"

// WebhookCreatedData is the data of sandbox.webhook.created.
type WebhookCreatedData struct {
	Head
	URLHost string `json:"url_host" doc:"The host of the URL. No response holds the URL itself."`
	Riders
}

// WebhookActivatedData is the data of sandbox.webhook.activated.
type WebhookActivatedData struct {
	Head
	URLHost string `json:"url_host" doc:"The host of the URL. No response holds the URL itself."`
	Riders
}

// WebhookUpdatedData is the data of sandbox.webhook.updated.
type WebhookUpdatedData struct {
	Head
	URLHost string   `json:"url_host" doc:"The host of the URL. No response holds the URL itself."`
	Changed []string `json:"changed" doc:"The fields of the subscription that were changed."`
	Riders
}

// WebhookDisabledData is the data of sandbox.webhook.disabled.
type WebhookDisabledData struct {
	Head
	URLHost             string  `json:"url_host" doc:"The host of the URL. No response holds the URL itself."`
	ConsecutiveFailures int64   `json:"consecutive_failures" doc:"Attempts that failed since the last success."`
	LastErrorClass      *string `json:"last_error_class" doc:"The kind of the newest failure."`
	DroppedCount        int64   `json:"dropped_count" doc:"How many waiting deliveries were given up with it."`
	Riders
}

// WebhookReenabledData is the data of sandbox.webhook.reenabled.
type WebhookReenabledData struct {
	Head
	URLHost string `json:"url_host" doc:"The host of the URL. No response holds the URL itself."`
	Riders
}

// WebhookSecretRotatedData is the data of sandbox.webhook.secret_rotated.
type WebhookSecretRotatedData struct {
	Head
	OldSecretValidUntil moment.Instant `json:"old_secret_valid_until" doc:"Until when the old secret signs in addition to the new one, in wall time."`
	Riders
}

// WebhookDeletedData is the data of sandbox.webhook.deleted.
type WebhookDeletedData struct {
	Head
	URLHost string `json:"url_host" doc:"The host of the URL. No response holds the URL itself."`
	Riders
}

// WebhookTestedData is the data of sandbox.webhook.tested.
type WebhookTestedData struct {
	Head
	PingID     string  `json:"ping_id" example:"evt_0123456789abc" doc:"The webhook-id of the ping. It is not in the feed."`
	Delivered  bool    `json:"delivered" doc:"True when the URL responded to the ping with 2xx."`
	StatusCode *int64  `json:"status_code" doc:"The status of its response; null when there was none."`
	LatencyMS  int64   `json:"latency_ms" doc:"How long the ping took, in milliseconds."`
	ErrorClass *string `json:"error_class" doc:"The kind of the failure; null for none."`
	Riders
}
