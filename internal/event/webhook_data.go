package event

import "platen/internal/moment"

// WebhookCreatedData is the data of sandbox.webhook.created.
type WebhookCreatedData struct {
	Head
	URLHost string `json:"url_host"`
	Riders
}

// WebhookActivatedData is the data of sandbox.webhook.activated.
type WebhookActivatedData struct {
	Head
	URLHost string `json:"url_host"`
	Riders
}

// WebhookUpdatedData is the data of sandbox.webhook.updated.
type WebhookUpdatedData struct {
	Head
	URLHost string `json:"url_host"`
	// Changed are the fields of the subscription that were changed.
	Changed []string `json:"changed"`
	Riders
}

// WebhookDisabledData is the data of sandbox.webhook.disabled.
type WebhookDisabledData struct {
	Head
	URLHost             string  `json:"url_host"`
	ConsecutiveFailures int64   `json:"consecutive_failures"`
	LastErrorClass      *string `json:"last_error_class"`
	// DroppedCount is how many waiting deliveries were given up with it.
	DroppedCount int64 `json:"dropped_count"`
	Riders
}

// WebhookReenabledData is the data of sandbox.webhook.reenabled.
type WebhookReenabledData struct {
	Head
	URLHost string `json:"url_host"`
	Riders
}

// WebhookSecretRotatedData is the data of sandbox.webhook.secret_rotated.
type WebhookSecretRotatedData struct {
	Head
	// OldSecretValidUntil is until when both secrets sign.
	OldSecretValidUntil moment.Instant `json:"old_secret_valid_until"`
	Riders
}

// WebhookDeletedData is the data of sandbox.webhook.deleted.
type WebhookDeletedData struct {
	Head
	URLHost string `json:"url_host"`
	Riders
}

// WebhookTestedData is the data of sandbox.webhook.tested.
type WebhookTestedData struct {
	Head
	Delivered  bool    `json:"delivered"`
	StatusCode *int64  `json:"status_code"`
	LatencyMS  int64   `json:"latency_ms"`
	ErrorClass *string `json:"error_class"`
	Riders
}
