package api

import (
	"bytes"
	"crypto/sha256"
	"net/http"
	"strconv"
	"time"

	"platen/internal/company/fault"
	"platen/internal/company/record"
	"platen/internal/event"
	"platen/internal/hop"
	"platen/internal/moment"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
)

// This file is what goes wrong on purpose with a request. Each fault happens at one station of
// the road, which asks for it; a sandbox without faults is asked once whether it has any.

// disturbed is what goes wrong with a request, nil for a sandbox without faults.
type disturbed struct {
	faults *sandbox.Faults
	draw   *fault.Draw
	// off is by how much the clock is off that the response shows.
	off time.Duration
	// grows is set for a response with something new in it.
	grows bool
	// slow and lost are set for a response that is held back or does not arrive.
	slow, lost bool
	// turned is set once the request was turned away: nothing more goes wrong with it.
	turned bool
}

// disturb draws what goes wrong with the request, and reports whether that has ended it
// (contract: OPEN.FAULT.ORDER).
func (x *exchange) disturb() (ended bool) {
	if x.sandbox == nil || x.op.spared || x.traceless() {
		return false
	}
	faults := x.sandbox.Faults(x.r.Context())
	if faults == nil {
		return false
	}
	v, err := x.sandbox.View(x.r.Context())
	if err != nil {
		return false // the operation says so
	}
	call := fault.Call{
		Key: fault.System(x.caller.System), Operation: x.op.ID, Method: x.r.Method, Path: x.r.URL.Path,
		Minute: operation.MinuteAt(v, x.now), Manual: v.Summary.Clock.Stands(),
	}
	if x.op.System == operation.Office || x.op.System == operation.Factory {
		call.System = fault.System(x.op.System)
	}
	d := &disturbed{faults: faults, draw: faults.Begin(call)}
	x.disturbed = d
	d.off = d.draw.Off()
	switch {
	case d.draw.Turned != 0:
		x.refuse(x.turnAway(v))
		return true
	case x.meets(fault.RequestLost):
		d.turned = true
		x.goMissing()
		x.sever(fault.RequestLost)
		return true
	}
	if (x.op.System != operation.Shared || x.op.Streams()) && x.r.Method == http.MethodGet {
		d.grows = x.meets(fault.Growth)
	}
	if x.op.Kind == operation.Write {
		faults.Unpin(x.caller.System)
	}
	return false
}

// goMissing shows the missions a request that is lost before it does anything.
func (x *exchange) goMissing() {
	x.call.Fault = fault.RequestLost
	if x.op.Kind == operation.Write {
		if d, err := x.readWrite(); err == nil {
			x.call.Key = x.writeKey(d.key, x.fingerprint(d.body))
		}
	}
	x.observe(http.StatusBadGateway)
}

// writeKey identifies a write with its idempotency key for the missions, 0 without a key.
func (x *exchange) writeKey(key string, fingerprint [sha256.Size]byte) uint64 {
	if key == "" {
		return 0
	}
	return hashOf(x.scope(), key, string(fingerprint[:]))
}

// meets reports whether the request meets a fault at its station, and notes that.
func (x *exchange) meets(kind fault.Kind) bool {
	d := x.disturbed
	if d == nil || d.turned || !d.faults.Hit(d.draw, kind) {
		return false
	}
	x.noteFault(kind, "")
	return true
}

func (x *exchange) noteFault(kind fault.Kind, detail string) {
	x.disturbed.faults.Note(sandbox.FaultHit{
		At: x.server.registry.Now(), Kind: kind, RequestID: x.requestID, Operation: x.op.ID, Detail: detail,
	})
}

// turnAway is the refusal of a request in a storm or an outage.
func (x *exchange) turnAway(v *sandbox.View) error {
	d := x.disturbed
	d.turned = true
	x.call.Fault = d.draw.Kind
	code, reason := problem.Unavailable, "The server has too much to do."
	if d.draw.Turned == http.StatusTooManyRequests {
		code, reason = problem.RateLimited, "This key sends too many requests."
	}
	if d.draw.Kind == fault.Outage {
		reason = "Head Office is away."
		if d.draw.Away == fault.Factory {
			reason = "The Factory is away."
		}
	}
	x.noteFault(d.draw.Kind, strconv.Itoa(d.draw.Turned))
	back := d.draw.Back
	if until, ok := v.Summary.Clock.Wall(d.draw.Until); ok && d.draw.Until > 0 {
		back = max(back, until.Sub(x.now))
	}
	p := problem.New(code, "%s", reason)
	p.RetryAfter = int((back + time.Second - 1) / time.Second)
	return p.RetryingAt(x.now.Add(back).Time())
}

// fare finds out how the response fares on its way. The missions are shown that with it.
func (x *exchange) fare() {
	d := x.disturbed
	if d == nil || d.turned {
		return
	}
	d.slow = x.meets(fault.SlowResponse)
	if d.lost = x.meets(fault.ResponseLost); d.lost {
		x.call.Fault = fault.ResponseLost
	}
}

// lost reports whether the response is lost on its way, after it was held back as long as a
// fault wants. The request is done by then.
func (x *exchange) lost() bool {
	d := x.disturbed
	if d == nil || d.turned {
		return false
	}
	if d.slow {
		sandbox.Waits(x.r.Context(), d.draw.Slow(), x.server.stopped)
	}
	if !d.lost {
		return false
	}
	d.turned = true
	x.sever(fault.ResponseLost)
	return true
}

