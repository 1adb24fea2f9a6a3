// Package faults is the layer of injected faults around the endpoints of the API. It draws when a
// request comes, gives the endpoint the conditions that it serves the request under, and marks the response.
// It never waits and never cuts a connection: the writer does. A sandbox without faults passes through.
package faults

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"time"

	"platen/internal/api/message"
	"platen/internal/company/fault"
	"platen/internal/desk"
	"platen/internal/desk/injection"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Injector injects the faults of sandboxes into their requests.
type Injector struct {
	// Now is the clock of the server.
	Now func() moment.Instant
	// Errors turns errors into responses.
	Errors *message.Errors
	// Carry carries out a request that arrives late, before another one, and returns the status of the response that
	// nobody gets.
	Carry func(before *message.Request, late *injection.Late) (status int)
}

// Layer is the layer around the endpoints (contract: OPEN.FAULT.ORDER).
func (i *Injector) Layer(next message.Handler) message.Handler {
	return func(r *message.Request) *message.Response {
		d, view := i.draw(r)
		if d == nil {
			return next(r)
		}
		var out *message.Response
		switch {
		case d.Turned != 0:
			out = i.turnAway(d, view)
		case d.loses(fault.RequestLost):
			out = d.lose(fault.RequestLost)
		case d.delays():
			out = d.lose(fault.RequestLate)
		default:
			out = d.after(next(d.before(view)))
		}
		out.Facts.Exposed, out.Facts.Away, out.Facts.Injected = true, d.Away, d.injected
		return out
	}
}

// disturbed is a request of a sandbox with faults.
type disturbed struct {
	*injection.Draw

	injector *Injector
	request  *message.Request
	faults   *desk.Faults
	// grows is set for a response with a field that no client knows, short for a page that is cut, stale where an
	// older state is shown.
	grows, short, stale bool
	// injected are the kinds of the faults that the request met.
	injected []fault.Kind
}

// draw draws the faults of a request, nil for none. The view is of before the request.
func (i *Injector) draw(r *message.Request) (*disturbed, *sandbox.View) {
	op := r.Operation
	if r.Sandbox == nil || op == nil {
		return nil, nil
	}
	faults := r.Sandbox.Faults(r.Context())
	if faults == nil {
		return nil, nil
	}
	i.arrive(r, faults)
	if op.Spared() || r.Traceless() || r.DryRun() {
		return nil, nil
	}
	v, err := r.Sandbox.View(r.Context())
	if err != nil {
		return nil, nil // the operation says so
	}
	call := injection.Call{
		Key: injection.System(r.Caller.System), Operation: op.ID, Method: r.HTTP.Method, Path: r.HTTP.URL.Path,
		Writes: op.Method != http.MethodGet,
		Minute: v.MinuteAt(r.At), Manual: v.Summary.Clock.Stands(), At: r.At,
	}
	if op.System != operation.Shared {
		call.System = injection.System(op.System)
	}
	copied := *r
	d := &disturbed{Draw: faults.Begin(call), injector: i, request: &copied, faults: faults}
	d.request.Conditions.Offset = d.Off()
	d.request.Conditions.KeyWrites = true
	return d, v
}

// hit reports whether a fault of a kind is drawn for the request, and notes that.
func (d *disturbed) hit(kind fault.Kind) bool {
	hit := d.faults.Hit(d.Draw, kind)
	if hit {
		d.note(kind, "")
	}
	return hit
}

// loses reports whether a fault of a kind is drawn that leaves the request without a response, and notes that.
func (d *disturbed) loses(kind fault.Kind) bool {
	hit := d.faults.Hit(d.Draw, kind)
	if hit {
		d.note(kind, string(d.Form(kind)))
	}
	return hit
}

func (d *disturbed) note(kind fault.Kind, detail string) {
	d.injected = append(d.injected, kind)
	d.faults.Note(desk.FaultHit{
		At: d.injector.Now(), Kind: kind, RequestID: d.request.ID, Operation: d.request.Operation.ID, Detail: detail,
	})
}

