// Package usage reads the tokens and the cost that a command says its run took.
package usage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Variable is that of the environment which names the file of a run.
const Variable = "PLATEN_USAGE_FILE"

// Usage has the tokens and the cost of a run, from the file that Variable names. Fields that the command
// does not give are 0.
type Usage struct {
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"`
}

// maxUsage bounds the file, in bytes.
const maxUsage = 1 << 16

// Place is where a command may leave its usage, "" where there is no room for that.
type Place struct{ path string }

// NewPlace makes a place for a run.
func NewPlace() Place {
	folder, err := os.MkdirTemp("", "platen-usage-")
	if err != nil {
		return Place{}
	}
	return Place{filepath.Join(folder, "usage.json")}
}

// Environment is the variable that tells a command its place.
func (p Place) Environment() string { return Variable + "=" + p.path }

// Remove removes the place with what is in it.
func (p Place) Remove() {
	if p.path != "" {
		_ = os.RemoveAll(filepath.Dir(p.path)) // the rest is in the folder of temporary files
	}
}

// Read returns the usage, nil where the command left none.
func (p Place) Read() (*Usage, error) {
	file, err := os.Open(p.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil //nolint:nilnil // most commands leave none
	}
	if err != nil {
		return nil, fmt.Errorf("read the usage: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxUsage))
	if err != nil {
		return nil, fmt.Errorf("read the usage: %w", err)
	}
	var all Usage
	if err := json.Unmarshal(text, &all); err != nil || all.InputTokens < 0 || all.OutputTokens < 0 || all.CostUSD < 0 {
		return nil, errors.New("PLATEN_USAGE_FILE must have a JSON object with input_tokens, output_tokens " +
			"and cost_usd, none of them negative")
	}
	return &all, nil
}

// Sum adds usages up; it is nil where none said anything.
func Sum(of []*Usage) *Usage {
	var all *Usage
	for _, u := range of {
		if u == nil {
			continue
		}
		if all == nil {
			all = &Usage{}
		}
		all.InputTokens += u.InputTokens
		all.OutputTokens += u.OutputTokens
		all.CostUSD += u.CostUSD
	}
	return all
}
