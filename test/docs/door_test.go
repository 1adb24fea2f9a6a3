package docs_test

import (
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen/platentest"
	"platen/test/testclient"
)

// The three doors: on the landing page, and on the first page of the docs.
var (
	landingDoor = regexp.MustCompile(`(?s)<article class="door">.*?</article>`)
	docsDoor    = regexp.MustCompile("(?s)\n### .*?\n(?:\n?[^\n#][^\n]*\n)+")
	doorCommand = regexp.MustCompile("(?s)<pre[^>]*>(.*?)</pre>|```sh\n(.*?)\n```")
	doorLink    = regexp.MustCompile(`href="([^"]+)"|\]\(([^)]+)\)`)
	tag         = regexp.MustCompile(`<[^>]*>`)
)

// TestEachDoorOpens runs the printed command of each door, and finds the promises of its two sentences: faults that
// are on, a third key, a world that can be repeated. Each door has three links; the test of all links follows them.
func TestEachDoorOpens(t *testing.T) {
	t.Parallel()
	testclient.Need(t, "jq")
	p := platentest.Start(t, platentest.Limits())
	landing := landingDoor.FindAllString(page(t, p, "/"), -1)
	_, begin, _ := strings.Cut(page(t, p, "/docs/index.md"), "\n## What do you want to do?")
	begin, _, _ = strings.Cut(begin, "\n## ")
	docs := docsDoor.FindAllString(begin, -1)
	if len(landing) != 3 || len(docs) != 3 {
		t.Fatalf("%d doors on the landing page, %d in the docs", len(landing), len(docs))
	}
	for i, opened := range []func(t *testing.T, keys map[string]string, status map[string]any){
		func(t *testing.T, _ map[string]string, status map[string]any) {
			t.Helper()
			faults, _ := status["faults"].(map[string]any)
			if faults["plan"] != "severe" || status["bridge"] != "manual" {
				t.Errorf("the sandbox of the integration is %v", status)
			}
		},
		func(t *testing.T, keys map[string]string, status map[string]any) {
			t.Helper()
			if keys["grading_key"] == "" || status["bridge"] != "manual" {
				t.Errorf("the sandbox of the candidate is %v", status)
			}
		},
		func(t *testing.T, keys map[string]string, status map[string]any) {
			t.Helper()
			if keys["grading_key"] == "" || status["preset"] != "agent_eval" {
				t.Errorf("the sandbox of the agent is %v", status)
			}
		},
	} {
		command := commandOf(landing[i])
		if other := commandOf(docs[i]); other != command || command == "" {
			t.Errorf("the landing page says\n%s\nthe docs say\n%s", command, other)
		}
		if links := linksOf(landing[i]); len(links) != 3 || !slices.Equal(links, linksOf(docs[i])) {
			t.Errorf("the landing page links to %v, the docs to %v", links, linksOf(docs[i]))
		}
		var keys map[string]string
		if err := json.Unmarshal([]byte(run(t, command)[0]), &keys); err != nil {
			t.Fatalf("%s\n%v", command, err)
		}
		s := &platentest.Sandbox{BaseURL: p.Origin + "/v1", OfficeKey: keys["office_key"]}
		opened(t, keys, get(t, s, "/sandbox"))
	}
}

// commandOf is the command of a door, in HTML or in Markdown.
func commandOf(door string) string {
	found := doorCommand.FindStringSubmatch(door)
	if found == nil {
		return ""
	}
	return html.UnescapeString(tag.ReplaceAllString(found[1], "") + found[2])
}

// linksOf are the addresses to which a door leads.
func linksOf(door string) []string {
	var links []string
	for _, found := range doorLink.FindAllStringSubmatch(door, -1) {
		links = append(links, found[1]+found[2])
	}
	return links
}
