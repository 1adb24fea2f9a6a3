package sim

import (
	"math"
	"testing"
)

// TestExpOfMinusIsExact to twelve digits where Poisson needs it: means of up to
// thirty.
func TestExpOfMinusIsExact(t *testing.T) {
	t.Parallel()
	worst, at := 0.0, 0.0
	for i := range 300_001 {
		x := float64(i) / 10_000
		want := math.Exp(-x)
		if off := math.Abs(expOfMinus(x)-want) / want; off > worst {
			worst, at = off, x
		}
	}
	t.Logf("the worst is at %g: %g", at, worst)
	if worst > 1e-12 {
		t.Errorf("expOfMinus(%g) is off by %g, want at most 1e-12", at, worst)
	}
}
