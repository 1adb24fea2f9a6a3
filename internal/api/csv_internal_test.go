package api

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestACellIsNoFormula, whichever of the signs a spreadsheet reads as one.
func TestACellIsNoFormula(t *testing.T) {
	t.Parallel()
	for sign := range strings.SplitSeq("= + - @ ＝ ＋ － ＠", " ") {
		if got := cell([]byte(`"` + sign + `1+1"`)); got != "'"+sign+"1+1" {
			t.Errorf("%s is the cell %s", sign, got)
		}
	}
	for text, want := range map[string]string{
		"1=1": "1=1", "a;b": "a;b", "a; b=c": "a; b=c", "'=1": "'=1", "2026-09-07": "2026-09-07",
		"x;=1+1": "x;'=1+1", "x; =1": "x;' =1", `x;"=1"`: `x;'"=1"`, ";;@x;-y": ";;'@x;'-y", " =1": "' =1",
		"x;＝1": "x;'＝1", ";+": ";'+", "\t1": "'\t1",
	} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := cell(quoted); got != want {
			t.Errorf("%q is the cell %q, want %q", text, got, want)
		}
	}
	const nested = `[{"note":"x;=1","more":[";-"]}]`
	got := cell([]byte(nested))
	var read, want any
	if err := errors.Join(json.Unmarshal([]byte(got), &read), json.Unmarshal([]byte(nested), &want)); err != nil ||
		!reflect.DeepEqual(read, want) || strings.Contains(got, ";") {
		t.Errorf("%s is the cell %s, %v", nested, got, err)
	}
}
