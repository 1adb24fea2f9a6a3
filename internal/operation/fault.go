package operation

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"platen/internal/company/fault"
	"platen/internal/company/sim"
	"platen/internal/desk"
	"platen/internal/desk/injection"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/share"
)

// FaultResource names the faults that happened among the resources that can be listed.
const FaultResource = "fault"

// FaultPlan has the faults of a sandbox (contract: OPEN.SANDBOX.FIELDS.FAULTS).
type FaultPlan struct {
	_ struct{} `doc:"The faults that the sandbox injects: its plan, the rules and those still to come."`

	Plan     *fault.PlanName `json:"plan" enum:"light,moderate,severe,double_work,treacherous" doc:"The plan that comes with Platen: light, moderate, severe, which is also called double_work, or treacherous; null for rules of your own."`
	Seed     uint64          `json:"seed" doc:"The same seed and the same requests on each path meet the same faults."`
	DelayPct int64           `json:"delay_pct" doc:"Length of the delays, in per cent."`
	Rules    []PlannedFault  `json:"rules" doc:"The rules of the plan, or your own."`
	Pending  []Injection     `json:"pending" doc:"Armed faults: each applies to the next matching request or delivery."`
}

// PlannedFault is one thing that goes wrong.
type PlannedFault struct {
	_ struct{} `doc:"One rule of the sandbox's fault plan."`

	Kind       fault.Kind `json:"kind" enum:"response_lost,request_lost,request_late,storm,outage,slow_response,in_progress,stale_read,clock_off,growth,short_page,webhook_twice,webhook_late,webhook_lost,webhook_forged,secret_rotated,double_work" doc:"The thing that goes wrong."`
	Share      share.PPM  `json:"share" example:"0.05" doc:"The part of the requests or deliveries that it happens to."`
	Operations []string   `json:"operations" doc:"The operations that it happens to; none for all."`
	FromMinute sim.Minute `json:"from_minute" doc:"The first working minute in which it happens."`
	ToMinute   *int64     `json:"to_minute" doc:"The working minute from which it no longer happens; null for never."`
	DelayMS    *int64     `json:"delay_ms" doc:"How long it takes, in milliseconds; null for by chance."`
	// Form is nil for one that has none, too.
	Form *fault.Form `json:"form" enum:"error,cut" doc:"How a lost request or response looks: error, a 502, or cut, a closed connection; null for either by chance."`
}

// Injection is a fault that was asked for by hand.
type Injection struct {
	_ struct{} `doc:"A fault that the client asked for and that has not happened yet."`

	Kind  fault.Kind `json:"kind" enum:"response_lost,request_lost,request_late,storm,outage,slow_response,in_progress,stale_read,clock_off,growth,short_page,webhook_twice,webhook_late,webhook_lost,webhook_forged,secret_rotated,double_work" doc:"The thing that goes wrong."`
	Count int64      `json:"count" doc:"How many more times it applies."`
	// Operations is empty where the fault takes any call that it can.
	Operations []string    `json:"operations" doc:"The operations that it waits for; empty for the next one that can meet it."`
	Form       *fault.Form `json:"form" enum:"error,cut" doc:"How a lost request or response looks: error, a 502, or cut, a closed connection; null for either by chance."`
}

// FaultPlanOf shows what goes wrong in a sandbox, nil for nothing.
func FaultPlanOf(v *sandbox.View) *FaultPlan {
	faults := v.Faults()
	if faults == nil {
		return nil
	}
	plan := faults.Plan()
	shown := FaultPlan{Seed: plan.Seed, DelayPct: plan.DelayPct, Rules: []PlannedFault{}, Pending: []Injection{}}
	if plan.Name != "" {
		shown.Plan = &plan.Name
	}
	for i := range plan.Rules {
		r := &plan.Rules[i]
		rule := PlannedFault{
			Kind: r.Kind, Share: share.PPM(r.SharePPM), Operations: append([]string{}, r.Operations...),
			FromMinute: r.FromMinute, DelayMS: r.DelayMS,
		}
		if r.Form != "" {
			rule.Form = &r.Form
		}
		if r.ToMinute != 0 {
			rule.ToMinute = new(int64(r.ToMinute))
		}
		shown.Rules = append(shown.Rules, rule)
	}
	for _, i := range faults.Pending() {
		shown.Pending = append(shown.Pending, injectionOf(i))
	}
	return &shown
}

