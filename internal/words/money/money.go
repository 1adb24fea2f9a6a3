// Package money holds amounts of money in minor units of the company's one
// currency.
package money

import "fmt"

// Currency is the ISO 4217 code of every amount: the one reserved for tests, so
// that the figures are not taken for real ones.
const Currency = "XTS"

// Minor is an amount in minor units (hundredths), on the wire always a JSON
// integer (contract: CONV.MONEY).
type Minor int64

// Times is the price of n units at m each.
func (m Minor) Times(n int64) Minor { return m * Minor(n) }

// PerCent is p per cent of m, rounded half away from zero.
func (m Minor) PerCent(p int64) Minor { return m.share(p, 100) }

// Scaled is m times parts per million, rounded half away from zero.
func (m Minor) Scaled(ppm int64) Minor { return m.share(ppm, 1_000_000) }

func (m Minor) share(numerator, denominator int64) Minor {
	n := int64(m) * numerator
	if n < 0 {
		return Minor(-((-n + denominator/2) / denominator))
	}
	return Minor((n + denominator/2) / denominator)
}

// String writes the amount for people, as in 1234.50 XTS.
func (m Minor) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, int64(m)/100, int64(m)%100, Currency)
}
