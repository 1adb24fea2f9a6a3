package problem

import "net/http"

// Codes of checkpoints, forks and triggers.
const (
	NotInEvaluation  Code = "not_in_evaluation"
	CheckpointExists Code = "checkpoint_exists"
	CheckpointKept   Code = "checkpoint_kept"

	TriggerImpossible Code = "trigger_impossible"
)

var fork = []Definition{ //nolint:gochecknoglobals // the table itself
	{
		Code: NotInEvaluation, Status: http.StatusForbidden,
		Hint:    "Create a sandbox of another preset.",
		Meaning: "Players are compared in this preset, so nothing can be tried out first.",
		Remedy:  "Use a sandbox of another preset, such as crunch, to try things out.",
	},
	{
		Code: CheckpointExists, Status: http.StatusConflict,
		Hint:    "details.checkpoint_id is the checkpoint with this label.",
		Meaning: "Another checkpoint of the sandbox has this label.",
		Remedy:  "Choose another label, or delete the checkpoint that has it.",
	},
	{
		Code: CheckpointKept, Status: http.StatusConflict,
		Hint:    "Each sandbox can begin again from its checkpoint start.",
		Meaning: "The checkpoint labelled start stays as long as the sandbox.",
		Remedy:  "Leave it, and delete another one when there are too many.",
	},
	{
		Code: TriggerImpossible, Status: http.StatusConflict,
		Hint:    "GET /sandbox/triggers says what each trigger needs.",
		Meaning: "The cause cannot be in the present state of the company: no truck is under way, for example.",
		Remedy:  "Bring about first what it needs.",
	},
}