func injectionOf(i injection.Injection) Injection {
	shown := Injection{Kind: i.Kind, Count: i.Count, Operations: append([]string{}, i.Operations...)}
	if i.Form != "" {
		shown.Form = &i.Form
	}
	return shown
}

// Fault is a row of GET /sandbox/faults (contract: OPEN.FAULT.LIST).
type Fault struct {
	_ struct{} `doc:"An injected fault: the request or delivery that it hit, and its effect."`

	ID         string         `json:"id" example:"flt_17" doc:"Counts the faults of the sandbox."`
	Kind       fault.Kind     `json:"kind" enum:"response_lost,request_lost,request_late,storm,outage,slow_response,in_progress,stale_read,clock_off,growth,short_page,webhook_twice,webhook_late,webhook_lost,webhook_forged,secret_rotated,double_work" doc:"The thing that went wrong."`
	Summary    string         `json:"summary" doc:"The kind of the fault."`
	Detail     *string        `json:"detail" doc:"How it happened: of a lost request or response its form; null where there is only one way."`
	RequestID  *string        `json:"request_id" doc:"The request that it happened to; null for a delivery."`
	Operation  *string        `json:"operation" doc:"The id of its operation; null for a delivery."`
	DeliveryID *string        `json:"delivery_id" doc:"The delivery that it happened to; null for a request."`
	EventID    *string        `json:"event_id" doc:"The event that was delivered; null for a request."`
	CreatedAt  moment.Instant `json:"created_at" doc:"When it happened, in wall time."`
}

// FaultPlans names the plans that come with Platen, the mildest first.
func FaultPlans() []fault.PlanName { return fault.Plans() }

// InjectableFaults lists what can be let go wrong by hand, in the order in which it is shown: all
// but what holds for the whole sandbox.
func InjectableFaults() []fault.Definition {
	return slices.DeleteFunc(fault.Definitions(), func(d fault.Definition) bool {
		return d.Fixed || d.Kind == fault.ClockOff
	})
}

// FaultOf returns the row of a fault.
func FaultOf(h *desk.FaultHit) Fault {
	d, _ := fault.Lookup(h.Kind)
	row := Fault{ID: "flt_" + strconv.FormatUint(h.Ordinal, 10), Kind: h.Kind, Summary: d.Summary, CreatedAt: h.At}
	for _, optional := range []struct {
		to   **string
		text string
	}{
		{&row.Detail, h.Detail}, {&row.RequestID, h.RequestID}, {&row.Operation, h.Operation},
		{&row.DeliveryID, h.DeliveryID}, {&row.EventID, h.EventID},
	} {
		if optional.text != "" {
			*optional.to = &optional.text
		}
	}
	return row
}

// InjectFault is the body of POST /sandbox/faults.
type InjectFault struct {
	_ struct{} `doc:"The body that injects a fault into the next matching requests or deliveries."`

	Kind       fault.Kind  `json:"kind" required:"true" enum:"response_lost,request_lost,request_late,storm,outage,slow_response,in_progress,stale_read,growth,short_page,webhook_twice,webhook_late,webhook_lost,webhook_forged,secret_rotated" doc:"The kind of fault to inject."`
	Count      *int64      `json:"count,omitzero" minimum:"1" maximum:"100" doc:"How many times, as soon as it can; once when left out."`
	Operations []string    `json:"operations,omitzero" minItems:"1" maxItems:"40" uniqueItems:"true" doc:"Ids of the operations that it waits for, such as create_work_order. When left out, a lost request or response waits for the next write, and other faults take the next request that can meet them. Not for faults of deliveries."`
	Form       *fault.Form `json:"form,omitzero" enum:"error,cut" doc:"How a lost request or response looks: error, a 502, or cut, a closed connection, which some HTTP libraries resend by themselves. Either by chance when left out. Not for other faults."`
}

