package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"platen/internal/company/record"
	"platen/internal/desk/subscription"
	"platen/internal/edge/webhook"
	"platen/internal/sandbox"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// CreateWebhook is the body of POST /webhooks.
type CreateWebhook struct {
	_ struct{} `doc:"The body that creates a webhook subscription for the client."`

	URL         string       `json:"url" required:"true" verbatim:"true" doc:"Where deliveries go: a public https:// URL on port 443, without userinfo. It is never shown again."`
	Events      []event.Type `json:"events" required:"true" minItems:"1" maxItems:"50" uniqueItems:"true" doc:"The event types to deliver, or * alone for all of them. Patterns such as office.* are invalid."`
	Description *string      `json:"description,omitzero" nullable:"true" maxLength:"200" doc:"For you; nothing reads it."`
}

// UpdateWebhook is the body of PATCH /webhooks/{id}.
type UpdateWebhook struct {
	_ struct{} `doc:"The body that changes a webhook subscription of the client."`

	Status      *string      `json:"status,omitzero" enum:"active,disabled" doc:"active or disabled. Any change enables a disabled subscription, unless this is disabled; deliveries begin with the next event."`
	URL         *string      `json:"url,omitzero" verbatim:"true" doc:"Another URL, which has to be verified by a test before anything is delivered to it."`
	Events      []event.Type `json:"events,omitzero" minItems:"1" maxItems:"50" uniqueItems:"true" doc:"Other event types, from the next event on."`
	Description *string      `json:"description,omitzero" nullable:"true" maxLength:"200" doc:"Another description; an empty text clears it, null leaves the one that there is."`
}

// RedeliverFailed is the body of POST /webhooks/{id}/redeliver.
type RedeliverFailed struct {
	_ struct{} `doc:"The body that chooses which failed events to send again."`

	Since      int64        `json:"since" required:"true" minimum:"1" maximum:"9007199254740991" example:"1" doc:"The number of the first event to look at, its seq in the feed. 1 looks at all."`
	EventTypes []event.Type `json:"event_types,omitzero" minItems:"1" maxItems:"50" uniqueItems:"true" doc:"Only events of these types; all types of the subscription by default."`
}

// RedeliveredFailed is the response of sending failed events again.
type RedeliveredFailed struct {
	_ struct{} `doc:"The number of events that are sent again."`

	Count int64 `json:"count" doc:"How many events are sent again, each once."`
}

// WebhookTest is the response of a test (contract: OPEN.WHK.TEST.ANSWER).
type WebhookTest struct {
	_ struct{} `doc:"The result of a test ping to the URL of a subscription."`

	Delivered  bool                `json:"delivered" doc:"The URL responded to the ping with 2xx."`
	StatusCode *int64              `json:"status_code" doc:"The status of the URL's response; null when there was none."`
	LatencyMS  int64               `json:"latency_ms" doc:"How long the ping took, in milliseconds."`
	ErrorClass *event.ErrorClass   `json:"error_class" doc:"The kind of the failure; null for none."`
	Status     subscription.Status `json:"status" enum:"pending_verification,active,disabled" doc:"The status of the subscription after the test: pending_verification, active or disabled."`
}

// URLDetails are the details of webhook_url_rejected.
type URLDetails struct {
	Reason string `json:"reason"`
}

func webhookOperations() []Operation {
	return slices.Concat(
		reads[subscription.Subscription](noun{
			system: Shared, path: "/webhooks", resource: subscription.Resource, singular: "webhook", plural: "webhooks",
			summary:         "webhook subscriptions",
			listDescription: "The subscriptions of the sandbox, at most three. Either key manages all of them.",
			one:             "a webhook subscription",
		}),
		[]Operation{createWebhook(), updateWebhook(), deleteWebhook(), testWebhook(), rotateWebhookSecret(), {
			ID: "list_webhook_deliveries", Kind: List, Method: http.MethodGet, Path: "/webhooks/{id}/deliveries",
			System: Shared, Key: KeyNone, Status: http.StatusOK,
			Summary: "List the deliveries of a webhook subscription",
			Description: "A row for each attempt: the event, the time, and the status of the receiver's response, " +
				"never its body. Waiting attempts are listed too. Of those that are over, the newest 500 are kept.",
			Resource: subscription.DeliveryResource, Parent: subscription.Resource,
			Filters: belonging(subscription.DeliveryResource), Out: reflect.TypeFor[subscription.Delivery](),
		}, redeliver(), redeliverFailed()},
	)
}

