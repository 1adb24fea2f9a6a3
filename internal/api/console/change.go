package console

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/company/record"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
)

// Limits of one change. A console that was away for longer than that begins
// anew.
const (
	maxChangeEvents = 200
	maxChangeRows   = 300
)

// cursor is the state up to which a viewer has been sent changes: the version
// of the view, the number of the newest event and the number of requests. The
// id of a message is one.
type cursor struct {
	version, sequence, calls uint64
}

// String is version.sequence.calls.
func (c cursor) String() string { return fmt.Sprintf("%d.%d.%d", c.version, c.sequence, c.calls) }

// cursorOf reads the output of String. Any other text is the beginning.
func cursorOf(text string) cursor {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return cursor{}
	}
	var c cursor
	for i, to := range []*uint64{&c.version, &c.sequence, &c.calls} {
		n, err := strconv.ParseUint(parts[i], 10, 63)
		if err != nil {
			return cursor{}
		}
		*to = n
	}
	return c
}

// change is the difference between two cursors, as it is sent to a viewer.
type change struct {
	// Place is the newer of the two, and Whole set when the older is the
	// beginning: the viewer has to discard the state that it had.
	Place string `json:"place"`
	Whole bool   `json:"whole,omitzero"`
	// Status is left out when only time has passed.
	Status *operation.SandboxStatus `json:"status,omitzero"`
	Now    present                  `json:"now"`
	// Events are oldest first, Calls too.
	Events []jsontext.Value       `json:"events,omitzero"`
	Calls  []operation.LoggedCall `json:"calls,omitzero"`
	// Records are rows by resource, in the order of their births. Resources in
	// Replaced are there whole.
	Records  map[string][]jsontext.Value `json:"records,omitzero"`
	Replaced []string                    `json:"replaced,omitzero"`
	Points   []jsontext.Value            `json:"points,omitzero"`
}

// present holds the values that change by themselves.
type present struct {
	ServerTime moment.Instant `json:"server_time"`
	SimDate    moment.Date    `json:"sim_date"`
	SimTime    string         `json:"sim_time"`
	ExpiresInS int64          `json:"expires_in_s"`
	Status     string         `json:"status"`
}

// changes returns the differences between a place and the present.
func (c *Console) changes(ctx context.Context, from cursor, viewer *Viewer) (*change, cursor, error) {
	asOf := viewer.Sandbox.AsOf(viewer.Now())
	v, err := viewer.Sandbox.View(ctx)
	if err != nil {
		return nil, from, fmt.Errorf("read the present state: %w", err)
	}
	calls, count := viewer.Sandbox.PlayersCalls(v)
	to := cursor{version: v.Version, sequence: v.Sequence, calls: count}
	d := &change{Place: to.String()}
	if from.version > to.version || from.sequence > to.sequence || to.sequence-from.sequence > maxChangeEvents {
		from = cursor{}
	}
	d.Whole = from == cursor{}
	now := max(asOf, v.LastEventAt)
	minute := v.MinuteAt(now)
	d.Now = present{
		ServerTime: now, SimDate: minute.Date(), SimTime: minute.ClockText(), ExpiresInS: v.ExpiresInSeconds(now),
		Status: v.Status(now),
	}
	if from.calls > count { // a new process remembers none
		from.calls = 0
	}
	for _, call := range calls[max(0, len(calls)-int(count-from.calls)):] {
		d.Calls = append(d.Calls, operation.LoggedCallOf(&call, !v.Summary.Settings.Preset.Evaluation))
	}
	if from.version == to.version {
		return d, to, nil
	}
	d.Status = new(operation.Status(v, now))
	d.rows(v, from, viewer, c.tables)
	if from.sequence < to.sequence {
		after := from.sequence
		if to.sequence > maxChangeEvents {
			after = max(after, to.sequence-maxChangeEvents)
		}
		events, err := viewer.Sandbox.Events(ctx, v, sandbox.Query{After: after, Limit: maxChangeEvents})
		if err != nil {
			return nil, from, fmt.Errorf("read what happened: %w", err)
		}
		for i := range events {
			d.Events = append(d.Events, events[i].Numbered())
		}
	}
	return d, to, nil
}

// rows adds the rows that a commit after a place has touched.
func (c *change) rows(v *sandbox.View, from cursor, viewer *Viewer, tables []table) {
	c.Points, _ = touched(v.Table(seriesResource), from.version, "")
	for _, t := range tables {
		rows := v.Table(t.resource)
		hidden := !viewer.Systems[t.system] || t.judged && v.Summary.Settings.Preset.Evaluation
		if hidden || rows.Version <= from.version {
			continue
		}
		news, removed := touched(rows, from.version, t.parent)
		if removed {
			news, _ = touched(rows, 0, t.parent)
			c.Replaced = append(c.Replaced, t.resource)
		}
		if c.Records == nil {
			c.Records = map[string][]jsontext.Value{}
		}
		c.Records[t.resource] = news
	}
}

// seriesResource names the points of the charts.
const seriesResource = "series_point"

// touched returns the newest rows that were touched after a version, and
// whether one was removed.
func touched(t *sandbox.Table, version uint64, parent string) (rows []jsontext.Value, removed bool) {
	rows = []jsontext.Value{}
	for _, e := range slices.Backward(t.Entries) {
		if e.Version <= version {
			continue
		}
		if len(rows) == maxChangeRows {
			break
		}
		rows = append(rows, shown(e, parent))
	}
	slices.Reverse(rows)
	return rows, t.Removed > version
}

// shown is a row with the record that it belongs to.
func shown(e *record.Entry, parent string) jsontext.Value {
	if parent == "" {
		return e.Row()
	}
	b := append([]byte(`{"`+parent+`":"`), e.Filters[len(e.Filters)-1]...)
	return append(append(b, `",`...), e.Row()[1:]...)
}