// check refuses operations that the fault cannot happen to.
func (in *InjectFault) check() error {
	var wrong []problem.Field
	d, _ := fault.Lookup(in.Kind)
	if in.Form != nil && !d.Severs {
		wrong = append(wrong, problem.Field{
			Field: "form", Rule: "not",
			Message: fmt.Sprintf("%s has no form: a lost request or response has one.", in.Kind),
		})
	}
	if d.Webhook && len(in.Operations) > 0 {
		wrong = append(wrong, problem.Field{
			Field: "operations", Rule: "not",
			Message: fmt.Sprintf("%s happens to deliveries, not to operations.", in.Kind),
		})
	}
	for i, id := range in.Operations {
		if !MaySuffer(in.Kind, id) {
			wrong = append(wrong, problem.Field{
				Field: fmt.Sprintf("operations[%d]", i), Rule: "exists",
				Message: fmt.Sprintf("No operation %q supports faults.", id),
			})
		}
	}
	if len(wrong) > 0 {
		return problem.Invalid(wrong...)
	}
	return nil
}

// MaySuffer reports whether there is an operation with an id that a fault happens to.
func MaySuffer(kind fault.Kind, id string) bool {
	for _, o := range Table() {
		if o.ID == id {
			return !o.Spared() && (kind != fault.RequestLate || o.Delayable())
		}
	}
	return false
}

// Delayable reports whether a request of the operation can be carried out later: a write of one of the two systems,
// since the shared ones show secrets, and one that calls nobody (contract: OPEN.FAULT.REQUEST_LATE).
func (o *Operation) Delayable() bool {
	return o.Kind == Write && o.System != Shared && o.System != Open && !o.Calls
}

// Spared reports whether an operation never meets an injected fault: those that create
// a sandbox, and those of the sandbox itself (contract: OPEN.FAULT.SPARED).
func (o *Operation) Spared() bool { return o.System == Open || strings.HasPrefix(o.Path, "/sandbox") }

func faultOperations() []Operation {
	return []Operation{
		{
			ID: "list_faults", Kind: List, Method: http.MethodGet, Path: "/sandbox/faults", System: Shared,
			Grading: GradingAlone, Key: KeyNone, Status: http.StatusOK,
			Summary: "List injected faults",
			Description: "The last 500 faults of this sandbox, newest first: which request or delivery met what. " +
				"The list is kept in memory: it begins anew when the server does.",
			Resource: FaultResource, Filters: []string{"kind"}, Out: reflect.TypeFor[Fault](),
		},
		write(Operation{
			ID: "inject_fault", Path: "/sandbox/faults", System: Shared, Grading: GradingAlone,
			Summary: "Inject a fault",
			Description: "The next request or delivery that can meet this fault meets it, in any sandbox: for a lost " +
				"request or response the next write. Name operations to choose. It writes no event. At most 100 " +
				"faults that differ in kind, form or operations can be pending, each 100 times.",
			Problems: []problem.Code{problem.OriginRefused, problem.TooManyOpen},
			Out:      reflect.TypeFor[Injection](),
		}, func(tx *sandbox.Tx, _ PathParams, in *InjectFault) (Result, error) {
			count := int64(1)
			if in.Count != nil {
				count = *in.Count
			}
			if err := in.check(); err != nil {
				return Result{}, err
			}
			asked := injection.Injection{Kind: in.Kind, Count: count}
			if in.Form != nil {
				asked.Form = *in.Form
			}
			asked.Operations = slices.Sorted(slices.Values(in.Operations))
			pending, err := tx.InjectFault(asked)
			injected := injectionOf(pending)
			return Result{Value: func(*sandbox.View) any { return injected }}, err
		}),
	}
}
