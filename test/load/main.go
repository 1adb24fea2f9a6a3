// Command load measures Platen and prints one table: what it does, beside the
// least that could be done for the same result on the same machine. Most
// figures are ratios, so that they mean the same on a laptop and on a server.
//
// Each figure is the median of at least five runs. Where there is a baseline,
// its runs alternate with ours (A B A B …), since a machine is never equally
// fast for a whole minute. The measured program runs in a process of its own,
// which is this program again with a hidden word in front; the load comes from
// the first process, over loopback. Baselines are as fast as they can honestly
// be made.
//
// Start it from inside the module, since one figure builds cmd/platen:
//
//	go run ./test/load
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

const (
	// patience ends a call that hangs.
	patience = 9 * time.Minute
	// rounds is how many runs a figure is the median of.
	rounds = 7
	// childWord begins the arguments of a process that is measured.
	childWord = "measured-process"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 2 && args[0] == childWord {
		return beMeasured(ctx, args[1], args[2], args[3:])
	}
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	only := flags.String("only", "", "measure only the groups whose names contain this: "+
		"reads, commits, posts, loads, bodies, memory, keys, idle, days, waiting, streams, scheduled, growth, crowd, "+
		"deliveries")
	folder := flags.String("dir", "",
		"put databases into a temporary folder inside this one; on the disk that is to be measured")
	sizes := flags.Bool("sizing", false, "measure several servers on PostgreSQL in place of everything else")
	profiles := flags.String("profiles", "",
		"leave a processor profile of each measured process in this folder, for go tool pprof")
	if err := flags.Parse(args); err != nil {
		return err //nolint:wrapcheck // it has been printed with the usage
	}
	dir, err := os.MkdirTemp(*folder, "platen-load-")
	if err != nil {
		return fmt.Errorf("make a folder for databases: %w", err)
	}
	began, where := time.Now(), machine()
	if *sizes {
		err := sizing(ctx, &bench{dir: dir, profile: *profiles, progress: os.Stderr}, os.Stdout)
		fmt.Fprintf(os.Stdout, "\n%s; medians of %d runs, in %s\n", where, sizingBouts,
			time.Since(began).Round(time.Second))
		return errors.Join(err, os.RemoveAll(dir))
	}
	figures, err := measure(ctx, &bench{dir: dir, profile: *profiles, progress: os.Stderr}, *only)
	err = errors.Join(err, os.RemoveAll(dir))
	if len(figures) > 0 {
		printTable(os.Stdout, figures)
		fmt.Fprintf(os.Stdout, "\n%s; medians of %d runs, in %s\n", where, rounds, time.Since(began).Round(time.Second))
	}
	return err
}

// bench is where and how a call measures.
type bench struct {
	dir string
	// profile is the folder for profiles, "" for none.
	profile  string
	progress io.Writer
}

func (b *bench) say(format string, values ...any) { fmt.Fprintf(b.progress, format+"\n", values...) }

// group is figures that share a preparation.
type group struct {
	name    string
	measure func(context.Context, *bench) ([]figure, error)
}

// measure goes through the groups. A group that fails does not keep the
// others from being measured.
func measure(ctx context.Context, b *bench, only string) ([]figure, error) {
	groups := []group{
		{"reads", measureReads}, {"commits", measureCommits}, {"posts", measurePosts}, {"loads", measureLoads},
		{"forks", measureForks}, {"faults", measureFaults}, {"bodies", measureBodies},
		{"memory", measureMemory}, {"keys", measureKeys}, {"idle", measureIdle}, {"days", measureDays},
		{"waiting", measureWaiting}, {"growth", measureGrowth}, {"crowd", measureCrowd},
		{"deliveries", measureDeliveries}, {"scheduled", measureScheduled}, {"streams", measureStreams},
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return !strings.Contains(g.name, only) })
	var figures []figure
	var errs []error
	for _, g := range groups {
		began := time.Now()
		measured, err := g.measure(ctx, b)
		if err != nil {
			errs = append(errs, fmt.Errorf("measure %s: %w", g.name, err))
		}
		figures = append(figures, measured...)
		b.say("%-8s %s", g.name, time.Since(began).Round(100*time.Millisecond))
	}
	return figures, errors.Join(errs...)
}
