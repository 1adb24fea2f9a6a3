package docs_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"platen/platentest"
)

// provoked finds the command in the Markdown of a code's page.
var provoked = regexp.MustCompile("(?s)## Provoke it\n.*?```sh\n(.*?)\n```")

// TestEveryProvocationProvokes runs the command on the page of each code in a
// new sandbox, and finds the code in the answer.
func TestEveryProvocationProvokes(t *testing.T) {
	t.Parallel()
	settings := platentest.Limits()
	settings["ip-active"], settings["ip-creations"], settings["ip-rate"], settings["anonymous-rate"] = "0",
		"0", "0", "0"
	settings["tick-pause"] = slowly // no command has to move the clock twice
	p := platentest.Start(t, settings)
	list := page(t, p, "/llms.txt")
	tried := 0
	for _, m := range regexp.MustCompile(`\(([^)]*/docs/errors/([a-z_]+)\.md)\)`).FindAllStringSubmatch(list, -1) {
		command := provoked.FindStringSubmatch(page(t, p, strings.TrimPrefix(m[1], p.Origin)))
		if command == nil || !strings.Contains(command[1], "curl") {
			continue
		}
		tried++
		t.Run(m[2], func(t *testing.T) {
			t.Parallel()
			s := p.Sandbox(t, platentest.Options{Preset: "starter", Seed: new(int64(7)), Clock: "manual"})
			answer := run(t,
				"PLATEN_OFFICE_KEY="+s.OfficeKey+"\nPLATEN_FACTORY_KEY="+s.FactoryKey+"\n"+command[1]+"\n")[0]
			var envelope struct{ Error struct{ Code string } }
			if err := json.Unmarshal([]byte(answer), &envelope); err != nil || envelope.Error.Code != m[2] {
				t.Errorf("the command answers %.400s", answer)
			}
		})
	}
	if tried == 0 {
		t.Error("no page of a code has a command")
	}
}
