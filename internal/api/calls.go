package api

import (
	"slices"

	"platen/internal/api/message"
	"platen/internal/desk"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// calls sends the requests of the sandbox's clients, newest first.
func (x *exchange) calls(p *page) (*message.Response, error) {
	v, err := x.present()
	if err != nil {
		return nil, err
	}
	calls, count := x.shownCalls(v)
	x.tag(count + uint64(v.Desk.HandedOver))
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	items, next := p.calls(calls, x.seesFaults())
	x.paged(v, p, next)
	return x.items(v, items, next, nil)
}

// shownCalls are the requests that the caller may see, and how many there were in all.
func (x *exchange) shownCalls(v *sandbox.View) (calls []desk.Call, count uint64) {
	if grades(x.Request) {
		return x.Sandbox.Client().Calls.All()
	}
	return x.Sandbox.PlayersCalls(v)
}

// calls picks a page. The cursor after it is "" when the list has ended.
func (p *page) calls(calls []desk.Call, faults bool) (items [][]byte, next string) {
	items = make([][]byte, 0, min(p.limit, len(calls)))
	last := uint64(0)
	for _, c := range slices.Backward(calls) {
		if c.At < p.updatedSince || p.cursor && c.Ordinal >= p.after {
			continue
		}
		if len(items) == p.limit {
			return items, p.nextCursor(last)
		}
		items, last = append(items, wire.Encode(operation.LoggedCallOf(&c, faults))), c.Ordinal
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
