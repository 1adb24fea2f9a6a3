package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"platen/internal/operation"
	"platen/internal/words/problem"
)

// method is an operation as every client has it. The Go half of the generator notes it
// while it walks the table; the clients in other languages are written from the notes.
type method struct {
	op *operation.Operation
	// query are the parameters behind the path.
	query []selector
	// input is the struct of the body, output that of the data or of a row, preview that of
	// a dry run. Each is empty where there is none.
	input, output, preview string
	// needsInput is set where the body has fields that it must have.
	needsInput bool
}

// eventStruct is the struct of the data of a type of events.
type eventStruct struct{ kind, name string }

// foreign returns the generated files of the clients in other languages by their path in
// the folder clients. Version is that of both packages.
func foreign(table []operation.Operation, version string) (map[string][]byte, error) {
	g := newGenerator()
	if _, err := g.operations(table); err != nil {
		return nil, err
	}
	if err := g.events(); err != nil {
		return nil, err
	}
	for i := range g.methods {
		if s := g.structNamed(g.methods[i].input); s != nil {
			g.methods[i].needsInput = slices.ContainsFunc(s.fields, func(f fieldOut) bool { return f.required })
		}
	}
	files := map[string][]byte{}
	for name, text := range map[string]string{
		"javascript/operations.gen.js":       g.javascript(version),
		"javascript/operations.gen.d.ts":     g.declarations(),
		"python/platen/_types.py":            g.pythonTypes(),
		"python/platen/_operations.py":       g.pythonOperations(false),
		"python/platen/_async_operations.py": g.pythonOperations(true),
		"python/platen/_version.py":          pythonHeader + fmt.Sprintf("\nVERSION = %q\n", version),
	} {
		files[name] = []byte(text)
	}
	return files, nil
}

// manifest is the version in the package.json of npm, which cannot ask another file for it.
var manifest = regexp.MustCompile(`(?m)^  "version": "[^"]*",$`)

// stamped is the manifest of npm with a version.
func stamped(folder, version string) ([]byte, error) {
	raw, err := os.ReadFile(filepath.Join(folder, "javascript", "package.json"))
	if err != nil {
		return nil, fmt.Errorf("read the manifest: %w", err)
	}
	return manifest.ReplaceAll(raw, fmt.Appendf(nil, `  "version": %q,`, version)), nil
}

// generateForeign returns the files of the clients in a folder, those that only have to
// name the version among them.
func generateForeign(table []operation.Operation, folder string) (map[string][]byte, error) {
	raw, err := os.ReadFile(filepath.Join(folder, "VERSION"))
	if err != nil {
		return nil, fmt.Errorf("read the version of the clients: %w", err)
	}
	version := strings.TrimSpace(string(raw))
	files, err := foreign(table, version)
	if err != nil {
		return nil, err
	}
	files["javascript/package.json"], err = stamped(folder, version)
	return files, err
}

// first is the sentence about a method, before those of about.
func (m *method) first() string {
	switch m.op.Kind {
	case operation.List, operation.Feed:
		return "Read one page of GET " + m.op.Path + "."
	case operation.Ticket:
		return m.op.Summary + ": " + m.op.Method + " " + m.op.Path +
			". It returns the sandbox, or the state of the ticket."
	default:
		return m.op.Summary + ": " + m.op.Method + " " + m.op.Path + "."
	}
}

// about are the paragraphs about a method.
func (m *method) about() []string { return append([]string{m.first()}, about(m.op)...) }

// all is the id of the method that reads all pages, empty where there is none.
func (m *method) all() string {
	plural := strings.TrimPrefix(m.op.ID, "list_")
	switch m.op.Kind {
	case operation.List:
		return plural
	case operation.Feed:
		return plural + "_where"
	default:
		return ""
	}
}

func (m *method) paged() bool { return m.op.Paged() }

func (m *method) write() bool { return m.op.Key != operation.KeyNone }

// made reports whether the method makes a sandbox.
func (m *method) made() bool { return m.op.Kind == operation.Creation || m.op.Kind == operation.Fork }

// goType is a type of the Go client in parts, from which those of other languages follow.
type goType struct {
	// base is the innermost type; pointer, list and mapping the types around it.
	base                   string
	pointer, list, mapping bool
}

// parsed takes the types of package client apart: there are no pointers to lists and no
// lists of lists.
func parsed(text string) goType {
	t := goType{base: text}
	t.base, t.pointer = strings.CutPrefix(t.base, "*")
	if rest, ok := strings.CutPrefix(t.base, "[]"); ok {
		t.base, t.list = rest, true
	}
	if rest, ok := strings.CutPrefix(t.base, "map[string]"); ok {
		t.base, t.mapping = rest, true
	}
	return t
}

func (g *generator) enumeration(name string) bool { return g.enums[name] != nil || name == eventType }

// wrapped breaks paragraphs into lines of a width, with an empty one between two.
func wrapped(width int, paragraphs ...string) []string {
	var lines []string
	for _, paragraph := range paragraphs {
		if strings.TrimSpace(paragraph) == "" {
			continue
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		line := ""
		for word := range strings.FieldsSeq(paragraph) {
			if line != "" && len(line)+1+len(word) > width {
				lines = append(lines, line)
				line = ""
			}
			if line != "" {
				line += " "
			}
			line += word
		}
		lines = append(lines, line)
	}
	return lines
}

// quoted lists texts in single or double quotes.
func quoted(quote, separator string, texts []string) string {
	in := make([]string, len(texts))
	for i, text := range texts {
		in[i] = quote + text + quote
	}
	return strings.Join(in, separator)
}

// codes are those of all errors.
func codes() []string {
	var list []string
	for _, d := range problem.All() {
		list = append(list, string(d.Code))
	}
	slices.Sort(list)
	return list
}
