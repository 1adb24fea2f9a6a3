package api

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"platen/internal/api/message"
	"platen/internal/desk"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// calls sends the requests of the sandbox's clients, newest first, and waits for one that fits when there is none.
func (x *exchange) calls(p *page, sent *arguments) (*message.Response, error) {
	w, err := x.wantedCalls(p, sent)
	if err != nil {
		return nil, err
	}
	if w.view, err = x.present(); err != nil {
		return nil, err
	}
	x.lookForCalls(w)
	patience := time.Duration(sent.numbers[operation.ParameterWaitS]) * time.Second
	if len(w.items) == 0 && patience > 0 {
		release, err := x.server.testers.reserve(x.Caller)
		if err != nil {
			return nil, err
		}
		defer release()
		resume := message.Pause(x.Context())
		if err := x.awaitCall(w, patience); err != nil {
			return nil, err
		}
		if err := resume(); err != nil {
			return gone(), nil
		}
	}
	if x.Context().Err() != nil {
		return gone(), nil
	}
	x.tag(w.count + uint64(w.view.Desk.HandedOver))
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	x.paged(w.view, p, w.next)
	return x.items(w.view, w.items, w.next, nil)
}

// wantedCalls are a page of requests and the requests that fit.
type wantedCalls struct {
	page  *page
	fits  func(c *desk.Call) bool
	after uint64
	view  *sandbox.View
	items [][]byte
	next  string
	count uint64
}

// statusForm is a status of HTTP, or a class of them.
var statusForm = regexp.MustCompile(`^[1-5](\d\d|xx)$`)

// wantedCalls reads which requests are wanted.
func (x *exchange) wantedCalls(p *page, sent *arguments) (*wantedCalls, error) {
	method, path := p.filters[operation.FilterMethod], p.filters[operation.FilterPath]
	id, status := p.filters[operation.FilterOperation], p.filters[operation.FilterStatus]
	if status != "" && !statusForm.MatchString(status) {
		return nil, badParameter("status", "status must be one such as 201, or a class such as 2xx.")
	}
	if id != "" && !x.server.known[id] {
		return nil, badParameter("operation", "There is no operation %q.", message.Short(id))
	}
	if path != "" && !strings.HasPrefix(path, wire.BasePath+"/") {
		path = wire.BasePath + path
	}
	status = strings.TrimSuffix(status, "xx")
	w := &wantedCalls{page: p, fits: func(c *desk.Call) bool {
		return (method == "" || strings.EqualFold(c.Method, method)) && (path == "" || c.Path == path) &&
			(id == "" || c.Operation == id) && strings.HasPrefix(strconv.Itoa(c.Status), status)
	}}
	if !sent.Has(operation.ParameterAfter) {
		return w, nil
	}
	after := sent.Get(operation.ParameterAfter)
	v, err := x.view()
	if err != nil {
		return nil, err
	}
	calls, _ := x.shownCalls(v)
	at := slices.IndexFunc(calls, func(c desk.Call) bool { return c.ID == after })
	if at < 0 {
		return nil, badParameter(operation.ParameterAfter, "after must be the id of a request that is still listed; "+
			"%q is not. Requests for the list itself are never in it.", message.Short(after))
	}
	w.after = calls[at].Ordinal
	return w, nil
}

// lookForCalls fills in the page.
func (x *exchange) lookForCalls(w *wantedCalls) {
	calls, count := x.shownCalls(w.view)
	w.count = count
	w.items, w.next = w.page.calls(calls, w.after, w.fits, x.seesFaults())
}

// awaitCall waits for a request that fits, as a poll of the feed waits for events. No time passes in the company
// because of it. It holds no view while it waits.
func (x *exchange) awaitCall(w *wantedCalls, patience time.Duration) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	unwatch := x.Sandbox.Watch()
	defer unwatch()
	cut, end := x.server.Hold()
	defer end()
	changed, status := w.view.Changed(), w.view.Status(x.now)
	for over := false; ; {
		noted := x.Sandbox.Client().Calls.Noted()
		if x.lookForCalls(w); over || len(w.items) > 0 || w.view.Status(x.now) != status {
			return nil
		}
		w.view = nil
		select {
		case <-noted:
		case <-changed:
		case <-timer.C:
			over = true
		case <-cut:
			over = true
		case <-x.server.stopped:
			over = true
		case <-x.Context().Done():
			return nil
		}
		x.now = x.Sandbox.AsOf(x.server.registry.Now())
		v, err := x.view()
		if err == nil {
			err = x.server.stillKnown(x.Context(), x.Credentials)
		}
		if err != nil {
			return err
		}
		w.view, changed = v, v.Changed()
	}
}

// shownCalls are the requests that the caller may see, and how many there were in all.
func (x *exchange) shownCalls(v *sandbox.View) (calls []desk.Call, count uint64) {
	if grades(x.Request) {
		return x.Sandbox.Client().Calls.All()
	}
	return x.Sandbox.PlayersCalls(v)
}

// calls picks a page. The cursor after it is "" when the list has ended.
func (p *page) calls(calls []desk.Call, after uint64, fits func(*desk.Call) bool, faults bool) (
	items [][]byte, next string,
) {
	items = make([][]byte, 0, min(p.limit, len(calls)))
	last := uint64(0)
	for i := len(calls) - 1; i >= 0 && calls[i].Ordinal > after; i-- {
		c := &calls[i]
		if c.At < p.updatedSince || p.cursor && c.Ordinal >= p.after || !fits(c) {
			continue
		}
		if len(items) == p.limit {
			return items, p.nextCursor(last)
		}
		items, last = append(items, wire.Encode(operation.LoggedCallOf(c, faults))), c.Ordinal
	}
	return items, ""
}

// seesFaults reports whether the caller is shown which faults were injected (contract: OPEN.EVAL.SEED).
func (x *exchange) seesFaults() bool { return !x.Caller.Evaluation || grades(x.Request) }

// remembered finds one request.
func (x *exchange) remembered(v *sandbox.View, id string) (row []byte, version uint64, err error) {
	calls, _ := x.shownCalls(v)
	for _, c := range slices.Backward(calls) {
		if c.ID == id {
			shown := c.ShownTo(x.Caller.System)
			version = 2 * c.Ordinal // the two keys are shown two rows
			if shown {
				version++
			}
			return wire.Encode(operation.LoggedExchangeOf(&c, x.seesFaults(), shown)), version, nil
		}
	}
	return nil, 0, problem.Missing(operation.CallResource, message.Short(id))
}
