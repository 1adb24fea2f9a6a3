package api

import (
	"slices"
	"strings"

	"platen/internal/api/message"
	"platen/internal/company/record"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/event"
)

// feed is a stretch of the feed as a response shows it.
type feed struct {
	view   *sandbox.View
	events []record.Event
	// last is the number up to which the stretch says that there is something to read, hidden that of the
	// first event behind it that is not shown yet, 0 for none.
	last, hidden uint64
}

// feed sends events, oldest first (contract: EVT.FEED).
func (x *exchange) feed() (*message.Response, error) {
	p, sent, err := x.page()
	if err != nil {
		return nil, err
	}
	query, err := p.events(sent)
	if err != nil {
		return nil, err
	}
	v, err := x.present()
	if err != nil {
		return nil, err
	}
	if x.Conditions.Hidden.Empty() { // then nothing need be read to know the tag
		x.tag(v.Sequence)
		if out := x.unchanged(); out != nil {
			return out, nil
		}
	}
	f, err := x.read(v, query)
	if err != nil {
		return nil, err
	}
	x.tag(f.last)
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	return x.events(f, &p)
}

// read reads the events that a query asks for, up to the first one that is not shown yet.
func (x *exchange) read(v *sandbox.View, query sandbox.Query) (*feed, error) {
	f := &feed{view: v, last: v.Sequence}
	var err error
	if f.events, err = x.Sandbox.Events(x.Context(), v, query); err != nil {
		return nil, err //nolint:wrapcheck // a problem, or the name of what failed
	}
	c := &x.Conditions
	if c.Hidden.Empty() || c.HiddenUntil > 0 && x.server.registry.Now() >= c.HiddenUntil {
		return f, nil
	}
	first, err := x.Sandbox.Events(x.Context(), v, sandbox.Query{After: query.After, Limit: 1, Types: c.Hidden})
	if err != nil || len(first) == 0 {
		return f, err //nolint:wrapcheck // as above
	}
	f.hidden = first[0].Sequence
	f.last = f.hidden - 1
	behind := func(e record.Event) bool { return e.Sequence >= f.hidden }
	if i := slices.IndexFunc(f.events, behind); i >= 0 {
		f.events = f.events[:i]
	}
	return f, nil
}

// events sends a page of the feed.
func (x *exchange) events(f *feed, p *page) (*message.Response, error) {
	next := ""
	if len(f.events) > p.limit {
		f.events = f.events[:p.limit]
		next = p.nextCursor(f.events[p.limit-1].Sequence)
	}
	items := make([][]byte, len(f.events))
	for i := range f.events {
		items[i] = f.events[i].Numbered()
	}
	x.followed(f.view, p, f.events, next)
	out, err := x.items(f.view, items, next, &f.last)
	if err == nil {
		out.HiddenFrom = f.hidden
	}
	return out, err
}

// events returns the query of a page of the feed. It asks for one event more
// than the page has, which tells whether there is another page.
func (p *page) events(sent *arguments) (sandbox.Query, error) {
	if sent.Has(operation.ParameterAfterSeq) {
		p.after = sent.numbers[operation.ParameterAfterSeq]
	}
	types, err := wantedTypes(sent)
	return sandbox.Query{After: p.after, Limit: p.limit + 1, Since: p.updatedSince, Types: types}, err
}

// wantedTypes returns the types that the parameters types and system ask for,
// none for all.
func wantedTypes(sent *arguments) (event.Set, error) {
	system := event.System(sent.Get(operation.ParameterSystem))
	named := map[event.Type]bool{}
	if list := sent.Get(operation.ParameterTypes); list != "" {
		for name := range strings.SplitSeq(list, ",") {
			if _, ok := event.Lookup(event.Type(name)); !ok {
				return event.Set{}, badParameter("types", "There is no event type %q.", message.Short(name))
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