// checkURL refuses a URL by its text, and returns the host to be shown.
func checkURL(tx *sandbox.Tx, url string) (host string, err error) {
	host, reason, sentence := tx.Webhooks().Check(url)
	if reason != "" {
		p := problem.New(problem.WebhookURLRejected, "%s", sentence).With(URLDetails{Reason: reason})
		if _, private := webhook.CheckURL(url, webhook.Policy{Private: true}); private == "" {
			p = p.DueTo("private-webhooks")
		}
		return "", p
	}
	return host, nil
}

// telling is the row of a subscription with its secret, which is told once.
func telling(id, secret string) Result {
	return Result{Resource: subscription.Resource, ID: id, Once: func(v *sandbox.View) any {
		e, _ := v.Row(subscription.Resource, id)
		row := record.Decode[subscription.Subscription](e)
		row.Secret = &secret
		return row
	}}
}

func createWebhook() Operation {
	return write(Operation{
		ID: "create_webhook", Path: "/webhooks", System: Shared, Status: http.StatusCreated,
		Out:     reflect.TypeFor[subscription.Subscription](),
		Summary: "Create a webhook subscription",
		Description: "The response holds the secret that signs deliveries, this once: a replay shows null. " +
			"Nothing is delivered before POST /webhooks/{id}/test got a 2xx from your URL.",
		Problems: []problem.Code{problem.WebhookURLRejected, problem.InvalidEventType, problem.WebhookLimitReached},
		Events:   []event.Type{event.WebhookCreated},
	}, func(tx *sandbox.Tx, _ PathParams, in *CreateWebhook) (Result, error) {
		host, err := checkURL(tx, in.URL)
		if err != nil {
			return Result{}, err
		}
		id, err := tx.Desk.Webhooks.CanCreate(in.Events)
		if err != nil {
			return Result{}, err
		}
		hooks := tx.Webhooks()
		secret := hooks.NewSecret()
		tx.Desk.Webhooks.Create(subscription.Order{
			Host: host, Address: hooks.Seal(in.URL, tx.SandboxID(), id), Secret: hooks.Seal(secret, tx.SandboxID(), id),
			Events: in.Events, Description: in.Description,
		})
		return telling(id, secret), nil
	})
}

func updateWebhook() Operation {
	return write(Operation{
		ID: "update_webhook", Method: http.MethodPatch, Path: "/webhooks/{id}", System: Shared,
		Out:     reflect.TypeFor[subscription.Subscription](),
		Summary: "Change a webhook subscription", BodyOptional: true,
		Description: "Omitted fields stay unchanged. Any change enables a disabled subscription, " +
			"unless status is disabled. A changed URL has to be verified again, with any status; " +
			"deliveries that waited for the old one are dropped.",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState, problem.WebhookURLRejected,
			problem.InvalidEventType},
		Events: []event.Type{event.WebhookUpdated, event.WebhookReenabled},
	}, func(tx *sandbox.Tx, at PathParams, in *UpdateWebhook) (Result, error) {
		id := at.ID
		if _, err := tx.Desk.Webhooks.Find(id); err != nil {
			return Result{}, err
		}
		change := subscription.Change{Events: in.Events, Description: in.Description}
		if in.Status != nil {
			change.Status = subscription.Status(*in.Status)
		}
		if in.URL != nil {
			host, err := checkURL(tx, *in.URL)
			if err != nil {
				return Result{}, err
			}
			address, _ := tx.Desk.Webhooks.Address(id, tx.Now)
			old, err := tx.Webhooks().Open(address, tx.SandboxID(), id)
			if err != nil {
				return Result{}, fmt.Errorf("open the URL of a subscription: %w", err)
			}
			if old != *in.URL {
				change.Host, change.Address = host, tx.Webhooks().Seal(*in.URL, tx.SandboxID(), id)
			}
		}
		return Result{Resource: subscription.Resource, ID: id}, tx.Desk.Webhooks.Change(id, change)
	})
}

