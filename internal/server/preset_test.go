package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen/internal/company/preset"
)

// TestAPresetNamesWhatCanGoWrong: a folder of presets is read only if the faults in it can be.
func TestAPresetNamesWhatCanGoWrong(t *testing.T) {
	t.Parallel()
	builtin, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for operation, field := range map[string]string{
		"list_sales_orders": "", "list_sales_order": "faults.rules[0].operations[0]",
		"get_sandbox": "faults.rules[0].operations[0]",
	} {
		raw, err := json.Marshal(builtin["manual"])
		if err != nil {
			t.Fatal(err)
		}
		var own map[string]any
		if err := json.Unmarshal(raw, &own); err != nil {
			t.Fatal(err)
		}
		own["preset"] = "rough"
		own["faults"] = map[string]any{
			"rules": []any{map[string]any{"kind": "storm", "share": 0.5, "operations": []string{operation}}},
		}
		if raw, err = json.Marshal(own); err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "rough.json"), raw, 0o600); err != nil {
			t.Fatal(err)
		}
		presets, err := loadPresets(folder)
		switch {
		case field == "" && (err != nil || presets["rough"].Faults == nil):
			t.Errorf("with faults of %s: %v", operation, err)
		case field != "" && (err == nil || !strings.Contains(err.Error(), field)):
			t.Errorf("with faults of %s the error is %v", operation, err)
		}
	}
}
