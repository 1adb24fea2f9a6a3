package api

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"platen/internal/company/record"
	"platen/internal/event"
	"platen/internal/sandbox"
)

// feedScan is how many events are looked at together when filters apply.
const feedScan = 256

// feed answers with events, oldest first (contract: EVT.FEED).
func (x *exchange) feed() error {
	p, values, err := x.page("after_seq")
	if err != nil {
		return err
	}
	if values.Has("after_seq") {
		if p.cursor {
			return badParameter("cursor", "Send after_seq or cursor, not both.")
		}
		p.after, err = strconv.ParseUint(values.Get("after_seq"), 10, 63)
		if err != nil {
			return badParameter("after_seq", "after_seq must be a whole number from 0.")
		}
	}
	match, err := matcher(values)
	if err != nil {
		return err
	}
	v, err := x.sandbox.View(x.r.Context(), x.op.signals)
	if err != nil {
		return err
	}
	x.tag(v.Sequence)
	if x.unchanged() {
		return nil
	}
	events, next, err := x.events(v, p, match)
	if err != nil {
		return err
	}
	items := make([][]byte, len(events))
	for i := range events {
		items[i] = numbered(&events[i])
	}
	return x.items(v, items, next, &v.Sequence)
}

// matcher returns the filter of the parameters types and system.
func matcher(values url.Values) (func(*record.Event) bool, error) {
	var types []string
	if list := values.Get("types"); list != "" {
		types = strings.Split(list, ",")
		for _, name := range types {
			if _, ok := event.Lookup(event.Type(name)); !ok {
				return nil, badParameter("types", "There is no event type %q.", short(name))
			}
		}
	}
	system := event.System(values.Get("system"))
	systems := []event.System{event.Office, event.Factory, event.HR, event.World, event.Sandbox}
	if system != "" && !slices.Contains(systems, system) {
		return nil, badParameter("system", "system must be office, factory, hr, world or sandbox.")
	}
	return func(e *record.Event) bool {
		return (types == nil || slices.Contains(types, e.Type)) && (system == "" || event.Type(e.Type).System() == system)
	}, nil
}

// events collects a page of matching events.
func (x *exchange) events(v *sandbox.View, p page, match func(*record.Event) bool) (events []record.Event, next string, err error) {
	after := p.after
	for {
		batch, err := x.sandbox.Events(x.r.Context(), v, after, feedScan)
		if err != nil {
			return nil, "", err
		}
		if len(batch) == 0 {
			return events, "", nil
		}
		for i := range batch {
			e := &batch[i]
			if e.CreatedAt < p.updatedSince || !match(e) {
				continue
			}
			if len(events) == p.limit {
				return events, p.nextCursor(events[len(events)-1].Sequence), nil
			}
			events = append(events, *e)
		}
		after = batch[len(batch)-1].Sequence
	}
}

// numbered is an event as the feed shows it: the body of a delivery with its
// number in front.
func numbered(e *record.Event) []byte {
	b := make([]byte, 0, len(e.Body)+24)
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, e.Sequence, 10)
	b = append(b, ',')
	return append(b, e.Body[1:]...)
}
