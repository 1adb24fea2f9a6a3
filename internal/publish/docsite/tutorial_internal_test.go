package docsite

import (
	"go/format"
	"slices"
	"testing"

	"platen/docs"
)

func TestAFileIsShownAsItIsAtItsStep(t *testing.T) {
	t.Parallel()
	source := `"""Carries."""
import json  # step 2

def carry():
    # until 2: send()  # once
    # step 2
    for attempt in range(6):
        # until 2: send()
        retry()  # again  # step 3
    # step 1
    print("done")
`
	for i, want := range []struct {
		text  string
		added []int
	}{
		{"\"\"\"Carries.\"\"\"\n\ndef carry():\n    send()  # once\n    print(\"done\")\n", []int{1, 2, 3, 4, 5}},
		{"\"\"\"Carries.\"\"\"\nimport json\n\ndef carry():\n    send()  # once\n    for attempt in range(6):\n" +
			"        send()\n    print(\"done\")\n", []int{2, 6, 7}},
		{"\"\"\"Carries.\"\"\"\nimport json\n\ndef carry():\n    for attempt in range(6):\n" +
			"        retry()  # again\n    print(\"done\")\n", []int{6}},
	} {
		if text, added := atStep(i+1, source); text != want.text || !slices.Equal(added, want.added) {
			t.Errorf("step %d has %v new in\n%swant %v in\n%s", i+1, added, text, want.added, want.text)
		}
	}
}

// TestTheTutorialsGoIsFormattedAtEachStep by the toolchain's rules, though columns grow with
// the steps. The program has no formatter in it: that makes it 240 kB smaller.
func TestTheTutorialsGoIsFormattedAtEachStep(t *testing.T) {
	t.Parallel()
	const last = 7
	for _, name := range []string{"api", "bridge"} {
		source, err := docs.Tutorial.ReadFile("_tutorial/" + name + ".go")
		if err != nil {
			t.Fatal(err)
		}
		for step := 1; step <= last; step++ {
			text, _ := atStep(step, string(source))
			formatted, err := format.Source([]byte(text))
			if err != nil {
				t.Fatalf("step %d of %s.go: %v", step, name, err)
			}
			if string(formatted) != text {
				t.Errorf("step %d of %s.go is not formatted; it would be:\n%s", step, name, formatted)
			}
		}
	}
}
