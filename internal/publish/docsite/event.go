package docsite

import (
	"reflect"
	"slices"
	"strings"

	"platen/internal/operation"
	"platen/internal/words/event"
)

// eventView is the data of an event type's page.
type eventView struct {
	event.Definition
	System operation.System
	// Sample is one that happened, empty while none was recorded.
	Sample string
	// Made is false while nothing makes events of this type.
	Made   bool
	Fields []field
	// Writers are the operations that may write it.
	Writers []*operation.Operation
	// Bring is how to bring it about, nil for types that nothing makes.
	Bring *bringing
	// Reader is the operation that reads the record at Self, nil while no
	// operation does.
	Reader *operation.Operation
}

// eventGroup is the types of one system.
type eventGroup struct {
	System operation.System
	Events []listedEvent
}

// listedEvent is a type in the overview. Made is false while nothing makes events of it.
type listedEvent struct {
	event.Definition
	Made bool
}

// eventIndex is the data of the types' overview.
type eventIndex struct {
	Groups []eventGroup
	// Envelope are the fields of every event of the feed.
	Envelope []field
}

func eventPath(t event.Type) string { return "/docs/events/" + string(t) }

// eventWords is a type as a person says it: sales order received.
func eventWords(t event.Type) string {
	_, words, _ := strings.Cut(string(t), ".")
	return strings.NewReplacer(".", " ", "_", " ").Replace(words)
}

func (l *library) eventView(d event.Definition) eventView {
	v := eventView{
		Definition: d, System: operation.System(d.Type.System()), Made: d.Data != nil,
		Sample: indented(l.examples.Events[d.Type]), Bring: l.bringing(d.Type),
	}
	if v.Made {
		v.Fields = fieldsOf(reflect.TypeOf(d.Data).Elem(), output)
	}
	for i := range l.operations {
		op := &l.operations[i]
		if slices.Contains(op.Events, d.Type) {
			v.Writers = append(v.Writers, op)
		}
		if op.Path == d.Self && op.Kind != operation.Write {
			v.Reader = op
		}
	}
	return v
}

func (l *library) addEvents() error {
	const path = "/docs/events"
	var groups []eventGroup
	beside, all := []contents{{Links: []link{{Path: path, Text: "All events"}}}}, []link{}
	for _, d := range l.events {
		system := operation.System(d.Type.System())
		if len(groups) == 0 || groups[len(groups)-1].System != system {
			groups = append(groups, eventGroup{System: system})
			beside = append(beside, contents{Title: systemName(system), System: system})
		}
		last := len(groups) - 1
		groups[last].Events = append(groups[last].Events, listedEvent{d, d.Data != nil})
		short := strings.TrimPrefix(string(d.Type), string(d.Type.System())+".")
		beside[last+1].Links = append(beside[last+1].Links,
			link{Path: eventPath(d.Type), Text: short, Faint: d.Data == nil, Code: true})
		all = append(all, link{Path: eventPath(d.Type), Text: string(d.Type), Code: true})
	}
	err := l.add(path, path, func() (page, error) {
		return page{
			Template: "events", Title: "Events", Contents: beside,
			Content:     eventIndex{groups, fieldsOf(reflect.TypeFor[operation.FeedEvent](), output)},
			Description: "Every type of event in the feed: its cause and its data.",
		}, nil
	})
	for i, d := range l.events {
		if err != nil {
			return err
		}
		err = l.add(eventPath(d.Type), path, func() (page, error) {
			p := page{
				Template: "event", Title: string(d.Type), Contents: beside, Content: l.eventView(d),
				Description: d.Cause,
			}
			p.Previous, p.Next = neighbours(all, i)
			return p, nil
		})
	}
	return err
}
