package console

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/problem"
)

// The values in this file are computed when a page asks for them, and are no part of the
// state: to judge a company keeps its writer waiting.

const (
	// maxFailures and maxFaults are the most that a page is shown of either.
	maxFailures = 50
	maxFaults   = 50
)

// score is how exactly the records of a manual bridge were carried.
type score struct {
	operation.Integration

	// Failures are the newest findings that are not exact, FailureCount is the number of all.
	Failures     []operation.Finding `json:"failures"`
	FailureCount int                 `json:"failure_count"`
}

// playing refuses with not_in_evaluation where players are compared: the console is theirs.
func playing(ctx context.Context, viewer *Viewer) (*sandbox.View, error) {
	v, err := viewer.Sandbox.View(ctx)
	if err == nil && v.Summary.Settings.Preset.Evaluation {
		err = problem.New(problem.NotInEvaluation, "Players cannot use this in an evaluation.")
	}
	return v, err //nolint:wrapcheck // a problem
}

// Score returns how exactly records were carried, as JSON. Where players are compared it fails
// with not_in_evaluation.
func (c *Console) Score(ctx context.Context, viewer *Viewer) ([]byte, error) {
	if _, err := playing(ctx, viewer); err != nil {
		return nil, err
	}
	verified, err := viewer.Sandbox.Verify(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // a problem
	}
	chosen, all := operation.Failures(&verified, maxFailures)
	ids := map[string]bool{}
	for _, f := range chosen {
		for _, id := range operation.Records(f) {
			ids[id] = true
		}
	}
	trails, err := viewer.Sandbox.Trails(ctx, verified.View, ids)
	if err != nil {
		return nil, fmt.Errorf("find the events of what was not carried: %w", err)
	}
	shown := score{operation.IntegrationOf(&verified), []operation.Finding{}, all}
	for _, f := range chosen {
		shown.Failures = append(shown.Failures, operation.FindingOf(f, trails))
	}
	return encoded(shown)
}

// Attention returns the records that need attention, as JSON. Where players are compared it fails with
// not_in_evaluation.
func (c *Console) Attention(ctx context.Context, viewer *Viewer) ([]byte, error) {
	if _, err := playing(ctx, viewer); err != nil {
		return nil, err
	}
	found, err := viewer.Sandbox.Attend(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // a problem
	}
	return encoded(operation.AttentionOf(&found))
}

// faults are the injected faults of a sandbox, planned and happened.
type faults struct {
	// Faults is as in the status, nil for nothing.
	Faults *operation.FaultPlan `json:"faults"`
	// Happened are the newest faults, newest first, and Count the number of all.
	Happened []operation.Fault `json:"happened"`
	Count    uint64            `json:"count"`
}

// Faults returns the fault plan and the faults that happened, as JSON. Where players are
// compared it fails with not_in_evaluation.
func (c *Console) Faults(ctx context.Context, viewer *Viewer) ([]byte, error) {
	v, err := playing(ctx, viewer)
	if err != nil {
		return nil, err
	}
	shown := faults{Faults: operation.FaultPlanOf(v), Happened: []operation.Fault{}}
	if f := v.Faults(); f != nil {
		hits, count := f.Hits()
		shown.Count = count
		for _, h := range slices.Backward(hits[max(0, len(hits)-maxFaults):]) {
			shown.Happened = append(shown.Happened, operation.FaultOf(&h))
		}
	}
	return encoded(shown)
}

func encoded(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode what the console asked for: %w", err)
	}
	return b, nil
}
