// The block in Go of the guide on checkpoints. test/docs keeps them alike.

package platentest_test

import (
	"testing"

	"platen/client"
	"platen/platentest"
)

//nolint:paralleltest // as the docs show it
func TestWhatFollowsADayOfWork(t *testing.T) {
	base := platentest.Start(t).Sandbox(t, platentest.Options{Preset: "manual", Clock: "manual"})
	c := client.New(base.BaseURL, client.Keys{Office: base.OfficeKey, Factory: base.FactoryKey})
	if _, err := c.AdvanceTime(t.Context(), client.TickInput{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one way", "another way"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := base.Fork(t) // its own keys, at the same moment
			if s.ID == base.ID {
				t.Error("a fork is another sandbox")
			}
		})
	}
}
