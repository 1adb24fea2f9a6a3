// Package preset holds the companies that a sandbox can begin as: data, one
// JSON file each, never code.
package preset

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/go-json-experiment/json"

	"platen/internal/company/sim"
	"platen/internal/money"
	"platen/internal/share"
)

// Default is the preset of a creation that names none (contract:
// SBX.CREATE.PRESET).
const Default = "starter"

// Bridge says who carries records between the two systems.
type Bridge string

// Bridges.
const (
	// Auto copies records across in the same transaction.
	Auto Bridge = "auto"
	// ByHand leaves every hand-off to the client.
	ByHand Bridge = "manual"
)

// Preset is the beginning and the weather of a company.
type Preset struct {
	Name string `json:"preset"`
	// Version grows when a number changes, so that scores stay comparable.
	Version int    `json:"version"`
	Summary string `json:"summary"`
	Bridge  Bridge `json:"bridge"`
	Clock   Clock  `json:"clock"`

	CashMinor           money.Minor `json:"cash_minor"`
	OverdraftLimitMinor money.Minor `json:"overdraft_limit_minor"`

	Demand    Demand    `json:"demand"`
	Customers Customers `json:"customers"`
}

// Clock is how time passes.
type Clock struct {
	Mode sim.Mode `json:"mode"`
	// Speed is simulated minutes per wall second, 0.1 to 480.
	Speed share.PPM `json:"speed"`
}

// SimSpeed returns the speed in the kernel's unit.
func (c Clock) SimSpeed() sim.Speed { return sim.Speed(c.Speed / 1000) }

// Demand is what customers ask for.
type Demand struct {
	// PerDay is the number of orders a day at the reference reputation,
	// PerDayMax the rate at which candidates are drawn; reputation thins them.
	PerDay    share.PPM `json:"per_day"`
	PerDayMax share.PPM `json:"per_day_max"`
	// ReputationBase and ReputationSlope make the factor base + slope * r.
	ReputationBase  share.PPM `json:"reputation_base"`
	ReputationSlope share.PPM `json:"reputation_slope"`
	ReputationStart share.PPM `json:"reputation_start"`
	PriceFactor     share.PPM `json:"price_factor"`
	// DueDays are the fewest and the most working days until delivery.
	DueDays [2]int64 `json:"due_days"`
	// AnswerDays is how many working days an order waits for an answer.
	AnswerDays int64 `json:"answer_days"`
	// CancelAfterDays is how many working days late a customer waits.
	CancelAfterDays int64 `json:"cancel_after_days"`
	LatePctPerDay   int64 `json:"late_pct_per_day"`
	LateCapPct      int64 `json:"late_cap_pct"`
}

// Customers is how customers behave.
type Customers struct {
	// LateFactor scales the probability of paying late.
	LateFactor share.PPM `json:"late_factor"`
}

//go:embed *.json
var files embed.FS

// Builtin returns the embedded presets by name.
func Builtin() (map[string]Preset, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("list embedded presets: %w", err)
	}
	presets := make(map[string]Preset, len(entries))
	for _, entry := range entries {
		b, err := files.ReadFile(entry.Name())
		if err != nil {
			return nil, fmt.Errorf("read preset %s: %w", entry.Name(), err)
		}
		p, err := Parse(b)
		if err != nil {
			return nil, fmt.Errorf("preset %s: %w", entry.Name(), err)
		}
		if want := strings.TrimSuffix(path.Base(entry.Name()), ".json"); p.Name != want {
			return nil, fmt.Errorf("preset %s calls itself %q", entry.Name(), p.Name)
		}
		presets[p.Name] = p
	}
	return presets, nil
}

// Parse reads and checks a preset file. Unknown members are refused: a
// mistyped number would otherwise be a silent zero.
func Parse(b []byte) (Preset, error) {
	var p Preset
	if err := json.Unmarshal(b, &p, json.RejectUnknownMembers(true)); err != nil {
		return Preset{}, fmt.Errorf("parse: %w", err)
	}
	return p, p.check()
}

func (p Preset) check() error {
	d := p.Demand
	speed := p.Clock.SimSpeed()
	rules := []struct {
		ok   bool
		text string
	}{
		{p.Name != "", "preset needs a name"},
		{p.Version > 0, "version must be at least 1"},
		{p.Bridge == Auto || p.Bridge == ByHand, "bridge must be auto or manual"},
		{p.Clock.Mode == sim.Realtime || p.Clock.Mode == sim.Manual, "clock.mode must be realtime or manual"},
		{speed >= sim.MinSpeed && speed <= sim.MaxSpeed, "clock.speed must be 0.1 to 480"},
		{p.OverdraftLimitMinor >= 0, "overdraft_limit_minor must not be negative"},
		{d.PerDay >= 0 && d.PerDayMax > 0 && d.PerDayMax <= 30*sim.Million, "demand.per_day_max must be above 0 and at most 30"},
		{d.ReputationStart >= 0 && d.ReputationStart <= sim.Million, "demand.reputation_start must be 0 to 1"},
		{d.PriceFactor > 0 && d.PriceFactor <= 10*sim.Million, "demand.price_factor must be above 0 and at most 10"},
		{d.DueDays[0] >= 1 && d.DueDays[0] <= d.DueDays[1], "demand.due_days must be two growing numbers from 1"},
		{d.AnswerDays >= 1 && d.CancelAfterDays >= 1, "demand.answer_days and cancel_after_days must be at least 1"},
		{d.LatePctPerDay >= 0 && d.LateCapPct >= 0 && d.LateCapPct <= 100, "demand.late_pct_per_day and late_cap_pct must be 0 to 100"},
	}
	var errs []error
	for _, rule := range rules {
		if !rule.ok {
			errs = append(errs, errors.New(rule.text))
		}
	}
	return errors.Join(errs...)
}
