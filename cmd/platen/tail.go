package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"platen/client"
)

const (
	// requestsPause is the time between two looks of tail at the log of
	// requests: each of them is a request of the key, too.
	requestsPause = 2 * time.Second
	requestsPage  = 100
)

func eventsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "events", Short: "The event feed", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(eventsTailCommand())
	return cmd
}

func eventsTailCommand() *cobra.Command {
	var p place
	var types []string
	var from uint64
	var asJSON, once bool
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Show events as they happen",
		Long: "Show events as they happen. No event is left out: the command follows the numbers of the feed,\n" +
			"and tries again from the last one while the server cannot be reached.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, origin, err := p.connect()
			if err != nil {
				return err
			}
			keys, err := p.keys()
			if err != nil {
				return err
			}
			key := keys.Office
			if key == "" {
				key = keys.Factory
			}
			status, err := c.GetSandbox(cmd.Context())
			if err != nil {
				return err //nolint:wrapcheck // the client names the failed operation
			}
			after := status.LastSeq
			if once {
				after = 0
			}
			if cmd.Flags().Changed("from") {
				after = max(from, 1) - 1
			}
			printer := eventPrinter{out: cmd.OutOrStdout(), paint: paintFor(cmd.OutOrStdout()), json: asJSON}
			feed := newFollower(origin+client.BasePath, key, types, cmd.ErrOrStderr())
			if once {
				return printer.past(cmd.Context(), feed, after)
			}
			return printer.follow(cmd.Context(), feed, after)
		},
	}
	p.flags(cmd, true)
	flags := cmd.Flags()
	flags.StringSliceVar(&types, "types", nil, "Event types to show; all when empty.")
	flags.Uint64Var(&from, "from", 0, "Number of the first event to show (its seq); when left out, the next one that "+
		"happens, or with --no-follow the first of all.")
	flags.BoolVar(&once, "no-follow", false, "Show the events that there are, and end.")
	flags.BoolVar(&asJSON, "json", false, "Print each event as one line of JSON, as the feed has it.")
	return cmd
}

type eventPrinter struct {
	out   io.Writer
	paint paint
	json  bool
}

// past prints the events after a number.
func (p *eventPrinter) past(ctx context.Context, f *follower, after uint64) error {
	for {
		events, err := f.poll(ctx, after, 0)
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if err := p.print(e); err != nil {
				return err
			}
			after = e.Seq
		}
	}
}

// follow prints events until ctx ends.
func (p *eventPrinter) follow(ctx context.Context, f *follower, after uint64) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	events, failed := make(chan feedEvent), make(chan error, 1)
	go func() { failed <- f.follow(reading, after, events) }()
	for {
		select {
		case e := <-events:
			if err := p.print(e); err != nil {
				return err
			}
		case err := <-failed:
			return err
		}
	}
}

func (p *eventPrinter) print(e feedEvent) error {
	if p.json {
		_, err := fmt.Fprintf(p.out, "%s\n", e.raw)
		return err //nolint:wrapcheck // the error of standard output is enough
	}
	var read client.FeedEvent
	if err := json.Unmarshal(e.raw, &read); err != nil {
		return fmt.Errorf("read event %d: %w", e.Seq, err)
	}
	_, err := fmt.Fprintf(p.out, "%6d  %s  %s  %s\n", e.Seq, read.SimDate,
		p.paint.system(string(read.System), fmt.Sprintf("%-38s", e.Type)), p.paint.in(faint, gist(read.Data)))
	return err //nolint:wrapcheck // the error of standard output is enough
}

// gist summarises an event's data for a person: its number or id, and the short
// fields of the rest.
func gist(data json.RawMessage) string {
	var members map[string]any
	if json.Unmarshal(data, &members) != nil {
		return ""
	}
	var words []string
	if number, ok := members["number"].(string); ok {
		words = append(words, number)
	} else if id, ok := members["id"].(string); ok {
		words = append(words, id)
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	const most = 4
	for _, name := range names {
		switch value := members[name].(type) {
		case string:
			if name != "id" && name != "number" && len(value) <= 24 && len(words) < most {
				words = append(words, name+"="+value)
			}
		case float64:
			if short, ok := strings.CutSuffix(name, "_minor"); ok {
				words = append(words, short+"="+amount(int64(value)))
			} else if len(words) < most {
				words = append(words, fmt.Sprintf("%s=%v", name, value))
			}
		}
	}
	return strings.Join(words, "  ")
}

func requestsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "requests", Short: "The requests of the sandbox's clients", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(requestsTailCommand())
	return cmd
}

func requestsTailCommand() *cobra.Command {
	var p place
	var asJSON, once bool
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Show requests as they are handled",
		Long: "Show requests as they are handled, those of other clients of the sandbox. It looks every\n" +
			"two seconds, which spends the budget of the key it uses.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, err := p.connect()
			if err != nil {
				return err
			}
			t := requestsTail{
				client: c, out: cmd.OutOrStdout(), paint: paintFor(cmd.OutOrStdout()), json: asJSON,
				shown: map[string]bool{},
			}
			return t.run(cmd.Context(), once)
		},
	}
	p.flags(cmd, true)
	cmd.Flags().BoolVar(&once, "no-follow", false, "Show the requests that there are, and end.")
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print each request as one line of JSON.")
	return cmd
}

type requestsTail struct {
	client *client.Client
	out    io.Writer
	paint  paint
	json   bool
	// shown are the ids of the printed events of the newest page.
	shown map[string]bool
}

func (t *requestsTail) run(ctx context.Context, once bool) error {
	for {
		page, err := t.client.ListRequests(ctx, client.ListRequestsParams{Limit: requestsPage})
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err //nolint:wrapcheck // the client names the failed operation
		}
		seen := make(map[string]bool, len(page.Items))
		for _, call := range slices.Backward(page.Items) {
			seen[call.ID] = true
			if t.shown[call.ID] || strings.HasSuffix(call.Path, "/requests") {
				continue
			}
			if err := t.print(&call); err != nil {
				return err
			}
		}
		t.shown = seen
		if once {
			return nil
		}
		timer := time.NewTimer(requestsPause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
	}
}

func (t *requestsTail) print(call *client.LoggedCall) error {
	if t.json {
		b, err := json.Marshal(call)
		_, err2 := fmt.Fprintf(t.out, "%s\n", b)
		return errors.Join(err, err2)
	}
	note := ""
	if call.IdempotentReplay {
		note = "  replayed"
	}
	if call.ErrorCode != nil {
		note += "  " + *call.ErrorCode
	}
	_, err := fmt.Fprintf(t.out, "%s  %s  %s  %-6s %s  %d ms%s\n", clockTime(call.CreatedAt),
		t.paint.status(call.Status, fmt.Sprint(call.Status)), t.paint.system(string(call.System),
			fmt.Sprintf("%-7s", call.System)), call.Method, call.Path, call.DurationMS, note)
	return err //nolint:wrapcheck // the error of standard output is enough
}
