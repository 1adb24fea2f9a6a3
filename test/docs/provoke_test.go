package docs_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"platen/platentest"
)

// provoked finds the command in the Markdown of a code's page.
var provoked = regexp.MustCompile("(?s)## Provoke it\n.*?```sh\n(.*?)\n```")

// sample finds the error that the page of a code shows.
var sample = regexp.MustCompile("(?s)```json\n(.*?)\n```")

// examplesFile has the errors that the pages show.
const examplesFile = "../../internal/words/problem/examples.json"

// momentary finds what differs from one server or moment to another: random ids, tags, times, and
// the pause between ticks, which is long here.
var momentary = regexp.MustCompile(`\b([a-z]{2,4}_)[0-9a-z]{13,26}\b|W/\\"[0-9a-z]+|` +
	`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|\d+s ago`)

// envelope is a response with an error, whose fields are in the order in which they are shown.
type envelope struct {
	Error refusal `json:"error"`
}

type refusal struct {
	Code      string          `json:"code"`
	Message   string          `json:"message"`
	Retryable bool            `json:"retryable"`
	Hint      string          `json:"hint"`
	Details   json.RawMessage `json:"details,omitempty"`
	RetryAt   string          `json:"retry_at,omitempty"`
}

// as is the refusal as a page shows it that shows another one: without what is momentary, and if it
// passes with in-world time as under a running clock. Ticks alone move that of these sandboxes.
func (r refusal) as(shown refusal) string {
	if shown.Retryable && !r.Retryable {
		r.Retryable, r.Hint, r.RetryAt = true, shown.Hint, shown.RetryAt
	}
	var b bytes.Buffer
	_ = json.Compact(&b, r.Details) // nothing, or JSON that was read
	r.Details = b.Bytes()
	raw, _ := json.Marshal(r) // of texts and such JSON
	return momentary.ReplaceAllString(string(raw), "${1}…")
}

// TestEveryProvocationProvokes runs the command on the page of each code in a
// new sandbox, and finds in the answer the error that the page shows. Without a thorough run
// it takes every fourth.
func TestEveryProvocationProvokes(t *testing.T) {
	t.Parallel()
	settings := platentest.Limits()
	settings["ip-active"], settings["ip-creations"], settings["ip-rate"], settings["anonymous-rate"] = "0",
		"0", "0", "0"
	settings["tick-pause"] = slowly // no command has to move the clock twice
	p := platentest.Start(t, settings)
	list := page(t, p, "/llms.txt")
	changed := refusals{}
	if *update {
		t.Cleanup(func() { changed.write(t) })
	}
	tried := 0
	for _, m := range regexp.MustCompile(`\(([^)]*/docs/errors/([a-z_]+)\.md)\)`).FindAllStringSubmatch(list, -1) {
		text := page(t, p, strings.TrimPrefix(m[1], p.Origin))
		command := provoked.FindStringSubmatch(text)
		if command == nil || !strings.Contains(command[1], "curl") {
			continue
		}
		if tried++; !chosen(tried, 4) {
			continue
		}
		t.Run(m[2], func(t *testing.T) {
			t.Parallel()
			s := p.Sandbox(t, platentest.Options{Preset: "starter", Seed: new(int64(7)), Clock: "manual"})
			answer := run(t,
				"PLATEN_OFFICE_KEY="+s.OfficeKey+"\nPLATEN_FACTORY_KEY="+s.FactoryKey+"\n"+command[1]+"\n")[0]
			var got envelope
			if err := json.Unmarshal([]byte(answer), &got); err != nil || got.Error.Code != m[2] {
				t.Fatalf("the command answers %.400s", answer)
			}
			// The hint of a server on one's own machine is not of every server.
			got.Error.Hint = strings.TrimSuffix(got.Error.Hint, " On your own machine: platen serve --profile local.")
			var shown refusal
			if err := json.Unmarshal([]byte(sample.FindStringSubmatch(text)[1]), &shown); err != nil {
				t.Fatal(err)
			}
			switch a, b := got.Error.as(shown), shown.as(shown); {
			case a == b:
			case *update:
				changed.put(got.Error)
			default:
				t.Errorf("the command answers\n%s\nthe page shows\n%s", a, b)
			}
		})
	}
	if tried == 0 {
		t.Error("no page of a code has a command")
	}
}

// refusals are those that differ from what the pages show, by their codes.
type refusals struct {
	mutex sync.Mutex
	all   map[string]refusal
}

func (r *refusals) put(one refusal) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.all == nil {
		r.all = map[string]refusal{}
	}
	r.all[one.Code] = one
}

// write puts them into the file in the place of those that are there.
func (r *refusals) write(t *testing.T) {
	t.Helper()
	raw, err := os.ReadFile(examplesFile)
	if err != nil {
		t.Fatal(err)
	}
	file := map[string]refusal{}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	maps.Copy(file, r.all)
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(examplesFile, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
