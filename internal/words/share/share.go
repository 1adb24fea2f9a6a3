// Package share holds fractions that travel as JSON numbers but are integers
// inside, so that no processor rounds them differently.
package share

import (
	"fmt"
	"strconv"
)

// PerCent is a share in hundredths of a per cent, on the wire a number with
// up to two decimals: 213 is 2.13. Integers inside, so that no processor
// rounds differently.
type PerCent int64

// PPM is a factor or a probability in parts per million, on the wire a number
// with up to six decimals: 1_250_000 is 1.25.
type PPM int64

// MarshalJSON writes the number without trailing zeros.
func (p PerCent) MarshalJSON() ([]byte, error) { return appendFixed(nil, int64(p), 2), nil }

// UnmarshalJSON reads the output of MarshalJSON.
func (p *PerCent) UnmarshalJSON(b []byte) error { return parseFixed(b, (*int64)(p), 100) }

// MarshalJSON writes the number without trailing zeros.
func (p PPM) MarshalJSON() ([]byte, error) { return appendFixed(nil, int64(p), 6), nil }

// UnmarshalJSON reads the output of MarshalJSON.
func (p *PPM) UnmarshalJSON(b []byte) error { return parseFixed(b, (*int64)(p), 1_000_000) }

// appendFixed appends v divided by ten to the power of decimals.
func appendFixed(b []byte, v int64, decimals int) []byte {
	if v < 0 {
		b, v = append(b, '-'), -v
	}
	scale := int64(1)
	for range decimals {
		scale *= 10
	}
	b = strconv.AppendInt(b, v/scale, 10)
	rest := v % scale
	if rest == 0 {
		return b
	}
	b = append(b, '.')
	for rest > 0 {
		scale /= 10
		b = append(b, byte('0'+rest/scale))
		rest %= scale
	}
	return b
}

func parseFixed(b []byte, v *int64, scale float64) error {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return fmt.Errorf("%q is not a number", b)
	}
	scaled := float64(f * scale)
	if scaled < 0 {
		*v = int64(scaled - 0.5)
		return nil
	}
	*v = int64(scaled + 0.5)
	return nil
}
