package api

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"platen/internal/api/message"
	"platen/internal/company/mission"
	"platen/internal/company/record"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/event"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// page holds the parameters of a list request.
type page struct {
	limit        int
	updatedSince moment.Instant
	filters      []string // by the operation's filters, "" for any
	filtered     bool
	// after is where the page begins: the ordinal of the last row of the page
	// before it, or the sequence number of its last event.
	after  uint64
	cursor bool
	// binding ties cursors to this route and these filters, chosen is a hash of
	// the filters of a feed, 0 for none.
	binding, chosen uint64
}

// page reads the parameters of a list or feed.
func (x *exchange) page() (page, *arguments, error) {
	sent, err := x.query()
	if err != nil {
		return page{}, nil, err
	}
	p := page{
		limit:        int(sent.numbers[operation.ParameterLimit]),
		updatedSince: moment.Instant(sent.numbers[operation.ParameterUpdatedSince]),
		cursor:       sent.Has(operation.ParameterCursor),
	}
	p.filters = make([]string, 0, len(x.op.Filters)+1) // and the parent
	for _, name := range x.op.Filters {
		p.filters = append(p.filters, sent.Get(name))
		p.filtered = p.filtered || sent.Has(name)
	}
	if sent.Has(operation.ParameterAfter) {
		p.filters = append(p.filters, sent.Get(operation.ParameterAfter))
	}
	if x.op.Parent != "" {
		id, err := x.id()
		if err != nil {
			return page{}, nil, err
		}
		p.filters, p.filtered = append(p.filters, id), true
	}
	since := strconv.FormatInt(int64(p.updatedSince), 10)
	var memory [256]byte
	b := memory[:0]
	for _, part := range [...]string{x.Caller.SandboxID, x.op.ID, since} {
		b = append(append(b, part...), 0)
	}
	for _, part := range p.filters {
		b = append(append(b, part...), 0)
	}
	p.binding = message.Hash(b)
	if p.filtered || p.updatedSince != 0 {
		p.chosen = message.Hash([]byte(strings.Join(append([]string{since}, p.filters...), "\x00")))
	}
	if p.cursor {
		if p.after, err = p.decodeCursor(sent.Get(operation.ParameterCursor)); err != nil {
			return page{}, nil, err
		}
	}
	if p.cursor && x.Conditions.ForgetCursor {
		x.facts.Page.Query = p.binding
		return page{}, nil, problem.New(problem.InvalidCursor, "This cursor has been forgotten; begin the list anew.")
	}
	if most := x.Conditions.MaxRows; most > 0 && most < p.limit {
		p.limit, x.shortens = most, true
	}
	return p, sent, nil
}

// sealBytes is the number of bytes of a cursor that tie it to its list and its
// place.
const sealBytes = 8

// seal is the checksum in a cursor to a place: a damaged cursor does not fit
// it.
func (p *page) seal(after uint64) uint64 {
	return message.Hash(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, p.binding), after))
}

// nextCursor marks where a page ended.
func (p *page) nextCursor(after uint64) string {
	b := binary.BigEndian.AppendUint64(nil, p.seal(after))
	b = binary.AppendUvarint(b, after)
	return base64.RawURLEncoding.EncodeToString(b)
}

func (p *page) decodeCursor(text string) (uint64, error) {
	if text == "" || text == "null" {
		return 0, problem.New(problem.InvalidCursor, "The cursor is empty; leave it out to read the first page.")
	}
	invalid := problem.New(problem.InvalidCursor, "This cursor does not belong to this list with these filters.")
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < sealBytes {
		return 0, invalid
	}
	after, n := binary.Uvarint(b[sealBytes:])
	if n <= 0 || p.nextCursor(after) != text { // numbers and base64 have longer spellings
		return 0, invalid
	}
	return after, nil
}

// list sends rows, newest first. A cursor is a place in the order of births, so
// rows that are born while a client pages shift nothing.
func (x *exchange) list() (*message.Response, error) {
	if x.Archive {
		return x.archive()
	}
	p, sent, err := x.page()
	if err != nil {
		return nil, err
	}
	switch x.op.Resource {
	case operation.CallResource:
		return x.calls(&p, sent)
	case operation.FaultResource:
		return x.faultHits(&p)
	case operation.FindingResource:
		return x.findings(&p)
	}
	if x.op.Parent != "" {
		if err := x.parent(); err != nil {
			return nil, err
		}
	}
	v, err := x.present()
	if err != nil {
		return nil, err
	}
	t := v.Table(x.op.Resource)
	x.tag(t.Version)
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	rows, next := p.rows(t)
	x.paged(v, &p, next)
	if x.op.Resource == mission.Resource {
		for i := range rows {
			rows[i] = x.placed(rows[i])
		}
	}
	return x.items(v, rows, next, nil)
}

