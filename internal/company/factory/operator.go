package factory

import (
	"fmt"

	"platen/internal/company/catalog"
	"platen/internal/company/record"
	"platen/internal/words/event"
	"platen/internal/words/problem"
)

// Operator is an employee who can run a press. One who is gone for good is not
// present; the Factory is not told more.
type Operator struct {
	_ struct{} `doc:"An employee who can run a press, as the Factory knows them."`

	record.Head
	BadgeNo string `json:"badge_no" doc:"The badge at the gate. Head Office knows the employee by the same number."`
	Role    string `json:"role" enum:"operator" doc:"Always operator."`
	Present bool   `json:"present" doc:"True when the operator is at work today. One who has left the company is never present."`
	record.Stamps
}

// OperatorPrivate holds the state of an operator that is never served.
type OperatorPrivate struct {
	// RunID is the run that the operator has set going. It goes on when they
	// fall ill or leave, and until it ends they cannot start another.
	RunID string `json:"run_id,omitzero"`
	// Skill is 0 to 100.
	Skill int64 `json:"skill"`
}

// Resource implements record.Row.
func (*Operator) Resource() string { return "operator" }

// State implements record.Row.
func (*Operator) State() string { return "" }

func newOperators() *record.Table[Operator, OperatorPrivate] {
	return record.NewTable[Operator, OperatorPrivate](record.Definition{Resource: "operator"}, nil)
}

func operatorID(badge string) string { return "opr_" + badge }

// seeOperator notes whether an operator is there, and adds a row for one who
// comes for the first time.
func (f *Factory) seeOperator(r *record.Recorder, a *Attendant) {
	present := a.Absence == AbsenceNone
	operator, known := f.Operators.Find(operatorID(a.BadgeNo))
	switch {
	case !known:
		f.Operators.Add(r, Operator{Head: record.Head{ID: operatorID(a.BadgeNo)}, BadgeNo: a.BadgeNo,
			Role: string(event.Operator), Present: present}, OperatorPrivate{Skill: a.Skill})
	case operator.Present != present:
		operator, _ = f.Operators.Edit(r, operator.ID)
		operator.Present = present
	}
}

// misses notes that an operator is not there.
func (f *Factory) misses(r *record.Recorder, operator *Operator) {
	if operator.Present {
		operator, _ = f.Operators.Edit(r, operator.ID)
		operator.Present = false
	}
}

// skillPPM is the reduction of a run's spoilage by an operator's skill, half a
// point at most, or the addition to it.
func (f *Factory) skillPPM(badge string) int64 {
	const perSkill = 100 // half a point is 5,000 parts per million
	return (record.Private(f.Operators, operatorID(badge)).Skill - catalog.SkillAverage) * perSkill
}

// freeOperator finds the operator of a press: the named one, or one who is
// there and free.
func (f *Factory) freeOperator(r *record.Recorder, badge *string) (string, error) {
	if badge != nil {
		return f.namedOperator(r, *badge)
	}
	free, first := "", ""
	for operator, private := range f.Operators.All {
		switch {
		case !operator.Present:
		case private.RunID == "":
			free = operator.BadgeNo
		case first == "" || record.Private(f.PrintRuns, private.RunID).Ends < record.Private(f.PrintRuns, first).Ends:
			first = private.RunID
		}
	}
	switch {
	case free != "":
		return free, nil
	case first != "":
		return "", f.whenFree(r, first, problem.New(problem.NoOperator, "No operator is free."))
	default: // tomorrow's attendance is not known here
		return "", r.Waiting(problem.New(problem.NoOperator, "No operator who is free is here today.").
			Hinting("GET /factory/operators says who is present. Head Office can hire."))
	}
}

func (f *Factory) namedOperator(r *record.Recorder, badge string) (string, error) {
	operator, ok := f.Operators.Find(operatorID(badge))
	if !ok {
		return "", problem.Invalid(problem.Field{Field: "operator_badge_no", Rule: "exists",
			Message: fmt.Sprintf("There is no operator with the badge %q; see /factory/operators.", badge)})
	}
	if !operator.Present {
		return "", r.Waiting(problem.New(problem.NoOperator, "The operator %s is not here.", badge))
	}
	if run := record.Private(f.Operators, operator.ID).RunID; run != "" {
		return "", f.whenFree(r, run,
			problem.New(problem.NoOperator, "The operator %s is busy with another run.", badge))
	}
	return badge, nil
}
