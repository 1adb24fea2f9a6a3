package api

import (
	"encoding/binary"
	"net/http"

	"platen/internal/company/mission"
	"platen/internal/company/record"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
)

// ledgerResource names the entries of the ledger, which a client that checks
// the accounts reads whole.
const ledgerResource = "ledger_entry"

// present returns the state that a read shows. A read that gets so far counts
// for the missions, and its response shows the ones that it completes.
func (x *exchange) present() (*sandbox.View, error) {
	v, err := x.sandbox.View(x.r.Context())
	if err == nil && x.observe(http.StatusOK) {
		v, err = x.sandbox.View(x.r.Context())
	}
	if err != nil || x.disturbed == nil {
		return v, err //nolint:wrapcheck // a problem, or the name of what failed
	}
	return x.stale(v), nil
}

// observe shows the request to the missions before the response is sent, and
// reports whether it completes some: a client that has the response finds them
// completed.
func (x *exchange) observe(status int) (completes bool) {
	if x.sandbox == nil || x.traceless() || x.dry || x.r.Method == http.MethodOptions {
		return false
	}
	c := &x.call
	c.Answered, c.Status, c.Replayed = x.server.registry.Now(), status, x.replayed
	c.Factory, c.Agent = x.caller.System == apikey.Factory, x.byAgent()
	c.Business = x.op != nil && (x.op.System == operation.Office || x.op.System == operation.Factory)
	c.Ended = x.status != 0
	if x.disturbed != nil {
		c.Exposed, c.Away = true, x.disturbed.draw.Away
	}
	switch x.r.Method {
	case http.MethodGet:
		if x.etag != "" && x.op != nil && x.op.Kind != operation.Poll { // who waits may ask again
			c.Read = mission.Read{What: hashOf(x.r.URL.Path, x.r.URL.RawQuery), Tag: hashOf(x.etag)}
		}
		c.CSV = x.csv && x.status != 0 // a read that is only begun may yet be a 304
	case http.MethodHead: // nothing was read
		c.Page, c.FeedRange = mission.Page{}, mission.FeedRange{}
	default:
		c.Write = true
	}
	return x.sandbox.Observe(x.r.Context(), c)
}

// paged notes which page of a list the response holds.
func (x *exchange) paged(v *sandbox.View, p *page, next string) {
	page := mission.Page{
		List: p.list(), Query: p.binding, First: !p.cursor, From: p.after, Last: next == "", Ledger: ledgerCursor(v),
	}
	if next != "" {
		page.Next, _ = p.decodeCursor(next) // our own
	}
	page.Ledger.Whole = x.op.Resource == ledgerResource && p.chosen == 0
	x.call.Page = page
}

// followed notes which part of the feed the response holds. A page of the feed
// that was asked for by number is no page of a list.
func (x *exchange) followed(v *sandbox.View, p *page, events []record.Event, next string) {
	if x.op.Kind == operation.Feed && (p.cursor || p.after == 0) {
		x.paged(v, p, next)
	}
	s := mission.FeedRange{Read: true, Chosen: p.chosen, After: p.after, Last: p.after, Events: int64(len(events))}
	if n := len(events); n > 0 {
		s.Last = events[n-1].Sequence
	}
	x.call.FeedRange, x.call.Page.Ledger = s, ledgerCursor(v)
}

// ledgerCursor is the position of ledger and feed in a view.
func ledgerCursor(v *sandbox.View) mission.LedgerCursor {
	return mission.LedgerCursor{Ledger: v.Table(ledgerResource).Version, Sequence: v.Sequence}
}

// list identifies a list: a route with its filters and the size of its pages.
func (p *page) list() uint64 {
	return hash(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, p.binding), uint64(p.limit)))
}