// id is the id of the record that the path names by its id or its number (contract: OPEN.ID.NUMBER).
func (x *exchange) id() (string, error) {
	name := x.HTTP.PathValue("id")
	if x.op.named == "" || name == "" || name[0] < 'A' || name[0] > 'Z' { // no id begins like that
		return name, nil
	}
	v, err := x.view()
	if err != nil {
		return "", err
	}
	return v.IDOf(x.op.named, name), nil
}

// parent refuses the list of a record that is not there.
func (x *exchange) parent() error {
	v, err := x.view()
	if err != nil {
		return err
	}
	id, err := x.id()
	if err != nil {
		return err
	}
	if _, ok := v.Row(x.op.Parent, id); !ok {
		return problem.Missing(x.op.Parent, message.Short(id))
	}
	return nil
}

// rows picks a page. The cursor after it is "" when the list has ended.
func (p *page) rows(t *sandbox.Table) (rows [][]byte, next string) {
	rows = make([][]byte, 0, min(p.limit, len(t.Entries)))
	last := 0
	from := len(t.Entries) - 1
	if p.cursor {
		from, _ = record.Place(t.Entries, int(p.after))
		from--
	}
	for i := from; i >= 0; i-- {
		e := t.Entries[i]
		if e.Updated < p.updatedSince || p.filtered && !p.matches(e) {
			continue
		}
		if len(rows) == p.limit {
			return rows, p.nextCursor(uint64(last))
		}
		rows, last = append(rows, e.Row()), e.Ordinal
	}
	return rows, ""
}

// matches reports whether a row passes the filters.
func (p *page) matches(e *record.Entry) bool {
	for i, want := range p.filters {
		if want != "" && e.Filters[i] != want {
			return false
		}
	}
	return true
}

// row sends one row.
func (x *exchange) row() (*message.Response, error) {
	if _, err := x.query(); err != nil {
		return nil, err
	}
	v, err := x.view()
	if err != nil {
		return nil, err
	}
	row, version, err := x.record(v)
	if err != nil {
		return nil, err
	}
	if v.Summary.Clock.Waiting || x.Conditions.Pinned != nil { // it is shown as of another state
		if v, err = x.present(); err != nil {
			return nil, err
		}
		if row, version, err = x.record(v); err != nil {
			return nil, err
		}
	}
	x.tag(version)
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	return x.data(v, x.op.Status, row), nil
}

// record finds the row or event that the path names.
func (x *exchange) record(v *sandbox.View) (row []byte, version uint64, err error) {
	id, err := x.id()
	if err != nil {
		return nil, 0, err
	}
	switch x.op.Resource {
	case operation.CallResource:
		return x.remembered(v, id)
	case operation.EventResource:
		e, ok, err := x.Sandbox.Event(x.Context(), v, id)
		if err == nil && !ok {
			err = problem.Missing(x.op.Resource, message.Short(id))
		}
		if err != nil {
			return nil, 0, err
		}
		if event.SetOf(event.Type(e.Type)).Meets(x.Conditions.Hidden) {
			x.hidden = e.Sequence
			p := problem.New(problem.Unavailable, "The system of this event is away.")
			p.RetryAfter = 1
			return nil, 0, p.RetryingAt(x.now.Time().Add(time.Second))
		}
		return e.Numbered(), e.Sequence, nil
	}
	e, ok := v.Row(x.op.Resource, id)
	if !ok {
		return nil, 0, problem.Missing(x.op.Resource, message.Short(id))
	}
	return x.placed(e.Row()), e.Version, nil
}

// placed puts the origin before a mission's docs_url: the company does not know
// where it is served.
func (x *exchange) placed(row []byte) []byte {
	if x.op.Resource != mission.Resource {
		return row
	}
	return bytes.Replace(row, []byte(`"docs_url":"/`), []byte(`"docs_url":"`+x.server.options.Origin+`/`), 1)
}