func deleteWebhook() Operation {
	return write(Operation{
		ID: "delete_webhook", Method: http.MethodDelete, Path: "/webhooks/{id}", System: Shared,
		Out:     reflect.TypeFor[subscription.Subscription](),
		Summary: "Delete a webhook subscription",
		Description: "Waiting deliveries are not sent. The response is its last row; after it the subscription and " +
			"its log are gone.",
		Problems: []problem.Code{problem.NotFound},
		Events:   []event.Type{event.WebhookDeleted},
	}, func(tx *sandbox.Tx, at PathParams, _ *noBody) (Result, error) {
		last, err := tx.Desk.Webhooks.Delete(at.ID)
		return Result{Value: func(*sandbox.View) any { return last }}, err
	})
}

func rotateWebhookSecret() Operation {
	return write(Operation{
		ID: "rotate_webhook_secret", Path: "/webhooks/{id}/rotate-secret", System: Shared,
		Out:     reflect.TypeFor[subscription.Subscription](),
		Summary: "Replace the secret of a webhook subscription",
		Description: "The response holds the new secret, this once. For a day both secrets sign, so that receivers " +
			"can change over. A second rotation within the day ends the first secret at once.",
		Problems: []problem.Code{problem.NotFound},
		Events:   []event.Type{event.WebhookSecretRotated},
	}, func(tx *sandbox.Tx, at PathParams, _ *noBody) (Result, error) {
		id := at.ID
		if _, err := tx.Desk.Webhooks.Find(id); err != nil {
			return Result{}, err
		}
		secret := tx.Webhooks().NewSecret()
		tx.Desk.Webhooks.Rotate(id, tx.Webhooks().Seal(secret, tx.SandboxID(), id), tx.Now)
		return telling(id, secret), nil
	})
}

func redeliver() Operation {
	return write(Operation{
		ID: "redeliver_webhook", Path: "/webhooks/{id}/deliveries/{delivery_id}/redeliver", System: Shared,
		Status:  http.StatusAccepted,
		Out:     reflect.TypeFor[subscription.Delivery](),
		Summary: "Send an event once more",
		Description: "Returns a new delivery of the same event, under the same webhook-id. " +
			"It is sent at once, within the budget, and retried like any other.",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState, problem.TooManyOpen},
	}, func(tx *sandbox.Tx, at PathParams, _ *noBody) (Result, error) {
		id, err := tx.Desk.Webhooks.Redeliver(at.ID, at.DeliveryID, tx.Now)
		return Result{Resource: subscription.DeliveryResource, ID: id}, err
	})
}

func redeliverFailed() Operation {
	return write(Operation{
		ID: "redeliver_failed_events", Path: "/webhooks/{id}/redeliver", System: Shared, Status: http.StatusAccepted,
		Out:     reflect.TypeFor[RedeliveredFailed](),
		Summary: "Send all failed events once more",
		Description: "Sends each event that the receiver did not get: none of its deliveries succeeded and none " +
			"waits. Events from while the subscription was disabled are among them. They are sent in the " +
			"order of the feed, within the budget, and retried like any other. Five failures in a row disable " +
			"the subscription, and drop the rest.",
		Problems: []problem.Code{problem.NotFound, problem.InvalidState, problem.InvalidEventType, problem.TooManyOpen},
	}, func(tx *sandbox.Tx, at PathParams, in *RedeliverFailed) (Result, error) {
		id := at.ID
		again := subscription.Again{Since: uint64(in.Since), Types: in.EventTypes}
		stretches, err := tx.Desk.Webhooks.Missed(id, again)
		if err != nil {
			return Result{}, err
		}
		var missed []record.Event
		for _, s := range stretches {
			events, err := tx.Events(sandbox.Query{After: s[0] - 1, Limit: int(s[1] - s[0] + 1)})
			if err != nil {
				return Result{}, fmt.Errorf("read missed events: %w", err)
			}
			missed = append(missed, events...)
		}
		count, err := tx.Desk.Webhooks.RedeliverFailed(id, again, missed, tx.Now)
		return Result{Value: func(*sandbox.View) any { return RedeliveredFailed{Count: int64(count)} }}, err
	})
}

