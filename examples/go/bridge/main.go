// Command bridge is the reference integration of Platen in Go. In a sandbox
// with the manual bridge it carries records between Head Office and the
// Factory: it follows the event feed and does by API calls the hand-offs that
// the auto bridge does by itself.
//
//	PLATEN_OFFICE_KEY=lab_off_… PLATEN_FACTORY_KEY=lab_fac_… bridge
//
// It may be stopped, killed and started again at any moment. A record that it
// carries for an event is sent with an idempotency key made of the event's id,
// and the number of the last event it has dealt with is written to a file after
// that, so nothing is left out and nothing is done twice.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"platen/client"
)

// Exit statuses.
const (
	exitDone = 0
	// exitRefused: something was refused for good and needs a person. The
	// rest has been carried.
	exitRefused = 1
	// exitUsage: the settings cannot work.
	exitUsage = 2
	// exitLater: the server cannot be reached or has no room. Start it again.
	exitLater = 3
	// exitOver: the sandbox has ended, or its keys are not valid.
	exitOver = 4
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr)) //nolint:gocritic // nothing is left to do for stop
}

// settings are the user's choices.
type settings struct {
	url, statePath string
	keys           client.Keys
	once           bool
	pause          time.Duration
	wait           int
}

// read takes public settings from flags, and keys from the environment: other
// users of a machine can list the arguments of a program.
func (s *settings) read(args []string, stderr io.Writer) error {
	env := func(name, otherwise string) string {
		if value := os.Getenv(name); value != "" { //nolint:forbidigo // this program has no configuration package
			return value
		}
		return otherwise
	}
	flags := flag.NewFlagSet("bridge", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.url, "url", env("PLATEN_URL", "http://127.0.0.1:8080/v1"), "base URL of the API")
	flags.StringVar(&s.statePath, "state", env("PLATEN_STATE", "bridge-state.json"),
		"file that remembers how far the feed has been dealt with")
	flags.BoolVar(&s.once, "once", false, "catch up and exit")
	flags.DurationVar(&s.pause, "pause", 2*time.Second, "time between two looks at the feed")
	flags.IntVar(&s.wait, "wait", 0, "seconds to wait for events on the server instead, up to 25")
	if err := flags.Parse(args); err != nil {
		return err //nolint:wrapcheck // flag has said it already
	}
	s.keys = client.Keys{Office: env("PLATEN_OFFICE_KEY", ""), Factory: env("PLATEN_FACTORY_KEY", "")}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("%w: unexpected argument %q", errSettings, flags.Arg(0))
	case !strings.HasPrefix(s.keys.Office, "lab_off_") || !strings.HasPrefix(s.keys.Factory, "lab_fac_"):
		return fmt.Errorf("%w: PLATEN_OFFICE_KEY must hold the key that begins with lab_off_, PLATEN_FACTORY_KEY the "+
			"one with lab_fac_", errSettings)
	case s.pause <= 0:
		return fmt.Errorf("%w: -pause must be above zero", errSettings)
	case s.wait < 0 || s.wait > 25 || s.once && s.wait > 0:
		return fmt.Errorf("%w: -wait must be 0 to 25, and -once waits for nothing", errSettings)
	}
	return nil
}

// errSettings begins errors that only other settings can mend.
var errSettings = errors.New("settings")

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var s settings
	switch err := s.read(args, stderr); {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		fmt.Fprintln(stderr, "bridge:", err)
		return exitUsage
	}
	b := &bridge{
		api: client.New(s.url, s.keys, client.UserAgent("platen-bridge-go")), numbers: map[string]string{}, out: stdout,
		wait: s.wait,
	}
	err := b.open(ctx, s)
	if err == nil {
		err = b.work(ctx, s)
	}
	if err == nil || ctx.Err() != nil { // a signal asked for the end
		return exitDone
	}
	fmt.Fprintln(stderr, "bridge:", err)
	switch {
	case errors.Is(err, errRefused):
		return exitRefused
	case errors.Is(err, errSettings) || errors.Is(err, errState):
		return exitUsage
	case over(err):
		return exitOver
	default:
		return exitLater
	}
}
