package fault

import (
	"fmt"
	"slices"

	"platen/internal/company/sim"
	"platen/internal/words/problem"
	"platen/internal/words/share"
)

// Faults asks for faults: one of the plans that come with Platen, or rules of one's own
// (contract: OPEN.FAULT.ORDER).
type Faults struct {
	_ struct{} `doc:"The faults to inject into a new sandbox: a built-in plan, or your own rules."`

	Plan     *PlanName   `json:"plan,omitzero" enum:"light,moderate,severe,double_work,treacherous" doc:"A built-in plan: light, moderate, severe, which is also called double_work, or treacherous. Instead of rules."`
	Rules    []FaultRule `json:"rules,omitzero" minItems:"1" maxItems:"40" doc:"The rules of the faults; in place of a plan."`
	Seed     *int64      `json:"seed,omitzero" minimum:"0" maximum:"9007199254740991" doc:"Seed of the faults, to repeat them. Defaults to the seed of the sandbox."`
	DelayPct *int64      `json:"delay_pct,omitzero" minimum:"0" maximum:"100" doc:"Length of the delays, in per cent: 0 for tests that must not wait. Defaults to 100."`
}

// FaultRule says what goes wrong, how often, and with what.
type FaultRule struct { //nolint:revive // clients know the type by this name
	_ struct{} `doc:"One rule for faults, sent by the client that creates the sandbox: which kind, how often, where and when."`

	Kind       Kind      `json:"kind" required:"true" enum:"response_lost,request_lost,request_late,storm,outage,slow_response,in_progress,stale_read,clock_off,growth,short_page,webhook_twice,webhook_late,webhook_lost,webhook_forged,secret_rotated,double_work" doc:"The kind of fault."`
	Share      share.PPM `json:"share" required:"true" minimum:"0" maximum:"1" example:"0.05" doc:"The part of the requests or deliveries that it happens to, 0 to 1."`
	Operations []string  `json:"operations,omitzero" minItems:"1" maxItems:"40" uniqueItems:"true" doc:"Ids of the operations that it happens to, such as create_work_order; all when left out."`
	FromMinute *int64    `json:"from_minute,omitzero" minimum:"0" maximum:"1000000" doc:"The first working minute of the sandbox in which it happens; from the beginning when left out."`
	ToMinute   *int64    `json:"to_minute,omitzero" minimum:"1" maximum:"1000000" doc:"The working minute from which it no longer happens; never when left out."`
	DelayMS    *int64    `json:"delay_ms,omitzero" minimum:"0" maximum:"60000" doc:"How long it takes, in milliseconds, where it takes any time; by chance when left out."`
	Form       *Form     `json:"form,omitzero" enum:"error,cut" doc:"How a lost request or response looks: error, a 502, or cut, a closed connection; either by chance when left out."`
}

// Checked returns the plan that was asked for, for a sandbox with a seed. known reports whether
// there is an operation that a fault can happen to. The fields that cannot be are named below a
// path, such as faults.
func (o *Faults) Checked(path string, seed uint64, known func(kind Kind, operation string) bool) (
	*Plan, []problem.Field) {
	var fields []problem.Field
	wrong := func(at, rule, format string, values ...any) {
		fields = append(fields, problem.Field{Field: path + at, Rule: rule, Message: fmt.Sprintf(format, values...)})
	}
	plan := &Plan{Seed: seed, DelayPct: 100}
	if o.Seed != nil {
		plan.Seed = uint64(*o.Seed)
	}
	if o.DelayPct != nil {
		plan.DelayPct = *o.DelayPct
	}
	switch {
	case o.Plan != nil && len(o.Rules) > 0:
		wrong(".rules", "not", "Send plan or rules, not both.")
	case o.Plan != nil:
		var ok bool
		plan.Name = *o.Plan
		if plan.Rules, ok = Named(*o.Plan); !ok {
			wrong(".plan", "enum", "There is no plan %q.", *o.Plan)
		}
	case len(o.Rules) == 0:
		wrong(".plan", "required", "Send plan or rules.")
	}
	for i := range o.Rules {
		in, at := &o.Rules[i], fmt.Sprintf(".rules[%d]", i)
		d, ok := Lookup(in.Kind)
		rule := Rule{Kind: in.Kind, SharePPM: int64(in.Share), Operations: in.Operations, DelayMS: in.DelayMS}
		if in.FromMinute != nil {
			rule.FromMinute = sim.Minute(*in.FromMinute)
		}
		if in.ToMinute != nil {
			rule.ToMinute = sim.Minute(*in.ToMinute)
		}
		if in.Form != nil {
			rule.Form = *in.Form
		}
		switch {
		case !ok:
			wrong(at+".kind", "enum", "There is no fault %q.", in.Kind)
		case in.Share < 0 || in.Share > sim.Million:
			wrong(at+".share", "maximum", "share must be from 0 to 1.")
		case rule.ToMinute != 0 && rule.ToMinute <= rule.FromMinute:
			wrong(at+".to_minute", "minimum", "to_minute must be above from_minute.")
		case len(in.Operations) > 0 && (d.Webhook || d.Fixed || in.Kind == ClockOff):
			wrong(at+".operations", "not", "%s does not happen to single operations.", in.Kind)
		case in.Form != nil && !d.Severs:
			wrong(at+".form", "not", "%s has no form: a lost request or response has one.", in.Kind)
		case in.Kind == DoubleWork && (in.Share != sim.Million || in.FromMinute != nil || in.ToMinute != nil):
			wrong(at+".share", "const",
				"double_work holds for the whole sandbox: its share is 1, and it has no minutes.")
		}
		if at := slices.IndexFunc(in.Operations, func(id string) bool { return !known(in.Kind, id) }); at >= 0 {
			wrong(fmt.Sprintf(".rules[%d].operations[%d]", i, at), "exists",
				"No operation %q supports faults.", in.Operations[at])
		}
		plan.Rules = append(plan.Rules, rule)
	}
	return plan, fields
}
