package webhook

import (
	"context"
	"net/http"
	"slices"
	"time"

	"platen/internal/desk/subscription"
)

// decoy sends what is not the true delivery, before it is made (contract:
// OPEN.FAULT.WEBHOOK_FORGED). Nothing depends on what the receiver makes of it, and what
// cannot be sent is not: the true attempt finds out why.
func (d *Dispatcher) decoy(ctx context.Context, transport http.RoundTripper, a *subscription.Attempt) {
	m, err := d.message(a, time.Now())
	if err != nil {
		return
	}
	if a.Decoy == subscription.Truncated {
		m.Cut = len(m.Body) / 2 //nolint:mnd // any part of it will do
	} else {
		m.Secrets, m.Body = []string{NewSecret()}, forged(m.Body)
	}
	Post(ctx, transport, m)
}

// forged is the body of an event with each whole number in its data ten times as large: what a
// receiver must not believe looks like what it waits for.
func forged(body []byte) []byte {
	members, err := membersOf(body)
	if err != nil {
		return body
	}
	for i := range members {
		if string(members[i].name) != `"data"` {
			continue
		}
		data, err := membersOf(members[i].value)
		if err != nil {
			return body
		}
		for j := range data {
			if v := data[j].value; v[0] >= '1' && v[0] <= '9' && isDigits(v) {
				data[j].value = slices.Concat(v, []byte{'0'}) // v lies within the body
			}
		}
		members[i].value = assemble(data, "}")
	}
	return assemble(members, "}")
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