// pinged is the outcome of a test ping, to be recorded.
type pinged struct {
	attempt subscription.Attempt
	outcome subscription.Outcome
}

func testWebhook() Operation {
	return called(Operation{
		ID: "test_webhook", Path: "/webhooks/{id}/test", System: Shared, Out: reflect.TypeFor[WebhookTest](),
		Summary: "Ping the URL of a webhook subscription",
		Description: "Sends an event of the type webhook.ping, signed like any delivery, and waits for the response. " +
			"2xx activates a new subscription. One test of a subscription at a time; the ping is in the " +
			"delivery log and not in the feed, and counts in the budget of deliveries.",
		Problems: []problem.Code{problem.NotFound, problem.RequestInProgress},
		Events:   []event.Type{event.WebhookTested, event.WebhookActivated, event.MissionCompleted},
	}, ping, func(tx *sandbox.Tx, at PathParams, sent *pinged) (Result, error) {
		if err := tx.Desk.Tested(sent.attempt, sent.outcome); err != nil {
			return Result{}, err
		}
		s, err := tx.Desk.Webhooks.Find(at.ID)
		if err != nil {
			return Result{}, err
		}
		answer := WebhookTest{
			Delivered: sent.outcome.ErrorClass == "", LatencyMS: sent.outcome.Latency.Milliseconds(), Status: s.Status,
		}
		if sent.outcome.StatusCode != 0 {
			answer.StatusCode = new(int64(sent.outcome.StatusCode))
		}
		if !answer.Delivered {
			answer.ErrorClass = &sent.outcome.ErrorClass
		}
		return Result{Value: func(*sandbox.View) any { return answer }}, nil
	})
}

// ping returns the function that sends a ping and waits for its response.
func ping(tx *sandbox.Tx, at PathParams) (func(context.Context) pinged, error) {
	if _, err := tx.Desk.Webhooks.Find(at.ID); err != nil {
		return nil, err
	}
	attempt := subscription.Attempt{
		SandboxID: tx.SandboxID(), SubscriptionID: at.ID, EventID: sandbox.NewID("evt"), EventType: subscription.Ping,
		Number: 1, Trigger: subscription.Test, Trace: tx.Trace,
	}
	attempt.Address, attempt.Secrets = tx.Desk.Webhooks.Address(at.ID, tx.Now)
	var err error
	attempt.Event, err = json.Marshal(pingEvent{
		ID: attempt.EventID, Type: attempt.EventType, CreatedAt: tx.Now, SimDate: tx.Company.Date(),
		SandboxID: tx.SandboxID(), System: event.Sandbox, Simulation: true,
		Data: pingData{WebhookID: at.ID}, Links: Links{Self: "/webhooks/" + at.ID},
	})
	if err != nil {
		return nil, fmt.Errorf("encode a ping: %w", err)
	}
	if err := tx.CanPing(); err != nil {
		return nil, err
	}
	done, err := tx.Pinging(at.ID)
	send := tx.Webhooks().Send
	return func(ctx context.Context) pinged {
		defer done()
		return pinged{attempt: attempt, outcome: send(ctx, attempt)}
	}, err
}

// pingEvent is a ping in the form of an event (contract: OPEN.WHK.TEST.PING).
type pingEvent struct {
	ID         string         `json:"id"`
	Type       event.Type     `json:"type"`
	CreatedAt  moment.Instant `json:"created_at"`
	SimDate    moment.Date    `json:"sim_date"`
	SandboxID  string         `json:"sandbox_id"`
	System     event.System   `json:"system"`
	Simulation bool           `json:"simulation"`
	Data       pingData       `json:"data"`
	Links      Links          `json:"links"`
}

type pingData struct {
	WebhookID string `json:"webhook_id"`
}