// sever ends a request without a response of ours: the connection is cut, or something in
// between responds.
func (x *exchange) sever(kind fault.Kind) {
	const gateway = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n"
	if !x.byAgent() && x.forwarded == nil && x.disturbed.draw.How(kind, 2) == 0 {
		panic(http.ErrAbortHandler)
	}
	h := x.w.Header()
	clear(h)
	if x.forwarded != nil { // it is the fault that is passed on, and not asked again
		hop.Say(h, hop.Served, nil)
	}
	h.Set("Content-Type", "text/html")
	h.Set("Content-Length", strconv.Itoa(len(gateway)))
	x.status = http.StatusBadGateway
	x.w.WriteHeader(http.StatusBadGateway)
	if x.r.Method != http.MethodHead {
		_, _ = x.w.Write([]byte(gateway)) // whoever reads it is told nothing
	}
}

// stillAtWork refuses the repetition of a write, now and then, as if the first attempt were
// still at work.
func (x *exchange) stillAtWork(command sandbox.Command) error {
	if x.disturbed == nil || command.Key == "" {
		return nil
	}
	if _, found, err := x.sandbox.ReplayOrRefuse(x.r.Context(), command); err != nil || !found ||
		!x.meets(fault.InProgress) {
		return nil //nolint:nilerr // the command meets the same error
	}
	x.call.Fault = fault.InProgress
	back := x.disturbed.draw.Back
	p := problem.New(problem.RequestInProgress, "The first request with this key is still at work.")
	p.RetryAfter = int((back + time.Second - 1) / time.Second)
	return p.RetryingAt(x.now.Add(back).Time())
}

// stale returns the state that a read shows: an older one for a while, if the key meets that.
func (x *exchange) stale(v *sandbox.View) *sandbox.View {
	d := x.disturbed
	if d == nil || x.op.System == operation.Shared || x.op.Kind != operation.List && x.op.Kind != operation.Row {
		return v
	}
	if shown, stale := d.faults.Pinned(x.caller.System, v); stale {
		x.noteFault(fault.StaleRead, "version "+strconv.FormatUint(shown.Version, 10))
		return shown
	}
	if d.faults.Hit(d.draw, fault.StaleRead) { // it shows from the next change on
		d.faults.Pin(x.caller.System, v)
	}
	return v
}

// mostShort is how many rows a page has at most that is shortened.
const mostShort = 6

// shorten shortens a page, or forgets its cursor.
func (x *exchange) shorten(p *page) error {
	if x.disturbed == nil || x.op.Kind != operation.List && x.op.Kind != operation.Feed || !x.meets(fault.ShortPage) {
		return nil
	}
	draw := x.disturbed.draw
	if p.cursor && draw.How(fault.ShortPage, 2) == 0 {
		x.call.Fault, x.call.Page.Query = fault.ShortPage, p.binding
		return problem.New(problem.InvalidCursor, "This cursor has been forgotten; begin the list anew.")
	}
	p.limit = 1 + int(draw.How(fault.ShortPage, int64(min(p.limit, mostShort))))
	return nil
}

// grown adds a member to an object that no client knows.
func (x *exchange) grown(row []byte) []byte {
	if x.disturbed == nil || !x.disturbed.grows || len(row) < 2 || row[0] != '{' {
		return row
	}
	row = bytes.Replace(row, []byte(`"payment_habit":"usual"`), []byte(`"payment_habit":"by_arrangement"`), 1)
	const member = `{"preview":{"note":"Fields can be added at any time."},`
	if string(row) == "{}" {
		return []byte(member[:len(member)-1] + "}")
	}
	return append([]byte(member), row[1:]...)
}

// hidden returns the number of the first event after a number that the feed does not show,
// since its system is away; ok is false when there is none.
func (x *exchange) hidden(v *sandbox.View, after uint64) (sequence uint64, ok bool, err error) {
	if x.disturbed == nil || x.disturbed.draw.Away == "" {
		return 0, false, nil
	}
	var types []event.Type
	for _, d := range event.All() {
		office := d.Type.System() == event.Office || d.Type.System() == event.HR
		if factory := d.Type.System() == event.Factory; office && x.disturbed.draw.Away == fault.Office ||
			factory && x.disturbed.draw.Away == fault.Factory {
			types = append(types, d.Type)
		}
	}
	next := sandbox.Query{After: after, Limit: 1, Types: event.SetOf(types...)}
	first, err := x.sandbox.Events(x.r.Context(), v, next)
	if err != nil || len(first) == 0 {
		return 0, false, err
	}
	return first[0].Sequence, true, nil
}

// inSight cuts a page of the feed where an outage hides what follows. It returns the number up
// to which the page says that there is something to read.
func (x *exchange) inSight(v *sandbox.View, after uint64, events []record.Event) ([]record.Event, uint64, error) {
	hidden, ok, err := x.hidden(v, after)
	if err != nil || !ok {
		return events, v.Sequence, err
	}
	x.noteFault(fault.Outage, "the feed ends before event "+strconv.FormatUint(hidden, 10))
	for i := range events {
		if events[i].Sequence >= hidden {
			return events[:i], hidden - 1, nil
		}
	}
	return events, hidden - 1, nil
}

// feedVersion is what a page of the feed is tagged by: its newest event, and what an outage
// hides.
func (x *exchange) feedVersion(v *sandbox.View) uint64 {
	if x.disturbed == nil || x.disturbed.draw.Away == "" {
		return v.Sequence
	}
	return v.Sequence ^ hashOf(string(x.disturbed.draw.Away))
}

// told is a moment as the response tells it, by a clock that may be off.
func (x *exchange) told(at moment.Instant) moment.Instant {
	if x.disturbed == nil {
		return at
	}
	return at.Add(x.disturbed.off)
}
