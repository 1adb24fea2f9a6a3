package api

import (
	"slices"

	"platen/internal/operation"
	"platen/internal/sandbox"
)

// faultHits sends the faults that happened, newest first.
func (x *exchange) faultHits(p *page) error {
	v, err := x.present()
	if err != nil {
		return err
	}
	var hits []sandbox.FaultHit
	newest := uint64(0)
	if faults := x.sandbox.Faults(x.r.Context()); faults != nil {
		hits, newest = faults.Hits()
	}
	x.tag(newest)
	if x.unchanged() {
		return nil
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
		items, last = append(items, encode(operation.FaultOf(&h))), h.Ordinal
	}
	x.paged(v, p, next)
	return x.items(v, items, next, nil)
}
