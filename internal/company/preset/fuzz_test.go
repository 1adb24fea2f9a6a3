package preset_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"platen/internal/company/preset"
)

// FuzzParse: a file that is taken is whole, within its bounds, and the same
// company when it is written and read again.
func FuzzParse(f *testing.F) {
	builtin, err := preset.Builtin()
	if err != nil {
		f.Fatal(err)
	}
	for _, p := range builtin {
		file, err := json.Marshal(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Add([]byte(preset.DefaultFile()))
	for _, seed := range []string{`{}`, `null`, `[]`, ``, `{"preset":"x"}`, `{"preset":"x","preset":"y"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		p, err := preset.Parse(file)
		if err != nil {
			return
		}
		written, err := json.Marshal(p)
		if err != nil {
			t.Fatalf("%q is taken and cannot be written: %v", file, err)
		}
		again, err := preset.Parse(written)
		if err != nil {
			t.Fatalf("%q is taken, and what it says is refused: %v", file, err)
		}
		if diff := cmp.Diff(p, again); diff != "" {
			t.Errorf("%q is read as another company again:\n%s", file, diff)
		}
		if p.Name == "" || p.Version < 1 || p.CashMinor < 0 || p.OverdraftLimitMinor < 0 || p.Clock.SimSpeed() <= 0 {
			t.Errorf("%q is taken as %+v", file, p)
		}
	})
}
