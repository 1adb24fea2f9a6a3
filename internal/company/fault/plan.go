package fault

import "slices"

// Plan is all that goes wrong in a sandbox.
type Plan struct {
	// Name is that of a plan that comes with Platen, "" for rules of the client's own.
	Name PlanName `json:"plan,omitzero"`
	// Seed makes what goes wrong repeatable.
	Seed  uint64 `json:"seed"`
	Rules []Rule `json:"rules"`
	// DelayPct is how long delays take, in per cent of what they are.
	DelayPct int64 `json:"delay_pct"`
}

// PlanName is the name of a plan that comes with Platen.
type PlanName string

// Plans, the mildest first, and one of its own.
const (
	Light    PlanName = "light"
	Moderate PlanName = "moderate"
	Severe   PlanName = "severe"
	// Doubling is another name of Severe, which has double work too.
	Doubling PlanName = "double_work"
	// Treacherous breaks what is thought to be safe: to look before one repeats a write.
	Treacherous PlanName = "treacherous"
)

// Plans lists their names, the mildest first, and the one of its own.
func Plans() []PlanName { return []PlanName{Light, Moderate, Severe, Doubling, Treacherous} }

// per is a share of a hundred, in parts per million.
const per = 10_000

// Named returns the rules of a plan.
func Named(name PlanName) ([]Rule, bool) {
	shares, ok := map[PlanName][]Rule{
		Light: {
			{Kind: WebhookTwice, SharePPM: 4 * per}, {Kind: WebhookLate, SharePPM: 8 * per},
			{Kind: Storm, SharePPM: per / 2}, {Kind: SlowResponse, SharePPM: per / 2},
		},
		Moderate: {
			{Kind: WebhookTwice, SharePPM: 8 * per}, {Kind: WebhookLate, SharePPM: 15 * per},
			{Kind: WebhookLost, SharePPM: 3 * per},
			{Kind: ResponseLost, SharePPM: 2 * per}, {Kind: RequestLost, SharePPM: 2 * per},
			{Kind: Storm, SharePPM: per}, {Kind: SlowResponse, SharePPM: per},
			{Kind: StaleRead, SharePPM: 2 * per}, {Kind: Growth, SharePPM: 10 * per},
			{Kind: ShortPage, SharePPM: 10 * per},
		},
		Severe: severe(), Doubling: severe(),
		Treacherous: {
			{Kind: WebhookTwice, SharePPM: 8 * per}, {Kind: WebhookLate, SharePPM: 15 * per},
			{Kind: WebhookLost, SharePPM: 3 * per},
			{Kind: ResponseLost, SharePPM: 3 * per}, {Kind: RequestLost, SharePPM: 3 * per},
			{Kind: RequestLate, SharePPM: 12 * per},
			{Kind: DoubleWork, SharePPM: 100 * per},
		},
	}[name]
	return shares, ok
}

func severe() []Rule {
	return []Rule{
		{Kind: WebhookTwice, SharePPM: 15 * per}, {Kind: WebhookLate, SharePPM: 25 * per},
		{Kind: WebhookLost, SharePPM: 8 * per}, {Kind: WebhookForged, SharePPM: 8 * per},
		{Kind: SecretRotated, SharePPM: 2 * per},
		{Kind: ResponseLost, SharePPM: 10 * per}, {Kind: RequestLost, SharePPM: 8 * per},
		{Kind: Storm, SharePPM: 2 * per}, {Kind: Outage, SharePPM: per},
		{Kind: SlowResponse, SharePPM: 2 * per}, {Kind: InProgress, SharePPM: 30 * per},
		{Kind: StaleRead, SharePPM: 4 * per}, {Kind: ClockOff, SharePPM: 100 * per},
		{Kind: Growth, SharePPM: 30 * per}, {Kind: ShortPage, SharePPM: 40 * per},
		{Kind: DoubleWork, SharePPM: 100 * per},
	}
}

// Doubles reports whether the plan lets both systems take the same reference twice.
func (p *Plan) Doubles() bool {
	return p != nil && slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Kind == DoubleWork })
}
