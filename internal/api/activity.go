package api

import (
	"encoding/binary"

	"platen/internal/api/message"
	"platen/internal/company/record"
	"platen/internal/desk/activity"
	"platen/internal/operation"
	"platen/internal/sandbox"
)

// ledgerResource names the entries of the ledger, which a client that checks
// the accounts reads whole.
const ledgerResource = "ledger_entry"

// paged notes which page of a list the response holds.
func (x *exchange) paged(v *sandbox.View, p *page, next string) {
	b := binary.BigEndian.AppendUint64(nil, p.binding)
	b = binary.BigEndian.AppendUint64(b, uint64(p.limit)) // pages of another size are another list
	page := activity.Page{
		List: message.Hash(b), Query: p.binding, First: !p.cursor, From: p.after, Last: next == "",
		Ledger: ledgerCursor(v),
	}
	if next != "" {
		page.Next, _ = p.decodeCursor(next) // our own
	}
	page.Ledger.Whole = x.op.Resource == ledgerResource && p.chosen == 0
	x.facts.Page = page
}

// followed notes which part of the feed the response holds. A page of the feed
// that was asked for by number is no page of a list.
func (x *exchange) followed(v *sandbox.View, p *page, events []record.Event, next string) {
	if x.op.Kind == operation.Feed && (p.cursor || p.after == 0) {
		x.paged(v, p, next)
	}
	s := activity.FeedRange{Read: true, Chosen: p.chosen, After: p.after, Last: p.after, Events: int64(len(events))}
	if n := len(events); n > 0 {
		s.Last = events[n-1].Sequence
	}
	x.facts.FeedRange, x.facts.Page.Ledger = s, ledgerCursor(v)
}

// ledgerCursor is the position of ledger and feed in a view.
func ledgerCursor(v *sandbox.View) activity.LedgerCursor {
	return activity.LedgerCursor{Ledger: v.Table(ledgerResource).Version, Sequence: v.Sequence}
}
