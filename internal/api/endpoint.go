package api

import (
	"net/http"
	"strconv"

	"platen/internal/api/message"
	"platen/internal/desk/activity"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
	"platen/internal/words/wire"
)

// exchange is a request at its endpoint.
type exchange struct {
	*message.Request

	server *Server
	op     *bound
	// now is the moment that the response shows.
	now moment.Instant
	// etag is the tag of what was read.
	etag string
	// shortens is set for a page that may have fewer rows than asked for.
	shortens bool
	// dry is set for a write that is only to say what it would do, which leaves no trace.
	dry   bool
	facts activity.Call
	// hidden is the number of the event that was asked for and that Conditions hide, 0 for none.
	hidden uint64
}

// endpoints serve the kinds of operations.
//
//nolint:gochecknoglobals // read only
var endpoints = map[operation.Kind]func(*exchange) (*message.Response, error){
	operation.List:     (*exchange).list,
	operation.Row:      (*exchange).row,
	operation.Object:   (*exchange).object,
	operation.Feed:     (*exchange).feed,
	operation.Write:    (*exchange).write,
	operation.Creation: (*exchange).create,
	operation.Fork:     (*exchange).fork,
	operation.Ticket:   (*exchange).ticket,
	operation.Poll:     (*exchange).poll,
	operation.Deletion: (*exchange).delete,
}

// endpoint serves the requests of an operation.
func (s *Server) endpoint(b *bound) message.Handler {
	serve := endpoints[b.Kind]
	if serve == nil {
		panic("an operation of the kind " + string(b.Kind))
	}
	return func(r *message.Request) *message.Response {
		x := &exchange{Request: r, server: s, op: b, now: r.At, dry: r.DryRun()}
		out, err := serve(x)
		if err != nil {
			out = s.errors.Response(r, x.now, err)
			out.HiddenFrom = x.hidden
		}
		out.Facts, out.DryRun = x.facts, x.dry
		return out
	}
}

// data is a response with a value that is encoded already.
func (x *exchange) data(v *sandbox.View, status int, data []byte) *message.Response {
	return &message.Response{Status: status, Meta: message.MetaOf(x.Request, v, x.now), Data: data, Tag: x.etag}
}

// envelope renders a whole envelope around data of no sandbox.
func (x *exchange) envelope(data []byte) []byte {
	head := message.MetaOf(x.Request, nil, x.now)
	return wire.Success(&head, data)
}

// items is the page of a list, as JSON or CSV.
func (x *exchange) items(v *sandbox.View, items [][]byte, next string,
	lastSequence *uint64) (*message.Response, error) {
	out := &message.Response{Status: x.op.Status, Tag: x.etag, Shortened: x.shortens && next != ""}
	if next != "" {
		query := x.HTTP.URL.Query()
		query.Del(operation.ParameterAfterSeq)
		query.Set(operation.ParameterCursor, next)
		out.Set(wire.HeaderLink, "<"+x.server.options.Origin+x.HTTP.URL.Path+"?"+query.Encode()+`>; rel="next"`)
	}
	if x.CSV {
		bytes := int64(0)
		for _, row := range items {
			bytes += int64(len(row))
		}
		if err := x.Share.Take(x.Context(), bytes); err != nil {
			return gone(), nil //nolint:nilerr // no response is read
		}
		var err error
		out.Type = message.ContentCSV
		out.Raw, err = csvOf(x.op.columns, items)
		return out, err
	}
	out.Meta = message.MetaOf(x.Request, v, x.now)
	out.Page = &message.Page{Rows: items, Next: next, LastSequence: lastSequence}
	return out, nil
}

// tag sets the ETag of the response: weak, and of the version of the data that
// was read, never of meta (contract: LIST.ETAG).
func (x *exchange) tag(version uint64) {
	x.etag = x.tagOf(x.HTTP.URL.Path, x.HTTP.URL.RawQuery, version)
}

// tagOf is the ETag of what a path and a query name.
func (x *exchange) tagOf(path, query string, version uint64) string {
	b := make([]byte, 0, 256)
	for _, part := range [...]string{x.Caller.SandboxID, path, query, strconv.FormatBool(x.CSV)} {
		b = append(append(b, part...), 0)
	}
	b = append(strconv.AppendUint(b, version, 36), 0)
	sum := message.Hash(b)
	return string(append(strconv.AppendUint(append(b[:0], `W/"`...), sum, 36), '"'))
}

// unchanged is 304 when the client already holds the tagged version, else nil.
func (x *exchange) unchanged() *message.Response {
	if !wire.MatchesTag(x.HTTP.Header.Values(wire.HeaderIfNoneMatch), x.etag) {
		return nil
	}
	return &message.Response{Status: http.StatusNotModified, Tag: x.etag}
}

// view is the state that a read begins with.
func (x *exchange) view() (*sandbox.View, error) {
	return x.Sandbox.View(x.Context()) //nolint:wrapcheck // a problem, or the name of what failed
}

// present is the state that a read shows, once it can no longer be refused: a clock that waits for the first
// request starts (contract: OPEN.TIME.WAITS).
func (x *exchange) present() (*sandbox.View, error) {
	v, err := x.view()
	if err == nil && v.Summary.Clock.Waiting && !x.Traceless() {
		x.Sandbox.StartClock(x.Context())
		v, err = x.view()
	}
	if pinned := x.Conditions.Pinned; err == nil && pinned != nil {
		return pinned, nil
	}
	return v, err
}
