package api

import (
	"slices"

	"platen/internal/api/message"
	"platen/internal/desk"
	"platen/internal/operation"
	"platen/internal/words/wire"
)

// faultHits sends the faults that happened, newest first.
func (x *exchange) faultHits(p *page) (*message.Response, error) {
	v, err := x.present()
	if err != nil {
		return nil, err
	}
	var hits []desk.FaultHit
	newest := uint64(0)
	if faults := x.Sandbox.Faults(x.Context()); faults != nil {
		hits, newest = faults.Hits()
	}
	x.tag(newest)
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	var items [][]byte
	next, last := "", uint64(0)
	for _, h := range slices.Backward(hits) {
		if h.At < p.updatedSince || p.cursor && h.Ordinal >= p.after ||
			p.filters[0] != "" && p.filters[0] != string(h.Kind) {
			continue
		}
		if len(items) == p.limit {
			next = p.nextCursor(last)
			break
		}
		items, last = append(items, wire.Encode(operation.FaultOf(&h))), h.Ordinal
	}
	x.paged(v, p, next)
	return x.items(v, items, next, nil)
}
