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

// feed sends events, oldest first (contract: EVT.FEED).
func (x *exchange) feed() error {
	p, values, err := x.page("after_seq")
	if err != nil {
		return err
	}
	query, err := p.events(values)
	if err != nil {
		return err
	}
	v, err := x.sandbox.View(x.r.Context(), x.signals())
	if err != nil {
		return err
	}
	x.tag(v.Sequence)
	if x.unchanged() {
		return nil
	}
	events, err := x.sandbox.Events(x.r.Context(), v, query)
	if err != nil {
		return err
	}
	return x.events(v, &p, events)
}

// events returns the query of a page of the feed. It asks for one event more
// than the page has, which tells whether there is another page.
func (p *page) events(values url.Values) (sandbox.Query, error) {
	if values.Has("after_seq") {
		var err error
		if p.after, err = strconv.ParseUint(values.Get("after_seq"), 10, 63); err != nil {
			return sandbox.Query{}, badParameter("after_seq", "after_seq must be a whole number from 0.")
		}
	}
	types, err := wantedTypes(values)
	return sandbox.Query{After: p.after, Limit: p.limit + 1, Since: p.updatedSince, Types: types}, err
}

// wantedTypes returns the types that the parameters types and system ask for,
// none for all.
func wantedTypes(values url.Values) (event.Set, error) {
	system := event.System(values.Get("system"))
	systems := []event.System{event.Office, event.Factory, event.HR, event.World, event.Sandbox}
	if system != "" && !slices.Contains(systems, system) {
		return event.Set{}, badParameter("system", "system must be office, factory, hr, world or sandbox.")
	}
	named := map[event.Type]bool{}
	if list := values.Get("types"); list != "" {
		for name := range strings.SplitSeq(list, ",") {
			if _, ok := event.Lookup(event.Type(name)); !ok {
				return event.Set{}, badParameter("types", "There is no event type %q.", short(name))
			}
			named[event.Type(name)] = true
		}
	}
	if system == "" && len(named) == 0 {
		return event.Set{}, nil
	}
	var wanted []event.Type
	for _, d := range event.All() {
		if (system == "" || d.Type.System() == system) && (len(named) == 0 || named[d.Type]) {
			wanted = append(wanted, d.Type)
		}
	}
	if len(wanted) == 0 {
		return event.Set{}, badParameter("types", "None of these types is of the system %s.", system)
	}
	return event.SetOf(wanted...), nil
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
