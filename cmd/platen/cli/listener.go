package cli

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"platen/client"
	"platen/internal/config"
	"platen/internal/edge/webhook"
)

// idleTime is how long a connection to a receiver waits for the next event. Most
// servers wait 5 seconds or longer, so the client hangs up first.
const idleTime = 4 * time.Second

// Listener forwards the events of a sandbox to a program on this machine, signed
// like webhooks.
type Listener struct {
	Target

	// ForwardTo is the URL of the program, with http:// or without.
	ForwardTo string
	// SkipVerify takes any certificate of a program on this machine.
	SkipVerify bool
	// Secret signs; one is made and shown when there is none.
	Secret string
	// Resend is the id of one event to send now, "" to forward the feed. With Data, a JSON object or @FILE, it is
	// another event of the same type with these fields: it is marked synthetic and in no feed.
	Resend, Data string
	// Types are the event types to forward, or patterns of them, all when empty.
	Types []string
	// JSON prints one object for each attempt.
	JSON bool
	// Out gets the attempts, Notes the rest.
	Out, Notes io.Writer
}

// Run forwards the events from a number on, and those that happen from now on when
// it is 0. It ends with ctx, which is no error, or when the feed cannot be read.
// Impossible options are a UsageError before any request.
func (l *Listener) Run(ctx context.Context, from uint64) error {
	if l.ForwardTo != "" && !strings.Contains(l.ForwardTo, "://") {
		l.ForwardTo = "http://" + l.ForwardTo
	}
	host, problem := webhook.CheckURL(l.ForwardTo, webhook.Policy{Private: true})
	if l.ForwardTo == "" || problem != "" {
		return usagef("--forward-to must be a URL such as http://127.0.0.1:3000/hook, not %q", l.ForwardTo)
	}
	if l.SkipVerify && !loopback(host) {
		return usagef("--skip-verify takes any certificate: it is for a program on this machine alone, not for %s",
			host)
	}
	if l.Data != "" && l.Resend == "" {
		return usagef("--data needs --resend with the event whose data it changes")
	}
	types, err := eventTypes(l.Types)
	if err != nil {
		return err
	}
	c, err := l.Connect(following(l.Notes)...)
	if err != nil {
		return err
	}
	secret, err := config.Secret(l.Secret, secretVariable)
	if err != nil {
		return err //nolint:wrapcheck // the error names the variable
	}
	made := secret == ""
	if made {
		secret = webhook.NewSecret()
	}
	if !strings.HasPrefix(secret, webhook.SecretPrefix) {
		return usagef("the secret must begin with %s", webhook.SecretPrefix)
	}
	origin, err := l.Origin()
	if err != nil {
		return err
	}
	fmt.Fprintf(l.Notes, "Listening at %s, forwarding to %s.\n", origin, host)
	if made {
		fmt.Fprintf(l.Notes, "Signing secret: %s\n", secret)
	}
	status, err := c.GetSandbox(ctx) // so that it says Ready with keys that work only
	if err != nil {
		return fmt.Errorf("look for the newest event: %w", err)
	}
	f := &forwarder{
		url: l.ForwardTo, secret: secret, userAgent: webhook.UserAgent(origin), out: l.Out, json: l.JSON,
		transport: &http.Transport{
			DisableCompression: true, IdleConnTimeout: idleTime,
			//nolint:gosec // a program on this machine with a certificate of its own, at its user's wish
			TLSClientConfig: &tls.Config{InsecureSkipVerify: l.SkipVerify},
		},
	}
	if l.Resend != "" {
		return l.resend(ctx, c, f)
	}
	if from == 0 {
		from = status.LastSeq + 1
	}
	f.next = from
	return l.forward(ctx, c, types, f)
}

// loopback reports whether a host, with its port or without, is this machine.
func loopback(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	address, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && address.Unmap().IsLoopback()
}

// forward reads the feed beside the forwarder, so that a poll that waits does not
// keep retries from their time.
func (l *Listener) forward(ctx context.Context, c *client.Client, types []client.EventType, f *forwarder) error {
	fmt.Fprintf(l.Notes, "Ready: the next event is number %d. Stop with Ctrl+C.\n", f.next)
	reading, stop := context.WithCancel(ctx)
	events, failed := make(chan client.FeedEvent), make(chan error, 1)
	after, reader := f.next-1, sync.WaitGroup{}
	reader.Go(func() {
		feed := client.FollowEventsParams{Types: types, After: &after}
		failed <- follow(reading, c, feed, func(e client.FeedEvent) error {
			select {
			case events <- e:
				return nil
			case <-reading.Done():
				return reading.Err()
			}
		})
	})
	err := f.forward(ctx, events, failed)
	stop()
	reader.Wait()
	fmt.Fprintf(l.Notes, "Stopped. Continue with --replay-from %d.\n", f.goOn())
	return err
}
