package docsite_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"platen/internal/operation"
	"platen/internal/publish/docsite"
)

// withAgents is a site with a document of the agent endpoint.
func withAgents(err error) *docsite.Site {
	return docsite.New(docsite.Options{
		Origin: origin, Asset: func(name string) string { return name }, Operations: operation.Table(),
		Agents: func() (docsite.Agents, error) {
			return docsite.Agents{Documents: []docsite.Document{{
				Title: "Tools", URL: "platen://docs/tools",
				Text: "# Tools\n\nEach is a xylophone.\n\n## Handles\n\nKeep the `zither`.\n\n## Empty\n",
			}}}, err
		},
	})
}

func TestDocumentsOfTheEndpointAreFoundByAgentsOnly(t *testing.T) {
	t.Parallel()
	s := withAgents(nil)
	for query, want := range map[string]docsite.Found{
		"xylophone": {Title: "Tools", URL: "platen://docs/tools", Text: "Each is a xylophone."},
		"zither":    {Title: "Tools: Handles", URL: "platen://docs/tools", Text: "Keep the zither."},
	} {
		if found, err := s.Search(query, 5); err != nil || len(found) != 1 || found[0] != want {
			t.Errorf("%q finds %v, %v", query, found, err)
		}
		page, refused, err := s.SearchPage(query)
		if err != nil || refused || strings.Contains(string(page), "platen://") {
			t.Errorf("%q shows people what no browser opens, %v", query, err)
		}
	}
	found, err := s.Search("verify a signature", 1)
	if err != nil || len(found) != 1 || found[0].URL != origin+"/docs/webhooks#verify" {
		t.Errorf("of the guides %v is found, %v", found, err)
	}
	if found, err := s.Search("lab_off_"+strings.Repeat("a", 43), 5); len(found) != 0 || err != nil {
		t.Errorf("a key finds %v, %v", found, err)
	}
}

func TestASiteSaysWhyItIsNotRendered(t *testing.T) {
	t.Parallel()
	broken := errors.New("no tools")
	s := withAgents(broken)
	if _, _, err := s.File("/docs/"); !errors.Is(err, broken) {
		t.Errorf("a file: %v", err)
	}
	if _, err := s.Search("press", 5); !errors.Is(err, broken) {
		t.Errorf("a search: %v", err)
	}
	if _, _, err := s.SearchPage("press"); !errors.Is(err, broken) {
		t.Errorf("the page of a search: %v", err)
	}
}

// TestExcerptsLeaveOutTheFirstLineOfCode, which is for programs.
func TestExcerptsLeaveOutTheFirstLineOfCode(t *testing.T) {
	t.Parallel()
	s := withAgents(nil)
	for query, code := range map[string]string{
		"platen verify": "platen verify --headers", "follow events go": "FollowEvents", "print run again": "print ",
	} {
		found, err := s.Search(query, 20)
		if err != nil {
			t.Fatal(err)
		}
		all := fmt.Sprint(found)
		if !strings.Contains(all, code) {
			t.Errorf("%q finds no code", query)
		}
		leaks := regexp.MustCompile(`\b(?:\w+ (?:test|file)=\S+|sh (?:test|run)|(?:sh|text) platen|text Verify)\b`)
		if leak := leaks.FindString(all); leak != "" {
			t.Errorf("%q finds a text with %q", query, leak)
		}
	}
}
