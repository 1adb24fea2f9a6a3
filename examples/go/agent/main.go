// Command agent plays a company of the preset agent_eval by rules alone, over
// the Model Context Protocol, and prints its score: the least that an agent
// with a model should beat.
//
//	agent --url http://127.0.0.1:8080/mcp --days 10
//
// It makes its own sandbox, or plays the one whose key is in
// PLATEN_OFFICE_KEY, as platen eval requires. It asks for no input and learns
// nothing: the same seed and the same rules give the same score.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to do for stop
	}
}

func run(ctx context.Context, args []string, out, stderr io.Writer) error {
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	flags.SetOutput(stderr)
	//nolint:forbidigo // this program has no configuration package
	url := flags.String("url", cmp.Or(os.Getenv("PLATEN_MCP_URL"), "http://127.0.0.1:8080/mcp"),
		"where the server takes agents; from PLATEN_MCP_URL, when it is set")
	days := flags.Int("days", 10, "working days to play")
	if err := flags.Parse(args); err != nil {
		return err
	}
	key := os.Getenv("PLATEN_OFFICE_KEY") //nolint:forbidigo // this program has no configuration package
	session, err := sdk.NewClient(&sdk.Implementation{Name: "platen-example-agent", Version: "1"}, nil).
		Connect(ctx, &sdk.StreamableClientTransport{
			Endpoint: *url, DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: bearer(key)},
		}, nil)
	if err != nil {
		return fmt.Errorf("connect to %s: %w", *url, err)
	}
	p := &player{session: session, out: out, unwanted: map[string]bool{}}
	return errors.Join(p.play(ctx, *days, key == ""), session.Close())
}

// bearer is a transport that sends a key, if there is one.
type bearer string

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// play plays a company for some days, one of its own unless there is one.
func (p *player) play(ctx context.Context, days int, own bool) error {
	if own {
		// The key of a new sandbox names this run, and nobody may guess it.
		if _, err := p.write(ctx, rand.Text(), "create_sandbox", object{"preset": "agent_eval"}); err != nil {
			return err
		}
	}
	for range days {
		if err := p.day(ctx); err != nil {
			return err
		}
	}
	return p.score(ctx)
}
