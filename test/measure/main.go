// Command measure prints one table about the code itself: how far a reader
// travels to follow a request, how many files an addition touches, and the shape
// of the code. It is run before and after a restructuring, so it goes by names
// that stay: routes, operation ids, event types, kinds of disruption.
//
// The path of a request is the set of declared functions and methods in which
// at least one statement ran, by the counters of go build -cover in all packages
// of the module. A server with a SQLite store runs in a process that is built
// so; the request has no Idempotency-Key and is made before it is counted. A
// function counts if it ran in every sample and not in every sample of the same
// length without a request, so background work that comes now and then is not
// part of the path. The writer of the store is, although it has a goroutine of
// its own. A function literal belongs to the declaration around it, also when
// the declaration ran long ago, as the tables of routes did. Functions without a
// statement have no counter.
//
// The places of an addition are the files that name a thing of the same kind
// that is there already: by its name on the wire, by an identifier that follows
// from it, or by code that is used for it alone. The figure is the median of
// several such things. Files that a program writes are counted apart.
//
// The tests of a figure are the files _test.go and everything in test and
// platentest. This folder counts nowhere.
//
//	go run ./test/measure            print the table
//	go run ./test/measure -details   and the names behind each count
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

const (
	// maxTime ends a measurement that hangs.
	maxTime = 15 * time.Minute
	// childCommand begins the arguments of the program with counters.
	childCommand = "serve-counted"
	// ownFolder is where this program is.
	ownFolder = "test/measure"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 2 && args[0] == childCommand {
		return serveCounted(ctx, args[1])
	}
	flags := flag.NewFlagSet("measure", flag.ContinueOnError)
	details := flags.Bool("details", false, "list the names behind each count below the table")
	if err := flags.Parse(args); err != nil {
		return err //nolint:wrapcheck // it has been printed with the usage
	}
	m, err := readModule(ctx)
	if err != nil {
		return err
	}
	var figures []figure
	var errs []error
	for _, measure := range []func(context.Context, *module) ([]figure, error){
		measurePaths, measurePlaces, measureShape,
	} {
		measured, err := measure(ctx, m)
		figures, errs = append(figures, measured...), append(errs, err)
	}
	printTable(os.Stdout, figures, *details)
	return errors.Join(errs...)
}
