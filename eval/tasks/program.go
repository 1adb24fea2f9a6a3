package tasks

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"text/template"
)

// Settings are those of a program that a task hands over: what a company decides, and no defect.
type Settings struct {
	// Products are the SKUs that the program carries, behind commas. Priority is that of its work orders.
	Products, Priority string
}

// Program writes the program of a task with the named defects in it. Its file is NAME.tmpl beside the task.
func Program(task, name string, s Settings, defects ...string) ([]byte, error) {
	text, err := fs.ReadFile(Files, path.Join(task, name+".tmpl"))
	if err != nil {
		return nil, fmt.Errorf("read the program of %s: %w", task, err)
	}
	parsed, err := template.New(name).Delims("<<", ">>").Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("read the program of %s: %w", task, err)
	}
	var quoted []string
	for sku := range strings.SplitSeq(s.Products, ",") {
		quoted = append(quoted, fmt.Sprintf("%q", sku))
	}
	broken := map[string]bool{}
	for _, d := range defects {
		broken[d] = true
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, map[string]any{
		"Products": strings.Join(quoted, ", "), "Priority": s.Priority, "Broken": broken,
	}); err != nil {
		return nil, fmt.Errorf("write the program of %s: %w", task, err)
	}
	return out.Bytes(), nil
}
