package desk

import (
	"platen/internal/company/record"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

const (
	// MaxCheckpoints is how many checkpoints a sandbox has at most (contract:
	// OPEN.LIMIT.CHECKPOINTS).
	MaxCheckpoints = 100
	// StartCheckpoint is the label of the one that each company begins with.
	StartCheckpoint = "start"
	// CheckpointResource names checkpoints.
	CheckpointResource = "checkpoint"
)

// Checkpoint is a name for the company after one commit (contract:
// OPEN.CHECKPOINT.CREATE). It has no status and no event.
type Checkpoint struct {
	_ struct{} `doc:"A name that a client gave to a moment of its sandbox, to fork from later."`

	record.Head
	Label string `json:"label" example:"before the rush" doc:"No two checkpoints of a sandbox have the same."`
	// Version is that of the commit which has the checkpoint itself too.
	Version   uint64      `json:"version" doc:"Grows with every change of the sandbox."`
	Seq       uint64      `json:"seq" doc:"The number of the newest event at that moment."`
	SimDate   moment.Date `json:"sim_date" doc:"The in-world date of the moment."`
	SimTime   string      `json:"sim_time" example:"08:00" doc:"The in-world time of that day."`
	DayNumber int64       `json:"day_number" doc:"The working day, counted from 0."`
	record.Stamps
}

// Resource implements record.Row.
func (*Checkpoint) Resource() string { return CheckpointResource }

// State implements record.Row.
func (*Checkpoint) State() string { return "" }

// newCheckpoints returns no checkpoints.
func newCheckpoints() *record.Table[Checkpoint, struct{}] {
	return record.NewTable[Checkpoint, struct{}](
		record.Definition{Resource: CheckpointResource, Prefix: "chk", Removes: true}, nil)
}

// CheckpointDetails are the details of an error about a checkpoint that exists.
type CheckpointDetails struct {
	CheckpointID string `json:"checkpoint_id" example:"chk_3q8r0v7k5n2wd"`
}

// AddCheckpoint names the company as it is after the commit with a version, which is to
// be the next one, at a wall time. It returns the id of the checkpoint, or refuses with
// checkpoint_exists or too_many_open.
func (d *Desk) AddCheckpoint(label string, version uint64, now moment.Instant) (id string, err error) {
	if old, ok := d.Checkpoint(label); ok {
		return "", problem.New(problem.CheckpointExists, "This sandbox has a checkpoint %q already.", old.Label).
			With(CheckpointDetails{CheckpointID: old.ID})
	}
	kept := 0
	for range d.checkpoints.All {
		kept++
	}
	if kept >= MaxCheckpoints {
		return "", problem.New(problem.TooManyOpen, "This sandbox has %d checkpoints, the most there can be.", kept).
			Hinting("Delete one with DELETE /sandbox/checkpoints/{id}.")
	}
	d.At(now)
	return d.addCheckpoint(label, version), nil
}

func (d *Desk) addCheckpoint(label string, version uint64) string {
	now := d.company.Now()
	row, _ := d.checkpoints.Add(d.rec, Checkpoint{
		Label: label, Version: version, Seq: d.rec.Sequence(), SimDate: now.Date(), SimTime: now.ClockText(),
		DayNumber: int64(now.Day()),
	}, struct{}{})
	return row.ID
}

// Checkpoint returns the checkpoint with an id or a label, to read.
func (d *Desk) Checkpoint(name string) (*Checkpoint, bool) {
	if found, ok := d.checkpoints.Find(name); ok {
		return found, true
	}
	for found := range d.checkpoints.All {
		if found.Label == name {
			return found, true
		}
	}
	return nil, false
}

// handedOver is when an evaluation was handed to its player: at the first checkpoint that its grader made, 0 before.
func (d *Desk) handedOver() moment.Instant {
	for made := range d.checkpoints.All {
		if made.Label != StartCheckpoint {
			return made.CreatedAt
		}
	}
	return 0
}

// RemoveCheckpoint takes a name away, and returns its row as it was. That of the first
// morning stays.
func (d *Desk) RemoveCheckpoint(id string, now moment.Instant) (last Checkpoint, err error) {
	found, ok := d.checkpoints.Find(id)
	if !ok {
		return last, problem.Missing(CheckpointResource, id)
	}
	if found.Label == StartCheckpoint {
		return last, problem.New(problem.CheckpointKept, "The checkpoint %s stays as long as the sandbox.", found.Label)
	}
	last = *found
	d.At(now)
	d.checkpoints.Rows.Remove(d.rec, id)
	return last, nil
}
