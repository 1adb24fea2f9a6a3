package task_test

import (
	"strings"
	"testing"

	"platen/eval/task"
)

// TestAGateOfTasksNamesWhatIsBelow, and passes where a mean of many scores is 1 but for its last bit.
func TestAGateOfTasksNamesWhatIsBelow(t *testing.T) {
	t.Parallel()
	tenth := 0.0
	for range 10 {
		tenth += 1.0 / 10
	}
	if tenth == 1 {
		t.Fatal("ten tenths are 1 here: this proves nothing")
	}
	failed := task.Grade{
		Task: "b", Score: 0.3336, Void: "it was changed", Over: "too long",
		Checks: []task.Result{{Name: "one"}, {Name: "two", Why: "0 is not 1"}},
	}
	all := []task.Outcome{
		{Task: "a", Mean: tenth},
		{Task: "b", Mean: 0.9996, Tries: []task.Try{{Seed: 7, Grade: &failed}, {Seed: 8, Error: "no sandbox"}}},
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"all of them":   {task.Require(all[:1], 1), ""},
		"nothing asked": {task.Require(all, 0), ""},
		"just enough":   {task.Require(all, 0.9996), ""},
		"one is below": {task.Require(all, 1), "b: score 0.999, less than 1\nb, seed 7: it was changed\n" +
			"b, seed 7: too long\nb, seed 7: two: 0 is not 1\nb, seed 8: no sandbox"},
		"a grade": {failed.Require(0.5), "b: score 0.333, less than 0.5\nit was changed\ntoo long\ntwo: 0 is " +
			"not 1"},
		"a good grade":  {failed.Require(0.3336), ""},
		"what is shown": {task.Require(many(), 1), strings.Repeat("\nm: score 0.000, less than 1", 12)[1:]},
	} {
		said := ""
		if c.err != nil {
			said = c.err.Error()
		}
		if said != c.want {
			t.Errorf("%s: the gate says %q, want %q", name, said, c.want)
		}
	}
}

// many are more tasks than a gate has reasons.
func many() []task.Outcome {
	all := make([]task.Outcome, 40)
	for i := range all {
		all[i].Task = "m"
	}
	return all
}
