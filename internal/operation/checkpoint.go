package operation

import (
	"net/http"
	"reflect"

	"platen/internal/company"
	"platen/internal/desk"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// CreateCheckpoint is the body of POST /sandbox/checkpoints.
type CreateCheckpoint struct {
	_ struct{} `doc:"The body that names the present moment of the sandbox."`

	Label string `json:"label" required:"true" minLength:"1" maxLength:"80" example:"before the rush" doc:"Your name for this moment; no two checkpoints of a sandbox have the same."`
}

// ForkSandbox is the body of POST /sandbox/forks.
type ForkSandbox struct {
	_ struct{} `doc:"The body that forks a sandbox, now or at an earlier moment."`

	Checkpoint *string      `json:"checkpoint,omitzero" minLength:"1" maxLength:"80" example:"start" doc:"The id or the label of the checkpoint to begin with. Each sandbox has one called start."`
	Seq        *int64       `json:"seq,omitzero" minimum:"1" maximum:"9007199254740991" doc:"Instead of a checkpoint: the number of an event. The fork begins after the change that wrote it."`
	SimDate    *moment.Date `json:"sim_date,omitzero" example:"2026-09-08" doc:"Instead of a checkpoint: a working day that has opened. The fork begins at its opening, 08:00. A weekend means Monday."`
}

// ForkedSandbox is the response of a fork. The keys appear in this response and nowhere
// else.
type ForkedSandbox struct {
	_ struct{} `doc:"A new sandbox that was forked from another one, with its keys, which are shown once."`

	NewSandbox

	ForkedFrom ForkedFrom `json:"forked_from" doc:"Where the fork comes from."`
}

// ForkedFrom says where a fork comes from (contract: OPEN.SANDBOX.FIELDS.FORKED_FROM).
type ForkedFrom struct {
	_ struct{} `doc:"The sandbox and the moment that the fork comes from."`

	SandboxID string `json:"sandbox_id" example:"sbx_3q8r0v7k5n2wd" doc:"The sandbox that it was forked from."`
	Seq       uint64 `json:"seq" doc:"The number of the newest event that both have."`
}

func forkedFrom(s *company.Settings) *ForkedFrom {
	if len(s.Ancestors) == 0 {
		return nil
	}
	parent := s.Ancestors[len(s.Ancestors)-1]
	return &ForkedFrom{SandboxID: parent.ForkedFrom, Seq: parent.Sequence}
}

// Point returns the registry's form of a body, or refuses one that names two places.
func (in *ForkSandbox) Point() (sandbox.ForkPoint, error) {
	if in.SimDate != nil && (in.Checkpoint != nil || in.Seq != nil) {
		return sandbox.ForkPoint{}, problem.Invalid(problem.Field{
			Field: "sim_date", Rule: "not", Message: "Send one of checkpoint, seq and sim_date.",
		})
	}
	if in.Checkpoint != nil && in.Seq != nil {
		return sandbox.ForkPoint{}, problem.Invalid(problem.Field{
			Field: "seq", Rule: "not", Message: "Send checkpoint or seq, not both.",
		})
	}
	point := sandbox.ForkPoint{Checkpoint: in.Checkpoint, Date: in.SimDate}
	if in.Seq != nil {
		point.Sequence = new(uint64(*in.Seq))
	}
	return point, nil
}

func checkpointOperations() []Operation {
	rows := reads[desk.Checkpoint](noun{
		system: Shared, grading: GradingAlone, path: "/sandbox/checkpoints", resource: desk.CheckpointResource,
		singular: "checkpoint", plural: "checkpoints", summary: "checkpoints",
		listDescription: "Saved states of the sandbox, newest first. The one called start is its first morning.",
		one:             "a checkpoint",
	})
	return append(rows, createCheckpoint(), deleteCheckpoint(), Operation{
		ID: "fork_sandbox", Kind: Fork, Method: http.MethodPost, Path: "/sandbox/forks", System: Shared,
		Grading: GradingAlone, Key: KeyAccepted, Status: http.StatusCreated,
		Summary: "Fork the sandbox",
		Description: "Creates another sandbox with the same company and history, from a checkpoint, an " +
			"event, the opening of a day, or now. Save " +
			"its keys: they are shown only in this response. From then on the two sandboxes are independent, and " +
			"new events have their own ids. Webhook subscriptions are not copied. A fork counts towards the limits " +
			"of the server and of your network like a new sandbox, but gets no ticket. An Idempotency-Key is valid " +
			"within your network for ten minutes, and has at least 20 characters, except on a server of " +
			"your own machine or office. You can also fork a sandbox that has " +
			"expired, or whose company is bankrupt.",
		Problems: []problem.Code{problem.OriginRefused, problem.CreationClosed, problem.NotFound, problem.PowRequired,
			problem.IPActiveLimit, problem.IPCreateLimit, problem.QueueFull},
		In: reflect.TypeFor[ForkSandbox](), BodyOptional: true, Out: reflect.TypeFor[ForkedSandbox](),
	})
}

func createCheckpoint() Operation {
	return write(Operation{
		ID: "create_checkpoint", Path: "/sandbox/checkpoints", System: Shared,
		Grading: GradingAlone, Status: http.StatusCreated,
		Summary: "Create a checkpoint",
		Description: "Saves the state of the sandbox under a name. Fork it with POST /sandbox/forks as " +
			"often as you like. " +
			"Writes no event.",
		Problems: []problem.Code{problem.CheckpointExists, problem.TooManyOpen},
		Out:      reflect.TypeFor[desk.Checkpoint](),
	}, func(tx *sandbox.Tx, _ PathParams, in *CreateCheckpoint) (Result, error) {
		id, err := tx.Desk.AddCheckpoint(in.Label, tx.NextVersion(), tx.Now)
		return Result{Resource: desk.CheckpointResource, ID: id}, err
	})
}

func deleteCheckpoint() Operation {
	return write(Operation{
		ID: "delete_checkpoint", Method: http.MethodDelete, Path: "/sandbox/checkpoints/{id}", System: Shared,
		Grading:     GradingAlone,
		Summary:     "Delete a checkpoint",
		Description: "Deletes the checkpoint, and keeps its forks. You cannot delete the one called start.",
		Problems:    []problem.Code{problem.NotFound, problem.CheckpointKept},
		Out:         reflect.TypeFor[desk.Checkpoint](),
	}, func(tx *sandbox.Tx, at PathParams, _ *noBody) (Result, error) {
		last, err := tx.Desk.RemoveCheckpoint(at.ID, tx.Now)
		return Result{Value: func(*sandbox.View) any { return last }}, err
	})
}
