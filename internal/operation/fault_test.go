package operation_test

import (
	"reflect"
	"strings"
	"testing"

	"platen/internal/operation"
)

// TestInjectableFaultsAreThoseOfTheOperation that injects them.
func TestInjectableFaultsAreThoseOfTheOperation(t *testing.T) {
	t.Parallel()
	field, _ := reflect.TypeFor[operation.InjectFault]().FieldByName("Kind")
	var kinds []string
	for _, d := range operation.InjectableFaults() {
		kinds = append(kinds, string(d.Kind))
	}
	if got, want := strings.Join(kinds, ","), field.Tag.Get("enum"); got != want {
		t.Errorf("they are %s, and the operation takes %s", got, want)
	}
}
