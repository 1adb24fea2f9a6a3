package mcp_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"platen/internal/mcp"
)

// docs is a search that finds what it is asked for, and fails when it is told to.
type docs struct{}

var errDocs = errors.New("page /docs/: no such template")

func (docs) Guide(file string) (string, error) { return "# " + file, nil }

// Search implements mcp.Docs.
func (docs) Search(query string, limit int, _ bool) ([]mcp.Page, error) {
	if query == "fail" {
		return nil, errDocs
	}
	pages := []mcp.Page{{Title: query, URL: "https://sandbox.example/docs/", Text: "About it."}, {}, {}}
	return pages[:min(limit, len(pages))], nil
}

// TestADocsSearchIsThatOfTheSite: the tool has no pages of its own.
func TestADocsSearchIsThatOfTheSite(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	text, refused := call(t, e, "/mcp", "search_docs", `{"query":"verify","limit":2}`)
	var got struct {
		Data struct{ Items []mcp.Page }
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || refused || len(got.Data.Items) != 2 ||
		got.Data.Items[0].Title != "verify" {
		t.Errorf("got %s, %v", text, err)
	}
	if text, refused := call(t, e, "/mcp", "search_docs", `{"query":"fail"}`); !refused {
		t.Errorf("a search that fails answers %s", text)
	}
}

// TestDocumentsAreResources: a URI that a search may name can be read.
func TestDocumentsAreResources(t *testing.T) {
	t.Parallel()
	e := open(t, &door{})
	documents := mcp.Documents()
	if len(documents) != 4 {
		t.Errorf("%d documents", len(documents))
	}
	for _, d := range documents {
		got := post(t, e, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+d.URL+`"}}`)
		if text, _ := json.Marshal(d.Text); !strings.Contains(got.Body.String(), string(text[1:100])) {
			t.Errorf("%s reads %s", d.URL, got.Body)
		}
	}
}
