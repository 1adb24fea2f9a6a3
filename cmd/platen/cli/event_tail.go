package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"platen/client"
	"platen/internal/words/money"
)

// EventTail prints the events of a sandbox.
type EventTail struct {
	Target

	// Types are the event types to print, or patterns such as factory.*, all when empty.
	Types []string
	// Since begins with the events of so long ago, when it is positive.
	Since time.Duration
	// Past prints the events that there are, and ends. Newest limits it to so many of the newest, when it is positive.
	Past   bool
	Newest int
	// JSON prints each event as one line, as the feed has it.
	JSON bool
	// Out gets the events, Notes the state of the connection.
	Out, Notes io.Writer
}

// Run prints the events from a number on. With 0 it begins with those that happen
// from now on, or with the first of all when only the past is wanted.
func (t *EventTail) Run(ctx context.Context, from uint64) error {
	if t.Since < 0 || t.Since > 0 && from > 0 {
		return usagef("--since takes a time that has passed, such as 1h, and goes without --from")
	}
	types, err := eventTypes(t.Types)
	if err != nil {
		return err
	}
	c, err := t.Connect()
	if err != nil {
		return err
	}
	status, err := c.GetSandbox(ctx)
	if err != nil {
		return err //nolint:wrapcheck // the client names the failed operation
	}
	after := max(from, 1) - 1
	if from == 0 && (!t.Past || t.Since > 0) {
		after = status.LastSeq
	}
	if t.Since > 0 {
		if after, err = t.before(ctx, c, after); err != nil {
			return err
		}
	}
	if c, err = t.Connect(following(t.Notes)...); err != nil {
		return err
	}
	params := client.FollowEventsParams{Types: types, After: &after, UntilNewest: t.Past}
	if t.Newest == 0 {
		return follow(ctx, c, params, t.print)
	}
	var newest []client.FeedEvent
	cut := len(types) == 0 && status.LastSeq > uint64(t.Newest)
	if cut {
		after = status.LastSeq - uint64(t.Newest)
	}
	if err := follow(ctx, c, params, func(e client.FeedEvent) error {
		newest = append(newest, e)
		if cut = cut || len(newest) > t.Newest; len(newest) > t.Newest {
			newest = newest[1:]
		}
		return nil
	}); err != nil {
		return err
	}
	if cut {
		fmt.Fprintf(t.Notes, "These are the newest %d events. platen events --from 1 shows all.\n", t.Newest)
	}
	for _, e := range newest {
		if err := t.print(e); err != nil {
			return err
		}
	}
	return nil
}

// before returns the number before the first event of so long ago, or newest when there is
// none.
func (t *EventTail) before(ctx context.Context, c *client.Client, newest uint64) (uint64, error) {
	page, err := c.ListEvents(ctx, client.ListEventsParams{UpdatedSince: time.Now().Add(-t.Since), Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return newest, err //nolint:wrapcheck // the client names the failed operation
	}
	return page.Items[0].Seq - 1, nil
}

func (t *EventTail) print(e client.FeedEvent) error {
	if t.JSON {
		_, err := fmt.Fprintf(t.Out, "%s\n", e.Raw)
		return err //nolint:wrapcheck // the error of standard output is enough
	}
	p := paintFor(t.Out)
	_, err := fmt.Fprintf(t.Out, "%6d  %s  %s  %s\n", e.Seq, e.SimDate,
		p.system(string(e.System), fmt.Sprintf("%-38s", e.Type)), p.in(faint, gist(e.Data)))
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
	const maxWords, maxLength = 4, 24
	for _, name := range names {
		switch value := members[name].(type) {
		case string:
			if name != "id" && name != "number" && len(value) <= maxLength && len(words) < maxWords {
				words = append(words, name+"="+value)
			}
		case float64:
			if short, ok := strings.CutSuffix(name, "_minor"); ok {
				words = append(words, short+"="+money.Minor(value).String())
			} else if len(words) < maxWords {
				words = append(words, fmt.Sprintf("%s=%v", name, value))
			}
		}
	}
	return strings.Join(words, "  ")
}
