// Package preset holds the companies that a sandbox can begin as: data, one
// JSON file each, never code.
package preset

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/words/money"
	"platen/internal/words/share"
)

// Default is the preset of a creation that names none (contract:
// SBX.CREATE.PRESET).
const Default = "starter"

// Bridge is the carrier of records between the two systems.
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
	Name string `json:"preset" doc:"The name that POST /sandboxes takes: 1 to 40 lower-case letters, digits and underscores."`
	// Version grows when a number changes, so that scores stay comparable.
	Version int    `json:"version" doc:"Raise it when a number changes, so that scores stay comparable."`
	Summary string `json:"summary" doc:"One sentence that helps to choose a preset."`
	// Evaluation marks presets in which players are compared: each of their sandboxes is
	// an evaluation. The copy that a company keeps has it set where its creation said so.
	Evaluation bool   `json:"evaluation,omitzero" doc:"Whether players are compared: each sandbox is an evaluation then; false when left out."`
	Bridge     Bridge `json:"bridge" doc:"auto or manual: whether the sandbox or the client carries records between the systems, unless the creation says otherwise."`
	Clock      Clock  `json:"clock"`

	CashMinor           money.Minor `json:"cash_minor" doc:"Cash at the opening."`
	OverdraftLimitMinor money.Minor `json:"overdraft_limit_minor" doc:"How far below zero the cash may go."`
	// OverdraftBasisPointsPerDay is the interest on negative cash, in
	// hundredths of a per cent for each day close.
	OverdraftBasisPointsPerDay int64 `json:"overdraft_basis_points_per_day" doc:"Interest on negative cash at each day close, in hundredths of a per cent; 0 to 100."`
	// NegativeClosesToBankrupt is how many day closes in a row with negative
	// cash end the company.
	NegativeClosesToBankrupt int64 `json:"negative_closes_to_bankrupt" doc:"Day closes in a row with negative cash that end the company; 1 to 250."`

	// Seed is the world of a sandbox that names none; at random when absent.
	Seed *uint64 `json:"seed,omitzero" doc:"The world of a sandbox whose creation names none; at random when left out."`
	// Documents says whether the company opens with orders and invoices.
	Documents bool `json:"opening_documents" doc:"Whether the company opens with orders, invoices and a delivery, or with stock alone."`

	Demand    Demand    `json:"demand"`
	Customers Customers `json:"customers"`
	Supply    Supply    `json:"supply"`
	Market    Market    `json:"market,omitzero"`
	Overhead  Overhead  `json:"overhead"`
	Lots      Lots      `json:"contract_lots"`
	Staff     Staff     `json:"staff"`
	Payroll   Payroll   `json:"payroll"`

	Disruptions Disruptions `json:"disruptions"`
	Stories     Stories     `json:"stories"`
	MajorOrders MajorOrders `json:"major_orders"`
	// Faults are the faults to inject, nil for none.
	Faults *fault.Faults `json:"faults,omitempty" doc:"The faults to inject, as in POST /sandboxes. None by default."`
}

// Clock is how time passes.
type Clock struct {
	Mode sim.Mode `json:"mode" doc:"realtime or manual, unless the creation says otherwise."`
	// Speed is simulated minutes per wall second, 0.1 to 480.
	Speed share.PPM `json:"speed" doc:"In-world minutes per wall second under a realtime clock; 0.1 to 480."`
	// Starts is "" in presets that were written before there was a choice.
	Starts Start `json:"starts,omitzero" doc:"first_request or at_once: whether a realtime clock waits for the first request of a client; at_once when left out."`
}

// Start is when a realtime clock begins to run.
type Start string

// Starts.
const (
	// AtFirstRequest clocks wait until a client sends a request that is not refused.
	AtFirstRequest Start = "first_request"
	// AtOnce clocks run from the creation on.
	AtOnce Start = "at_once"
)

// SimSpeed returns the speed in the kernel's unit.
func (c Clock) SimSpeed() sim.Speed { return sim.Speed(c.Speed / 1000) }

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
			return nil, fmt.Errorf("preset %s has the name %q in its field preset", entry.Name(), p.Name)
		}
		presets[p.Name] = p
	}
	return presets, nil
}

// Ordered returns presets in the order in which they are taught; an operator's own
// come after them, by name.
func Ordered(presets map[string]Preset) []Preset {
	taught := []string{"starter", "manual", "crunch", "supply_shock", "agent_eval", "empty"}
	own := slices.DeleteFunc(slices.Sorted(maps.Keys(presets)),
		func(name string) bool { return slices.Contains(taught, name) })
	var ordered []Preset
	for _, name := range slices.Concat(taught, own) {
		if p, ok := presets[name]; ok {
			ordered = append(ordered, p)
		}
	}
	return ordered
}

// DefaultFile is the text of the default preset's file, to copy from.
func DefaultFile() string {
	b, err := files.ReadFile(Default + ".json")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(b)
}

// Parse reads and checks a preset file. Unknown fields are refused: a mistyped
// number would otherwise be a silent zero.
func Parse(b []byte) (Preset, error) {
	var p Preset
	if err := json.Unmarshal(b, &p, json.RejectUnknownMembers(true)); err != nil {
		return Preset{}, fmt.Errorf("parse: %w", err)
	}
	if err := complete(b, p); err != nil {
		return Preset{}, err
	}
	return p, p.check()
}

// complete reports a field that a file leaves out: it would be a silent zero.
func complete(b []byte, p Preset) error {
	whole, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	var want, got map[string]any
	if err := errors.Join(json.Unmarshal(whole, &want), json.Unmarshal(b, &got)); err != nil {
		return fmt.Errorf("parse: %w", err)
	}
	return missing("", want, got)
}

func missing(at string, want, got map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		value, there := got[name]
		if !there {
			return fmt.Errorf("%s%s is missing", at, name)
		}
		inner, isObject := want[name].(map[string]any)
		if given, ok := value.(map[string]any); isObject && ok {
			if err := missing(at+name+".", inner, given); err != nil {
				return err
			}
		}
	}
	return nil
}
