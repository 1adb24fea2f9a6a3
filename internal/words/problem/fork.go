package problem

import "net/http"

// Codes of evaluations, checkpoints, forks and triggers.
const (
	CreationClosed   Code = "creation_closed"
	NotInEvaluation  Code = "not_in_evaluation"
	CheckpointExists Code = "checkpoint_exists"
	CheckpointKept   Code = "checkpoint_kept"

	TriggerImpossible Code = "trigger_impossible"
)

var fork = []Definition{ //nolint:gochecknoglobals // the table itself
	{
		Code: CreationClosed, Status: http.StatusForbidden,
		Hint: "Only POST /sandboxes with the creation key of the operator makes sandboxes; a grading key may fork.",
		Meaning: "Only the operator of this server can create sandboxes. Agents and keys of sandboxes cannot: a " +
			"player that can create a world can look ahead in it.",
		Remedy: "Use the sandbox that you were given, or ask the operator for another one.",
	},
	{
		Code: NotInEvaluation, Status: http.StatusForbidden,
		Hint: "Only the grading key, which begins with lab_grd_, opens this in an evaluation.",
		Meaning: "This sandbox compares players: they can neither try things first nor see how they are " +
			"judged.",
		Remedy: "Send the grading key of the evaluation, or use an ordinary sandbox to try things out.",
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
		Meaning: "The company's state does not allow this trigger: for example, no truck is under way.",
		Remedy:  "Meet its precondition first: GET /sandbox/triggers lists it.",
	},
}
