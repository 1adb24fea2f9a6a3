package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Usage has the tokens and the cost of a run, from the file that PLATEN_USAGE_FILE names.
// Fields that the command does not give are 0.
type Usage struct {
	InputTokens  int64   `json:"input_tokens"`
	OutputTokens int64   `json:"output_tokens"`
	CostUSD      float64 `json:"cost_usd"`
}

// maxUsage bounds the file, in bytes.
const maxUsage = 1 << 16

// usagePlace is where a command may leave its usage, "" where there is no room for that.
type usagePlace struct{ path string }

func usageFile() usagePlace {
	folder, err := os.MkdirTemp("", "platen-usage-")
	if err != nil {
		return usagePlace{}
	}
	return usagePlace{filepath.Join(folder, "usage.json")}
}

func (u usagePlace) remove() {
	if u.path != "" {
		_ = os.RemoveAll(filepath.Dir(u.path)) // the rest is in the folder of temporary files
	}
}

// read returns the usage, nil where the command left none.
func (u usagePlace) read() (*Usage, error) {
	file, err := os.Open(u.path)
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

// totalUsage adds the usage of runs up, nil where none said anything.
func totalUsage(runs []Run) *Usage {
	var all *Usage
	for i := range runs {
		u := runs[i].Usage
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
