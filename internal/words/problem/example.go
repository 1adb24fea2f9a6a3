package problem

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// examplesJSON has an error of each code as a server sends it. A test of test/docs provokes those
// that one command causes, compares them and writes them with -update; the others are
// written by hand, from where the code is made.
//
//go:embed examples.json
var examplesJSON []byte

// Example is the error of a response.
type Example struct {
	Code      Code   `json:"code"`
	Message   string `json:"message"`
	Retryable bool   `json:"retryable"`
	Hint      string `json:"hint"`
	// DocsURL is the page of the code at a server; the table leaves it out.
	DocsURL string          `json:"docs_url,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
	RetryAt string          `json:"retry_at,omitempty"`
}

// Examples returns an error of each code, as a response has it.
func Examples() (map[Code]Example, error) {
	all := map[Code]Example{}
	if err := json.Unmarshal(examplesJSON, &all); err != nil {
		return nil, fmt.Errorf("read the examples of errors: %w", err)
	}
	return all, nil
}
