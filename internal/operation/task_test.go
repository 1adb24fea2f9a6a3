package operation_test

import (
	"testing"

	"platen/internal/operation"
)

func TestEveryOperationHasATaskAndEveryTaskOperations(t *testing.T) {
	t.Parallel()
	count := map[operation.Task]int{}
	for _, op := range operation.Table() {
		if op.Task() == "" {
			t.Errorf("%s has no task", op.ID)
		}
		count[op.Task()]++
	}
	for _, group := range operation.Tasks() {
		if count[group.Task] == 0 || group.About == "" {
			t.Errorf("%s has %d operations and the text %q", group.Task, count[group.Task], group.About)
		}
	}
}
