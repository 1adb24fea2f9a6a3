package integration

import (
	"fmt"
	"strings"

	"platen/internal/words/event"
)

// decided adds the decisions that the client made again. Until the day is over a client may still ask for the
// stored response of the first.
func (v *verifier) decided() {
	for i := range v.Repeated {
		r := &v.Repeated[i]
		if v.today <= r.Day {
			continue
		}
		cause := v.decision(r.Resource, r.ID)
		f := Finding{
			Kind: Decision, Verdict: Repeated, Cause: &cause, Since: r.Day, Done: &r.Day,
			Place: place(Decision, r.Day, false, i),
		}
		var names []string
		for _, id := range r.Again {
			again := v.decision(r.Resource, id)
			f.Effects, names = append(f.Effects, again), append(names, again.Name())
		}
		f.Text = fmt.Sprintf("%s was created, its response was lost, and the request was sent again with another "+
			"Idempotency-Key: %s.", cause.Name(), strings.Join(names, ", "))
		f.Updated = max(r.Answered, v.opened(r.Day+1))
		v.add(&f, r.Day)
	}
}

// decision names a trade or a purchase order.
func (v *verifier) decision(resource, id string) Record {
	row := Record{event.Office, resource, id, ""}
	if order, ok := v.Office.PurchaseOrders.Find(id); ok {
		row.Number = order.Number
	}
	return row
}
