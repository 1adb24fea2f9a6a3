package api

import (
	"slices"
	"strings"
	"time"

	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/wire"
)

// maxPath is the largest part of a path that is remembered, in bytes.
const maxPath = 200

// note remembers the request in its sandbox (contract: OPEN.ROUTE.REQUESTS).
// Reading the remembered requests is not remembered itself: such a read could
// never get a 304.
func (x *exchange) note(status int, response []byte) {
	x.status = status
	if x.watching || x.traceless() {
		return
	}
	x.observe(status)
	if x.sandbox == nil || x.op != nil && x.op.Resource == operation.CallResource {
		return
	}
	path := x.r.URL.EscapedPath()
	if len(path) > maxPath {
		path = path[:maxPath] + "…"
	}
	x.sandbox.Note(sandbox.Call{
		Exchange: x.remembers(response),
		ID:       x.requestID, Method: short(x.r.Method), Path: path, System: x.caller.System, Status: status,
		Code: string(x.code), Replayed: x.replayed,
		At: x.server.registry.Now(), Milliseconds: time.Since(x.began).Milliseconds(),
	})
}

// remembers is what is remembered of the bodies, nil for nothing. A response that was lost on
// purpose is nowhere to be read.
func (x *exchange) remembers(response []byte) *sandbox.Exchange {
	if !x.server.keepsBodies {
		return nil
	}
	if x.disturbed != nil && x.disturbed.lost {
		response = nil
	}
	hidden := x.op != nil && strings.HasPrefix(x.op.Path, webhooksPath)
	return sandbox.NewExchange(x.r.URL.RawQuery, short(x.r.Header.Get(wire.HeaderIdempotencyKey)), x.received.body,
		response, hidden)
}

// webhooksPath begins the paths of webhooks, whose URLs may be secret.
const webhooksPath = "/webhooks"

// calls sends the requests of the sandbox's clients, newest first.
func (x *exchange) calls(p *page) error {
	v, err := x.present()
	if err != nil {
		return err
	}
	calls, count := x.sandbox.Calls()
	x.tag(count)
	if x.unchanged() {
		return nil
	}
	items, next := p.calls(calls)
	x.paged(v, p, next)
	return x.items(v, items, next, nil)
}

// calls picks a page. The cursor after it is "" when the list has ended.
func (p *page) calls(calls []sandbox.Call) (items [][]byte, next string) {
	items = make([][]byte, 0, min(p.limit, len(calls)))
	last := uint64(0)
	for _, c := range slices.Backward(calls) {
		if c.At < p.updatedSince || p.cursor && c.Ordinal >= p.after {
			continue
		}
		if len(items) == p.limit {
			return items, p.nextCursor(last)
		}
		items, last = append(items, encode(operation.LoggedCallOf(&c))), c.Ordinal
	}
	return items, ""
}

// remembered finds one request.
func (x *exchange) remembered(id string) (row []byte, version uint64, err error) {
	calls, _ := x.sandbox.Calls()
	for _, c := range slices.Backward(calls) {
		if c.ID == id {
			shown := c.ShownTo(x.caller.System)
			version = 2 * c.Ordinal // the two keys are shown two rows
			if shown {
				version++
			}
			return encode(operation.LoggedExchangeOf(&c, shown)), version, nil
		}
	}
	return nil, 0, problem.Missing(operation.CallResource, short(id))
}