// turnAway is the response in a storm or an outage.
func (i *Injector) turnAway(d *disturbed, v *sandbox.View) *message.Response {
	code, reason := problem.Unavailable, "The server has too much to do."
	if d.Turned == http.StatusTooManyRequests {
		code, reason = problem.RateLimited, "This key sends too many requests."
	}
	if d.Kind == fault.Outage {
		reason = "Head Office is away."
		if d.Away == injection.Factory {
			reason = "The Factory is away."
		}
	}
	d.note(d.Kind, strconv.Itoa(d.Turned))
	at := d.request.At
	back := d.Back
	if until, ok := v.Summary.Clock.Wall(d.Until); ok && d.Until > 0 {
		back = max(back, until.Sub(at))
	}
	out := d.refuse(d.Kind, problem.New(code, "%s", reason), back)
	out.Facts.Intent = d.request.UnreadIntent()
	return out
}

// refuse is an error that goes away after a while, and that a fault is the reason of.
func (d *disturbed) refuse(kind fault.Kind, p *problem.Problem, back time.Duration) *message.Response {
	at := d.request.At
	p.RetryAfter = int((back + time.Second - 1) / time.Second)
	out := d.injector.Errors.Response(d.request, at, p.RetryingAt(at.Add(back).Time()))
	out.Facts.Fault = kind
	return d.dated(out)
}

// dated puts the clock that is off into the header Date.
func (d *disturbed) dated(out *message.Response) *message.Response {
	if off := d.request.Conditions.Offset; off != 0 {
		out.Set("Date", d.request.At.Add(off).Time().UTC().Format(http.TimeFormat))
	}
	return out
}

// lose loses a request before it does anything, or anything yet.
func (d *disturbed) lose(kind fault.Kind) *message.Response {
	out := &message.Response{Status: http.StatusBadGateway, Severed: d.severing(kind), Unreached: true}
	out.Facts.Fault = kind
	if r := d.request; r.Is(operation.Write) {
		keys := r.HTTP.Header[wire.HeaderIdempotencyKey]
		if body, err := r.Body.Bytes(); err == nil && len(keys) == 1 {
			out.Facts.Key = r.WriteKey(keys[0], r.Fingerprint(body))
		}
		out.Facts.Intent = r.UnreadIntent()
	}
	return out
}

// severing is how the connection of a request ends that has no response.
func (d *disturbed) severing(kind fault.Kind) message.Severing {
	if d.Form(kind) == fault.Cut {
		return message.CutOff
	}
	return message.BadGateway
}

// mostShort is how many rows a page has at most that is shortened.
const mostShort = 6

// before returns the request with the conditions under which the endpoint serves it.
func (d *disturbed) before(v *sandbox.View) *message.Request {
	r := d.request
	c, op := &r.Conditions, r.Operation
	read := r.HTTP.Method == http.MethodGet
	if (op.System != operation.Shared || op.Streams()) && read {
		d.grows = d.faults.Hit(d.Draw, fault.Growth)
	}
	if d.Away != "" {
		c.Hidden = eventsOf(d.Away)
		if until, ok := v.Summary.Clock.Wall(d.AwayUntil); ok && d.AwayUntil > 0 {
			c.HiddenUntil = until
		}
	}
	if r.Is(operation.Write) {
		r.Sandbox.Unpin(r.Caller.System)
	}
	if r.Is(operation.List, operation.Row) && op.System != operation.Shared {
		d.pin(v)
	}
	if r.Is(operation.List, operation.Feed) {
		if d.short = d.faults.Hit(d.Draw, fault.ShortPage); d.short {
			c.ForgetCursor = d.How(fault.ShortPage, 2) == 0
			c.MaxRows = 1 + int(d.How(fault.ShortPage, mostShort))
		}
	}
	return r
}

// pin lets a read show an older state, if its key meets that.
func (d *disturbed) pin(v *sandbox.View) {
	system := d.request.Caller.System
	if shown, stale := d.request.Sandbox.Pinned(system, v); stale {
		d.request.Conditions.Pinned, d.stale = shown, true
	} else if d.faults.Hit(d.Draw, fault.StaleRead) { // it shows from the next change on
		d.request.Sandbox.Pin(system, v)
	}
}

