package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// samples is how often each request is measured.
	samples = 5
	// shortFunction is the length of a function with one statement.
	shortFunction = 3
	// idle is the label of the samples without a request.
	idle = "idle"
)

// route is a request whose path through the code is measured.
type route struct {
	// label begins the names of its samples.
	label, method, path string
}

var routes = []route{
	{"accept", http.MethodPost, "/office/sales-orders/{id}/accept"},
	{"list", http.MethodGet, "/office/sales-orders"},
}

// measurePaths builds this program again with counters in every package of the
// module, and starts it. That program calls a server in its own process and
// leaves a folder of counters for each sample.
func measurePaths(ctx context.Context, m *module) ([]figure, error) {
	dir, err := os.MkdirTemp("", "platen-measure-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for counters: %w", err)
	}
	figures, err := countPaths(ctx, m, dir)
	return figures, errors.Join(err, os.RemoveAll(dir))
}

func countPaths(ctx context.Context, m *module, dir string) ([]figure, error) {
	program := filepath.Join(dir, "counted")
	if err := m.run(ctx, dir, "go", "build", "-cover", "-covermode=atomic", "-coverpkg=./...", "-o", program,
		"./test/measure"); err != nil {
		return nil, err
	}
	if err := m.run(ctx, dir, program, childCommand, dir); err != nil {
		return nil, err
	}
	background, err := m.inEverySample(ctx, dir, idle)
	if err != nil {
		return nil, err
	}
	var figures []figure
	for _, r := range routes {
		reached, err := m.inEverySample(ctx, dir, r.label)
		if err != nil {
			return nil, err
		}
		maps.DeleteFunc(reached, func(f function, _ int) bool { return background[f] > 0 })
		if len(reached) == 0 {
			return nil, fmt.Errorf("%s %s ran no function: were counters kept?", r.method, r.path)
		}
		figures = append(figures, pathFigures(r.method+" /v1"+r.path, reached)...)
	}
	return figures, nil
}

func pathFigures(name string, reached map[function]int) []figure {
	files, packages := map[string]int{}, map[string]int{}
	var functions []string
	lines, short := 0, 0
	for f, n := range reached {
		lines += n
		if n <= shortFunction {
			short++
		}
		files[f.file]++
		packages[filepath.Dir(f.file)]++
		functions = append(functions, f.file+": "+f.name)
	}
	slices.Sort(functions)
	return []figure{
		count(name+": functions", len(functions), fmt.Sprintf("in all of %d samples; %d have more than %d lines",
			samples, len(functions)-short, shortFunction), functions),
		count(name+": lines of these functions", lines, "", nil),
		count(name+": files", len(files), "", tally(files)),
		count(name+": packages", len(packages), "", tally(packages)),
	}
}

// inEverySample returns the functions that ran in all samples with a label.
func (m *module) inEverySample(ctx context.Context, dir, label string) (map[function]int, error) {
	var common map[function]int
	for i := range samples {
		folder := sampleFolder(dir, label, i)
		profile := folder + ".txt"
		if err := m.run(ctx, dir, "go", "tool", "covdata", "textfmt", "-i="+folder, "-o="+profile); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(profile)
		if err != nil {
			return nil, fmt.Errorf("read a profile: %w", err)
		}
		ran, err := m.functionsOf(string(text))
		if err != nil {
			return nil, err
		}
		if common == nil {
			common = ran
		}
		maps.DeleteFunc(common, func(f function, _ int) bool { return ran[f] == 0 })
	}
	return common, nil
}

func sampleFolder(dir, label string, i int) string {
	return filepath.Join(dir, fmt.Sprintf("%s-%d", label, i))
}

// run starts a program in the module's folder. Counters that it writes when it
// ends go to a folder of their own, where they are left alone.
func (m *module) run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = m.dir, os.Stderr, os.Stderr
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0", "GOCOVERDIR="+dir)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args[:min(2, len(args))], " "), err)
	}
	return nil
}
