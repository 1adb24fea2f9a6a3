package problem_test

import (
	"testing"

	"platen/internal/words/problem"
)

// TestEveryCodeHasAnExample: its own, as retryable as the code is.
func TestEveryCodeHasAnExample(t *testing.T) {
	t.Parallel()
	examples, err := problem.Examples()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range problem.All() {
		e, ok := examples[d.Code]
		if !ok || e.Code != d.Code || e.Message == "" || e.Hint == "" || e.Retryable != d.Retryable {
			t.Errorf("%s has the example %+v", d.Code, e)
		}
	}
	if len(examples) != len(problem.All()) {
		t.Errorf("there are %d examples for %d codes", len(examples), len(problem.All()))
	}
}