// eventsOf are the types of the events of a system.
func eventsOf(system injection.System) event.Set {
	var types []event.Type
	for _, d := range event.All() {
		of := injection.Factory
		switch d.Type.System() {
		case event.Office, event.HR:
			of = injection.Office
		case event.Factory:
		default:
			continue
		}
		if of == system {
			types = append(types, d.Type)
		}
	}
	return event.SetOf(types...)
}

// after marks the response.
func (d *disturbed) after(out *message.Response) *message.Response {
	if out.Gone || out.Relayed {
		return out
	}
	if out.Replayed && d.hit(fault.InProgress) {
		p := problem.New(problem.RequestInProgress, "The first request with this key is still at work.")
		held := d.refuse(fault.InProgress, p, d.Back)
		held.Facts.Key, held.Facts.Press, held.Facts.Intent = out.Facts.Key, out.Facts.Press, out.Facts.Intent
		out = held
	}
	d.noteShown(out)
	d.dated(out)
	if d.hit(fault.SlowResponse) {
		out.Hold, out.CutShort = d.Slow(), func() {
			d.faults.Forgive(d.Draw, fault.SlowResponse, d.request.ID)
			d.request.Sandbox.Client().Calls.Unhit(d.request.ID, fault.SlowResponse)
		}
		out.GivenUp = func() {
			d.request.Sandbox.GaveUp(context.WithoutCancel(d.request.Context()), &out.Facts)
		}
	}
	if d.loses(fault.ResponseLost) {
		out.Severed, out.Facts.Fault = d.severing(fault.ResponseLost), fault.ResponseLost
	}
	return out
}

// noteShown notes the conditions that the response shows, and gives back what had no effect.
func (d *disturbed) noteShown(out *message.Response) {
	c := &d.request.Conditions
	forgotten := out.Code == problem.InvalidCursor && c.ForgetCursor
	switch {
	case d.short && forgotten:
		out.Facts.Fault = fault.ShortPage
		d.note(fault.ShortPage, "")
	case d.short && out.Shortened:
		d.note(fault.ShortPage, "")
	case d.short:
		d.faults.GiveBack(d.Draw, fault.ShortPage)
	}
	switch {
	case d.grows && grow(out, d.request):
		d.note(fault.Growth, "")
	case d.grows:
		d.faults.GiveBack(d.Draw, fault.Growth)
	}
	if d.stale && out.Succeeded() {
		d.note(fault.StaleRead, "version "+strconv.FormatUint(c.Pinned.Version, 10))
	}
	if out.HiddenFrom > 0 {
		detail := "the feed ends before event "
		if d.request.Is(operation.Row) {
			detail = "hides event "
		}
		d.note(fault.Outage, detail+strconv.FormatUint(out.HiddenFrom, 10))
	}
}

// grow adds a member that no client knows to the objects of a response, and reports whether it has some.
func grow(out *message.Response, r *message.Request) bool {
	switch {
	case !out.Succeeded():
		return false
	case out.Page != nil && len(out.Page.Rows) > 0:
		rows := make([][]byte, len(out.Page.Rows))
		for i, row := range out.Page.Rows {
			rows[i] = withUnknownFields(row)
		}
		page := *out.Page
		page.Rows, out.Page = rows, &page
	case out.Data != nil:
		out.Data = withUnknownFields(out.Data)
	default: // 304, CSV, or a page without rows
		return false
	}
	out.Set("Deprecation", "@"+strconv.FormatInt(r.At.Time().Unix(), 10))
	return true
}

func withUnknownFields(row []byte) []byte {
	if len(row) < 2 || row[0] != '{' {
		return row
	}
	row = bytes.Replace(row, []byte(`"payment_habit":"usual"`), []byte(`"payment_habit":"by_arrangement"`), 1)
	const member = `{"preview":{"note":"Fields can be added at any time."},`
	if string(row) == "{}" {
		return []byte(member[:len(member)-1] + "}")
	}
	return append([]byte(member), row[1:]...)
}
