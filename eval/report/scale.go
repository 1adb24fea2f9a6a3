package report

import (
	"math"
	"strconv"
)

// scale maps values to places on the page.
type scale struct {
	from, to   float64 // values
	start, end float64 // places
	ticks      []float64
}

// newScale is one with round numbers at its ticks, which has the values and 0 between its ends.
func newScale(low, high float64, ticks int, start, end float64) scale {
	low, high = min(low, 0), max(high, 0)
	if high-low <= 0 || math.IsNaN(high-low) || math.IsInf(high-low, 0) {
		low, high = 0, 1
	}
	step := round((high - low) / float64(ticks))
	s := scale{from: math.Floor(low/step) * step, to: math.Ceil(high/step-1e-9) * step, start: start, end: end}
	for i := 0; float64(i) <= (s.to-s.from)/step+0.5; i++ {
		s.ticks = append(s.ticks, s.from+float64(i)*step)
	}
	return s
}

// round is the next greater of 1, 2, 2.5, 5 and 10, times a power of ten.
func round(step float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if step <= m*power*(1+1e-9) {
			return m * power
		}
	}
	const ten = 10
	return ten * power
}

func (s *scale) at(value float64) float64 {
	return s.start + (value-s.from)/(s.to-s.from)*(s.end-s.start)
}

// Number writes a value with so many decimals.
func Number(decimals int) func(float64) string {
	return func(v float64) string { return grouped(strconv.FormatFloat(v, 'f', decimals, 64)) }
}

// Percent writes a share of 1 in per cent.
func Percent(v float64) string { return grouped(strconv.FormatFloat(v*100, 'f', 0, 64)) + " %" }

// Tenths writes a share of 1 with tenths of a per cent.
func Tenths(v float64) string { return grouped(strconv.FormatFloat(v*100, 'f', 1, 64)) + " %" }

// Amount writes an amount in minor units without its hundredths.
func Amount(minor float64) string {
	const hundred = 100
	return grouped(strconv.FormatFloat(math.Round(minor/hundred), 'f', 0, 64))
}

// ShortAmount writes an amount in minor units for an axis: 250k, 1.5M.
func ShortAmount(minor float64) string {
	const hundred, thousand, million = 100, 1e3, 1e6
	v := minor / hundred
	switch a := math.Abs(v); {
	case a >= million:
		return strconv.FormatFloat(v/million, 'g', 4, 64) + "M"
	case a >= thousand:
		return strconv.FormatFloat(v/thousand, 'g', 4, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// grouped puts separators between thousands, and drops the sign of a zero.
func grouped(number string) string {
	sign, digits := "", number
	if digits != "" && digits[0] == '-' {
		sign, digits = "−", digits[1:]
	}
	whole, rest := digits, ""
	for i := range digits {
		if digits[i] == '.' {
			whole, rest = digits[:i], digits[i:]
			break
		}
	}
	const thousand = 3
	for at := len(whole) - thousand; at > 0; at -= thousand {
		whole = whole[:at] + "," + whole[at:]
	}
	for _, c := range whole + rest {
		if c >= '1' && c <= '9' {
			return sign + whole + rest
		}
	}
	return whole + rest
}
