package api

import (
	"strings"
	"testing"
)

// TestACellIsNoFormula, whichever of the signs a spreadsheet reads as one.
func TestACellIsNoFormula(t *testing.T) {
	t.Parallel()
	for sign := range strings.SplitSeq("= + - @ ＝ ＋ － ＠", " ") {
		if got := cell([]byte(`"` + sign + `1+1"`)); got != "'"+sign+"1+1" {
			t.Errorf("%s is the cell %s", sign, got)
		}
	}
	if got := cell([]byte(`"1=1"`)); got != "1=1" {
		t.Errorf("got %s", got)
	}
}
