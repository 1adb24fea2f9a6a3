package api

import (
	"slices"

	"platen/internal/api/message"
	"platen/internal/company/integration"
	"platen/internal/operation"
	"platen/internal/words/wire"
)

// findings sends what the verifier found: what is not exact first, the newest of it before the rest.
func (x *exchange) findings(p *page) (*message.Response, error) {
	if _, err := x.present(); err != nil {
		return nil, err
	}
	found, err := x.Sandbox.Verify(x.Context())
	if err != nil {
		return nil, err
	}
	chosen, next := p.findings(found.Result.Findings)
	ids := map[string]bool{}
	for _, f := range chosen {
		for _, id := range operation.Records(f) {
			ids[id] = true
		}
	}
	trails, err := x.Sandbox.Trails(x.Context(), found.View, ids)
	if err != nil {
		return nil, err
	}
	var all []byte
	items := make([][]byte, len(chosen))
	for i, f := range chosen {
		items[i] = wire.Encode(operation.FindingOf(f, trails))
		all = append(all, items[i]...)
	}
	x.tag(message.Hash(append(all, next...)))
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	x.paged(found.View, p, next)
	return x.items(found.View, items, next, nil)
}

// findings picks a page. The cursor after it is "" when the list has ended.
func (p *page) findings(all []integration.Finding) (chosen []*integration.Finding, next string) {
	for i := range slices.Backward(all) {
		f := &all[i]
		kind, verdict := p.filters[0], p.filters[1]
		if f.Updated < p.updatedSince || p.cursor && f.Place >= p.after || kind != "" && kind != string(f.Kind) ||
			verdict != "" && verdict != string(f.Verdict) {
			continue
		}
		if len(chosen) == p.limit {
			return chosen, p.nextCursor(chosen[len(chosen)-1].Place)
		}
		chosen = append(chosen, f)
	}
	return chosen, ""
}
