package preset_test

import (
	"strings"
	"testing"

	"platen/internal/company/preset"
)

// TestTheEmbeddedPresetsAreThoseOfTheContract and pass their own checks.
func TestTheEmbeddedPresetsAreThoseOfTheContract(t *testing.T) {
	t.Parallel()
	presets, err := preset.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"starter", "manual", "crunch", "supply_shock", "agent_eval", "empty"} {
		if p, ok := presets[name]; !ok || p.Summary == "" {
			t.Errorf("there is no preset %q that says what it is", name)
		}
		delete(presets, name)
	}
	if len(presets) > 0 {
		t.Errorf("presets beyond those of the contract: %v", presets)
	}
}

// TestAPresetIsRefusedWithTheMemberThatIsWrong: an operator reads the sentence
// and knows what to mend.
func TestAPresetIsRefusedWithTheMemberThatIsWrong(t *testing.T) {
	t.Parallel()
	whole := preset.DefaultFile()
	if _, err := preset.Parse([]byte(whole)); err != nil {
		t.Fatalf("the default file is refused: %v", err)
	}
	for _, c := range []struct{ old, with, want string }{
		{`"cash_minor": 8500000,`, ``, "cash_minor is missing"},
		{`"lead_factor": 1.0, `, ``, "supply.lead_factor is missing"},
		{`"late_cap_pct": 40`, `"late_cap_pct": 40, "late_capp_pct": 3`, "late_capp_pct"},
		{`"preset": "starter"`, `"preset": "Starter!"`, "lower-case"},
		{`"preset": "starter"`, `"preset": ""`, "lower-case"},
		{`"version": 4`, `"version": 0`, "version"},
		{`"bridge": "auto"`, `"bridge": "both"`, "bridge"},
		{`"mode": "realtime"`, `"mode": "fast"`, "clock.mode"},
		{`"speed": 8`, `"speed": 481`, "clock.speed"},
		{`"speed": 8`, `"speed": 0.05`, "clock.speed"},
		{`"cash_minor": 8500000`, `"cash_minor": -1`, "cash_minor"},
		{`"cash_minor": 8500000`, `"cash_minor": 9223372036854775808`, "cash_minor"},
		{`"cash_minor": 8500000`, `"cash_minor": 1e3`, "cash_minor"},
		{`"overdraft_limit_minor": 1000000`, `"overdraft_limit_minor": 1000000001`, "overdraft_limit_minor"},
		{`"per_day": 3.4`, `"per_day": 22.1`, "demand.per_day"},
		{`"per_day_max": 22.0`, `"per_day_max": 31`, "demand.per_day"},
		{`"reputation_start": 0.6`, `"reputation_start": 1.1`, "reputation_start"},
		{`"due_days": [4, 9]`, `"due_days": [9, 4]`, "due_days"},
		{`"due_days": [4, 9]`, `"due_days": [4]`, "due_days"},
		{`"answer_days": 2, "cancel`, `"answer_days": 0, "cancel`, "answer_days"},
		{`"late_factor": 1.0`, `"late_factor": -1`, "late_factor"},
		{`"price_factor": 1.0, "billing`, `"price_factor": 0, "billing`, "supply.price_factor"},
		{`"billing_error_factor": 1.0`, `"billing_error_factor": 11`, "billing_error_factor"},
		{`"growth_pct": 80`, `"growth_pct": 301`, "demand.growth_pct"},
		{`"rush_pct": [5, 25]`, `"rush_pct": [5, 101]`, "demand.rush_pct"},
		{`"staff":`, `"market": {"paper_per_day": 20001}, "staff":`, "market.paper_per_day"},
		{`"rent_minor_per_day": 24000`, `"rent_minor_per_day": -24000`, "overhead"},
		{`"sheets": [8000, 16000]`, `"sheets": [8000, 35001]`, "contract_lots.sheets"},
		{`"penalty_pct": 80`, `"penalty_pct": 101`, "penalty_pct"},
		{`"late_cap_pct": 40`, `"late_cap_pct": 40, "daily_order": {"customer_id": "cus_nobody", "sku": "prd_card", ` +
			`"quantity": 1, "unit_price_minor": 1, "due_days": 1}`, "daily_order"},
		{`"first_days": [3, 6]`, `"first_days": [6, 3]`, "disruptions.every_days"},
		{`"most_at_once": 2`, `"most_at_once": 9`, "disruptions.most_at_once"},
		{`"disruptions": {"every_days": 8, `, `"disruptions": {`, "disruptions.every_days is missing"},
		{`"first_days": [1, 2]`, `"first_days": [0, 2]`, "stories.every_days"},
		{`"every_days": 25`, `"every_days": 20`, "major_orders.every_days"},
		{`"first_day": 5`, `"first_day": 0`, "major_orders.every_days"},
		{`"summary":`, `"summary": "twice", "summary":`, "summary"},
	} {
		if !strings.Contains(whole, c.old) {
			t.Fatalf("the default file has no %s", c.old)
		}
		_, err := preset.Parse([]byte(strings.Replace(whole, c.old, c.with, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s in place of %s gives %v, want it to name %s", c.with, c.old, err, c.want)
		}
	}
	for _, text := range []string{
		"", "[]", "null", "{}", whole + "{}", strings.TrimSuffix(strings.TrimSpace(whole), "}"),
	} {
		if _, err := preset.Parse([]byte(text)); err == nil {
			t.Errorf("%.30q is taken for a preset", text)
		}
	}
}
