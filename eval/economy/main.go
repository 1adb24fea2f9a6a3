// Command economy measures what the company is worth to those who play it. A
// few players of different skill play every preset over many seeds, and two
// tables say what became of their companies and what each skill is worth.
//
// The players are clients: they read the rows that lists answer with and send
// the commands of the operation table, through a door that shows nothing else.
// For speed that door leads to a company in this process, without HTTP and
// without a disk; a test plays the same games over HTTP and gets the same
// companies.
//
//	go run ./eval/economy           play and print
//	go run ./eval/economy -update   and publish, in internal/publish/economy
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"platen/internal/company/preset"
	"platen/internal/publish/economy"
)

const (
	// garbagePercent lets the heap grow: games are short, and make much that is
	// garbage a moment later.
	garbagePercent = 400
	publishedFile  = "internal/publish/economy/measured.json"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "economy:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("economy", flag.ContinueOnError)
	seeds := flags.Int("seeds", wholeSeeds, "how many worlds each player plays")
	only := flags.String("only", "", "measure only these presets, separated by commas")
	folder := flags.String("presets", "",
		"take presets from the JSON files of this folder, in place of those of their names")
	update := flags.Bool("update", false, "write what was measured to "+publishedFile+", from where the docs take it")
	if err := flags.Parse(args); err != nil {
		return err //nolint:wrapcheck // it has been printed with the usage
	}
	if *seeds < 1 {
		return fmt.Errorf("-seeds must be at least 1, not %d", *seeds)
	}
	if *update && (*seeds != wholeSeeds || *folder != "") {
		return fmt.Errorf("-update publishes a measurement of all seeds, without -seeds and -presets")
	}
	presets, err := allPresets(*folder)
	if err != nil {
		return err
	}
	debug.SetGCPercent(garbagePercent)
	began := time.Now()
	b := bench{
		presets: presets, seeds: *seeds,
		say: func(format string, values ...any) { fmt.Fprintf(os.Stderr, format+"\n", values...) },
	}
	if *only != "" {
		b.only = strings.Split(*only, ",")
	}
	report, err := b.measure(ctx)
	if err != nil {
		return err
	}
	if err := printReport(os.Stdout, &report); err != nil {
		return err
	}
	fmt.Fprintf(os.Stdout, "\n%d seeds, in %s\n", *seeds, time.Since(began).Round(100*time.Millisecond))
	if *update {
		return publish(&report)
	}
	return nil
}

// together is a measurement, and what is published of the presets that it does
// not have.
func together(report *economy.Report) (economy.Report, error) {
	was, err := economy.Published()
	if err != nil {
		return was, err //nolint:wrapcheck // it says what it was reading
	}
	whole := *report
	whole.Presets = nil
	for _, name := range measured() {
		row, ok := report.Preset(name)
		if !ok {
			row, ok = was.Preset(name)
		}
		if ok {
			whole.Presets = append(whole.Presets, *row)
		}
	}
	if len(whole.Skills) == 0 {
		whole.ExtraMinor, whole.Skills = was.ExtraMinor, was.Skills
	}
	return whole, nil
}

// allPresets returns the built-in presets, and those of a folder over them.
func allPresets(folder string) (map[string]preset.Preset, error) {
	presets, err := preset.Builtin()
	if err != nil || folder == "" {
		return presets, err //nolint:wrapcheck // it says what it was reading
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list presets: %w", err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read preset: %w", err)
		}
		p, err := preset.Parse(b)
		if err != nil {
			return nil, fmt.Errorf("preset %s: %w", file, err)
		}
		presets[p.Name] = p
	}
	return presets, nil
}

func publish(report *economy.Report) error {
	whole, err := together(report)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	if err := os.WriteFile(publishedFile, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("publish, from the folder of the module: %w", err)
	}
	return nil
}
