package api

import (
	"strings"

	"platen/internal/event"
	"platen/internal/operation"
	"platen/internal/sandbox"
)

// feed sends events, oldest first (contract: EVT.FEED).
func (x *exchange) feed() error {
	p, sent, err := x.page()
	if err != nil {
		return err
	}
	query, err := p.events(sent)
	if err != nil {
		return err
	}
	v, err := x.present()
	if err != nil {
		return err
	}
	x.tag(x.feedVersion(v))
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
func (p *page) events(sent *arguments) (sandbox.Query, error) {
	if sent.sent(operation.ParameterAfterSeq) {
		p.after = sent.number(operation.ParameterAfterSeq)
	}
	types, err := wantedTypes(sent)
	return sandbox.Query{After: p.after, Limit: p.limit + 1, Since: p.updatedSince, Types: types}, err
}

// wantedTypes returns the types that the parameters types and system ask for,
// none for all.
func wantedTypes(sent *arguments) (event.Set, error) {
	system := event.System(sent.text(operation.ParameterSystem))
	named := map[event.Type]bool{}
	if list := sent.text(operation.ParameterTypes); list != "" {
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
