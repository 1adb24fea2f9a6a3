package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"platen/client"
	"platen/internal/config"
	"platen/internal/webhook"
)

const (
	// keyVariable and secretVariable are where commands look for a key and for
	// the signing secret when no flag names them.
	keyVariable    = "PLATEN_KEY"
	secretVariable = "PLATEN_WEBHOOK_SECRET" //nolint:gosec // the name of a variable

	defaultOrigin = "http://127.0.0.1:8080"

	// idleTime is how long a connection to a receiver waits for the next event.
	// Most servers wait 5 seconds or longer, so it is ours to hang up.
	idleTime = 4 * time.Second
)

// listenOptions are the flags of listen.
type listenOptions struct {
	place
	forwardTo, secret string
	types             []string
	replayFrom        uint64
	json              bool
}

func listenCommand() *cobra.Command {
	var o listenOptions
	cmd := &cobra.Command{
		Use:   "listen --forward-to URL",
		Short: "Forward a sandbox's events to a program on this machine, signed like webhooks",
		Long: `Forward a sandbox's events to a program on this machine, signed like webhooks.

It reads the feed, so it needs no public address and works with any server that it can
reach. Requests are those of a webhook: the same body, headers and signature, the same
5 seconds, and retries after 10, 60 and 300 seconds. Events are sent one after the
other, in the order of the feed. When it is stopped it prints the number to go on
from, so that no event is missed.

Server and key are found like those of every command: from --server and --key, or
PLATEN_URL and PLATEN_OFFICE_KEY or PLATEN_FACTORY_KEY, in the environment or a .env
file. Without --secret or PLATEN_WEBHOOK_SECRET a secret is made and shown.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := newListener(&o, cmd.OutOrStdout(), cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return l.run(cmd.Context(), &o, cmd.Flags().Changed("replay-from"))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.forwardTo, "forward-to", "", "URL that events are sent to, such as http://127.0.0.1:3000/hook.")
	o.flags(cmd, true)
	flags.StringVar(&o.secret, "secret", "", "Signing secret, whsec_ and base64.")
	flags.StringSliceVar(&o.types, "types", nil, "Event types to forward; all when empty.")
	flags.Uint64Var(&o.replayFrom, "replay-from", 0,
		"Number of the first event to forward (its seq); the next one that happens when left out.")
	flags.BoolVar(&o.json, "json", false, "Print one JSON object for each attempt.")
	return cmd
}

// listener forwards events.
type listener struct {
	feed      *follower
	forwarder *forwarder
	notes     io.Writer
}

// newListener refuses impossible options before any request to a server.
func newListener(o *listenOptions, out, notes io.Writer) (*listener, error) {
	host, refusal := webhook.CheckURL(o.forwardTo, webhook.Policy{Private: true})
	if o.forwardTo == "" || refusal != "" {
		return nil, usageError{
			fmt.Errorf("--forward-to must be a URL such as http://127.0.0.1:3000/hook, not %q", o.forwardTo),
		}
	}
	origin, err := o.origin()
	if err != nil {
		return nil, err
	}
	keys, err := o.keys()
	if err != nil {
		return nil, err
	}
	key := cmp.Or(keys.Office, keys.Factory)
	secret, err := config.Secret(o.secret, secretVariable)
	if err != nil {
		return nil, err
	}
	made := secret == ""
	if made {
		secret = webhook.NewSecret()
	}
	if !strings.HasPrefix(secret, webhook.SecretPrefix) {
		return nil, usageError{fmt.Errorf("the secret must begin with %s", webhook.SecretPrefix)}
	}
	l := &listener{
		feed: newFollower(origin+client.BasePath, key, o.types, notes), notes: notes,
		forwarder: &forwarder{
			url: o.forwardTo, secret: secret, userAgent: webhook.UserAgent(origin), out: out, json: o.json,
			transport: &http.Transport{DisableCompression: true, IdleConnTimeout: idleTime},
		},
	}
	fmt.Fprintf(notes, "Listening at %s, forwarding to %s.\n", origin, host)
	if made {
		fmt.Fprintf(notes, "Signing secret: %s\n", secret)
	}
	return l, nil
}

// run forwards until ctx ends, which is no error, or the feed cannot be read.
func (l *listener) run(ctx context.Context, o *listenOptions, replay bool) error {
	after := max(o.replayFrom, 1) - 1
	if !replay {
		status, err := l.feed.client.GetSandbox(ctx)
		if err != nil {
			return fmt.Errorf("look for the newest event: %w", err)
		}
		after = status.LastSeq
	}
	fmt.Fprintf(l.notes, "Ready: the next event is number %d. Stop with Ctrl+C.\n", after+1)
	reading, stop := context.WithCancel(ctx)
	defer stop()
	events, failed := make(chan feedEvent), make(chan error, 1)
	go func() { failed <- l.feed.follow(reading, after, events) }()
	l.forwarder.next = after + 1
	err := l.forwarder.forward(ctx, events, failed)
	fmt.Fprintf(l.notes, "Stopped. Go on with --replay-from %d.\n", l.forwarder.goOn())
	return err
}

// keysOf puts a key into the field of its system.
func keysOf(key string) client.Keys {
	if strings.HasPrefix(key, "lab_fac_") {
		return client.Keys{Factory: key}
	}
	return client.Keys{Office: key}
}
