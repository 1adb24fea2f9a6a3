package operation

import (
	"net/http"
	"reflect"

	"platen/internal/company"
	"platen/internal/sandbox"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// TriggerResult is the data of POST /sandbox/triggers.
type TriggerResult struct {
	_ struct{} `doc:"The outcome of a trigger: the record that it created or changed, and its events."`

	Type     string `json:"type" example:"order" doc:"The trigger that was pulled."`
	Resource string `json:"resource" example:"sales_order" doc:"The kind of the record that it is about."`
	ID       string `json:"id" doc:"The id of that record."`
	// SimDate and SimTime are when it happens.
	SimDate       moment.Date `json:"sim_date" doc:"When it happens: now, or later."`
	SimTime       string      `json:"sim_time" example:"08:00" doc:"The in-world time of that day."`
	EventsWritten uint64      `json:"events_written" doc:"Events that it has written so far."`
	LastSeq       uint64      `json:"last_seq" doc:"The number of the newest event."`
}

// TriggerKinds is the data of GET /sandbox/triggers.
type TriggerKinds struct {
	_ struct{} `doc:"The triggers that a client can pull in this sandbox."`

	Triggers []TriggerKind `json:"triggers" doc:"The triggers that there are."`
}

// TriggerKind is a kind of trigger.
type TriggerKind struct {
	_ struct{} `doc:"One kind of trigger: its fields, its conditions and the events that it writes."`

	Type    string       `json:"type" doc:"The name to send as type."`
	Summary string       `json:"summary" doc:"The effect of the trigger."`
	Needs   *string      `json:"needs" doc:"Its precondition. Null if it has none."`
	Fields  []string     `json:"fields" doc:"Its optional fields, in addition to type."`
	Events  []event.Type `json:"events" doc:"Types of events that follow, at once or in time."`
}

// Triggers lists the kinds of triggers.
func Triggers() TriggerKinds {
	all := TriggerKinds{Triggers: []TriggerKind{}}
	for _, t := range company.Triggers() {
		kind := TriggerKind{
			Type: t.Type, Summary: t.Summary, Fields: append([]string{}, t.Fields...),
			Events: append([]event.Type{}, t.Events...),
		}
		if t.Needs != "" {
			kind.Needs = &t.Needs
		}
		all.Triggers = append(all.Triggers, kind)
	}
	return all
}

func triggerOperations() []Operation {
	kinds := Triggers()
	return []Operation{
		{
			ID: "get_triggers", Kind: Object, Method: http.MethodGet, Path: "/sandbox/triggers", System: Shared,
			Grading: GradingAlone, Key: KeyNone, Status: http.StatusOK,
			Summary:     "List the triggers",
			Description: "The triggers of POST /sandbox/triggers, with the preconditions of each.",
			Out:         reflect.TypeFor[TriggerKinds](),
			Read:        shown(func(*sandbox.View, moment.Instant) any { return kinds }),
		},
		write(Operation{
			ID: "pull_trigger", Path: "/sandbox/triggers", System: Shared, Grading: GradingAlone,
			Summary: "Trigger an event",
			Description: "Triggers an event, such as a rush order, a short delivery or a press breakdown. It has the " +
				"same cause and effects as one that occurs naturally. It marks the sandbox as assisted: its " +
				"score is not compared with others.",
			Problems: []problem.Code{problem.OriginRefused, problem.NotFound, problem.TriggerImpossible},
			Events:   followUps(),
			Out:      reflect.TypeFor[TriggerResult](),
		}, func(tx *sandbox.Tx, _ PathParams, in *company.PullTrigger) (Result, error) {
			first := tx.Sequence()
			done, err := tx.Company.Trigger(in)
			if err != nil {
				return Result{}, err
			}
			result := TriggerResult{Type: in.Type, Resource: done.Resource, ID: done.ID}
			result.SimDate, result.SimTime = done.Moment()
			return Result{Value: func(v *sandbox.View) any {
				result.EventsWritten, result.LastSeq = v.Sequence-first, v.Sequence
				return result
			}}, nil
		}),
	}
}

// followUps are the types that triggers can lead to, each once.
func followUps() []event.Type {
	all := event.Set{}
	for _, t := range company.Triggers() {
		all = all.Union(event.SetOf(t.Events...))
	}
	var types []event.Type
	for _, d := range event.Catalogue() {
		if all.Meets(event.SetOf(d.Type)) {
			types = append(types, d.Type)
		}
	}
	return types
}
