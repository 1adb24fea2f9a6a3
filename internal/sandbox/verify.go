package sandbox

import (
	"context"
	"encoding/json"
	"fmt"

	"platen/internal/company/integration"
	"platen/internal/company/sim"
	"platen/internal/desk/activity"
	"platen/internal/words/event"
	"platen/internal/words/moment"
)

// Verification is the judgement of the hand-offs of a manual bridge.
type Verification struct {
	View *View
	// Manual is set where clients carry the records; without it there is no Result.
	Manual bool
	Result integration.Result
	// Manners says how considerate the clients' requests are, Refused how many of their
	// writes were refused.
	Manners activity.Manners
	Refused int64
}

// Verify brings the company up to the present and compares both of its systems. It keeps
// the writer waiting as long as it takes, which grows with the company.
func (s *Sandbox) Verify(ctx context.Context) (v Verification, err error) {
	v.View, err = s.look(ctx, func(view *View, now moment.Instant) {
		v.Result, v.Manual = s.company.Integration(view.minuteAt(now), s.client.Repeated(),
			s.client.Intents())
		v.Manners, v.Refused = s.client.Manners(), s.client.WritesRefused()
	})
	return v, err
}

// minuteAt is the in-world minute at a time.
func (v *View) minuteAt(now moment.Instant) sim.Minute {
	return max(v.Summary.Now, v.Summary.Clock.Minute(min(now, v.ExpiresAt)))
}

// EventName names an event of the feed.
type EventName struct {
	Sequence uint64
	ID       string
	Type     event.Type
}

const (
	// maxTrail is the number of events that are named for a record.
	maxTrail = 20
	// eventsPerTrailRead is the number of events that are read at a time.
	eventsPerTrailRead = 500
)

// Trails finds the events that are about records, or name them: by the ids of the records,
// oldest first, and of each the first ones alone. The id of a week is its Monday, which only the
// field week_start names.
func (s *Sandbox) Trails(ctx context.Context, v *View, ids map[string]bool) (map[string][]EventName, error) {
	trails := map[string][]EventName{}
	if len(ids) == 0 {
		return trails, nil
	}
	for after := uint64(0); ; {
		events, err := s.Events(ctx, v, Query{After: after, Limit: eventsPerTrailRead, Types: handOffEvents()})
		if err != nil || len(events) == 0 {
			return trails, err
		}
		for i := range events {
			e := &events[i]
			after = e.Sequence
			var body struct {
				Data map[string]any `json:"data"`
			}
			if err := json.Unmarshal(e.Body, &body); err != nil {
				return nil, fmt.Errorf("read event %s: %w", e.ID, err)
			}
			for name, value := range body.Data {
				id, _ := value.(string)
				var monday moment.Date
				if name != "week_start" && monday.UnmarshalText([]byte(id)) == nil {
					continue
				}
				if ids[id] && len(trails[id]) < maxTrail {
					trails[id] = append(trails[id], EventName{e.Sequence, e.ID, event.Type(e.Type)})
				}
			}
		}
	}
}

// handOffEvents are the types of which records that are carried, or that carry, have
// their events.
func handOffEvents() event.Set {
	return event.SetOf(
		event.SalesOrderAccepted, event.SalesOrderDeclined, event.SalesOrderExpired,
		event.ContractLotAccepted, event.ContractLotDeclined, event.ContractLotExpired, event.ContractLotDelivered,
		event.WorkOrderCreated, event.ShipmentCreated, event.CustomerInvoiceCreated,
		event.FactoryRequisitionCreated, event.OfficeRequisitionReceived, event.OfficeRequisitionApproved,
		event.OfficeRequisitionRejected, event.PurchaseOrderCreated, event.PurchaseOrderApproved,
		event.FactoryGoodsReceiptRecorded, event.OfficeGoodsReceiptRecorded,
		event.SupplierInvoiceReceived, event.SupplierInvoicePaid, event.PaymentOverdue, event.PayrollDue,
	)
}
