package market

import (
	"slices"

	"platen/internal/company/record"
	"platen/internal/company/sim"
)

// Wanders reports whether the price of a SKU moves by itself.
func (m *Market) Wanders(sku string) bool {
	return slices.ContainsFunc(m.listed(), func(g goods) bool { return g.sku == sku && g.wanders })
}

// Shift moves the price of goods by so many per cent, at once. It returns to its mean as
// always.
func (m *Market) Shift(r *record.Recorder, sku string, pct int64) {
	all := m.listed()
	i := slices.IndexFunc(all, func(g goods) bool { return g.sku == sku })
	p := &m.State.Prices[i]
	want := sim.Exp(p.LogPPM) * (100 + pct) / 100
	// The logarithm is looked for, since only its inverse is the same on all processors.
	low, high := int64(-maxLog), int64(maxLog)
	for low < high {
		if middle := low + (high-low)/2; sim.Exp(middle) < want {
			low = middle + 1
		} else {
			high = middle
		}
	}
	p.LogPPM = low
	m.write(r, i, all[i])
}
