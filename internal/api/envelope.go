package api

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/moment"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/wire"
)

const (
	contentJSON = "application/json"
	contentCSV  = "text/csv; charset=utf-8"
)

func newError(p *problem.Problem, definition problem.Definition, origin string) wire.Error {
	e := wire.Error{
		Code: string(p.Code), Message: p.Message, Retryable: definition.Retryable && !p.Final,
		Hint: cmp.Or(p.Hint, definition.Hint), DocsURL: origin + "/docs/errors/" + string(p.Code), Details: p.Details,
	}
	if !p.RetryAt.IsZero() {
		e.RetryAt = moment.InstantOf(p.RetryAt)
	}
	return e
}

// encode renders a value as JSON. Paths and ids of clients, which refusals
// repeat, need not be UTF-8: invalid bytes become U+FFFD.
func encode(v any) []byte {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("encode " + err.Error()) // our own types always encode
	}
	return b
}

// hash is FNV-1a of 64 bits, without the allocations of the library's.
func hash(b []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

// hashOf is hash of some texts, one after the other.
func hashOf(texts ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, text := range texts {
		for i := range len(text) {
			h = (h ^ uint64(text[i])) * 1099511628211
		}
		h *= 1099511628211 // a zero byte, which ends a text
	}
	return h
}

// meta appends the head of an envelope (contract: ENV.META.SIMULATION and the
// rows after it). A nil view is a request without a sandbox.
func (x *exchange) meta(b []byte, v *sandbox.View) []byte {
	now := x.now
	if v != nil {
		now = x.shown(v)
	}
	b = append(b, `{"meta":{"simulation":true,"request_id":"`...)
	b = append(b, x.requestID...)
	b = append(b, `","server_time":"`...)
	b, _ = x.told(now).AppendText(b)
	if v != nil {
		b = append(b, `","sim_date":"`...)
		b, _ = operation.MinuteAt(v, now).Date().AppendText(b)
		b = append(b, `","expires_in_s":`...)
		b = strconv.AppendInt(b, v.ExpiresInSeconds(now), 10)
		b = append(b, `,"api_version":"`...)
	} else {
		b = append(b, `","api_version":"`...)
	}
	b = append(b, wire.Version...)
	return append(b, `"},`...)
}

// shown is the moment that a response from a view shows: the view has
// everything that happened up to then. A view that could not be brought up to
// the present, since the store takes nothing, ends before the steps that are
// due: a client that next asks for the changes since then misses nothing.
func (x *exchange) shown(v *sandbox.View) moment.Instant {
	return max(v.UpTo(x.now), v.LastEventAt)
}

// success renders an envelope around data.
func (x *exchange) success(v *sandbox.View, data []byte) []byte {
	b := make([]byte, 0, len(data)+256)
	b = x.meta(b, v)
	b = append(b, `"data":`...)
	b = append(b, data...)
	return append(b, '}')
}

func (x *exchange) data(v *sandbox.View, status int, data []byte) {
	x.send(status, contentJSON, x.success(v, data))
}

// items sends the page of a list, as JSON or CSV.
func (x *exchange) items(v *sandbox.View, items [][]byte, next string, lastSequence *uint64) error {
	if next != "" {
		query := x.r.URL.Query()
		query.Del(operation.ParameterAfterSeq)
		query.Set(operation.ParameterCursor, next)
		x.w.Header().Set(wire.HeaderLink, "<"+x.server.origin+x.r.URL.Path+"?"+query.Encode()+`>; rel="next"`)
	}
	if x.csv {
		body, err := csvOf(x.op.columns, items)
		if err != nil {
			return err
		}
		x.send(x.op.Status, contentCSV, body)
		return nil
	}
	// A page is a large piece of memory: a new one for each response would keep
	// the collector busier than everything else.
	page, ok := x.server.pages.Get().(*[]byte)
	if !ok {
		page = new([]byte)
	}
	defer x.server.pages.Put(page)
	b := x.meta((*page)[:0], v)
	b = append(b, `"data":{"items":[`...)
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, x.grown(item)...)
	}
	b = append(b, `],"next_cursor":`...)
	if next == "" {
		b = append(b, `null`...)
	} else {
		b = append(b, '"')
		b = append(b, next...)
		b = append(b, '"')
	}
	if lastSequence != nil {
		b = append(b, `,"last_seq":`...)
		b = strconv.AppendUint(b, *lastSequence, 10)
	}
	b = append(b, `}}`...)
	x.send(x.op.Status, contentJSON, b)
	*page = b
	return nil
}

// refuse sends an error. It is the one place where errors become HTTP.
func (x *exchange) refuse(err error) {
	var p *problem.Problem
	if method, ok := errors.AsType[*methodError](err); ok {
		x.w.Header().Set("Allow", method.allow)
		p = method.Problem
	} else if p, ok = errors.AsType[*problem.Problem](err); !ok {
		x.server.log.Error("request failed", append(x.whereabouts(), "error", err)...)
		p = problem.New(problem.InternalError, "Something went wrong on our side.")
	}
	x.code = p.Code
	x.call.Code = p.Code
	if !p.RetryAt.IsZero() {
		x.call.RetryAt = moment.InstantOf(p.RetryAt)
	}
	definition := problem.Lookup(p.Code)
	h := x.w.Header()
	delete(h, wire.HeaderETag) // nothing was read after all
	if after := retryAfter(p, x.now.Time()); after > 0 {
		h.Set(wire.HeaderRetryAfter, strconv.Itoa(after))
	}
	if definition.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	var v *sandbox.View
	if x.sandbox != nil && !errors.Is(err, sandbox.ErrCrowded) {
		// The view only dates the response; without one the date is left out.
		v, _ = x.sandbox.View(x.r.Context())
	}
	x.send(definition.Status, contentJSON, x.failure(v, p))
}

// retryAfter is the seconds of the Retry-After header, 0 for none. The moment of retry_at is
// counted from the server_time of the envelope: the request may have waited for its turn since
// it came, and the two must be the same moment (contract: ENV.ERROR.RETRY_AT).
func retryAfter(p *problem.Problem, serverTime time.Time) int {
	if p.RetryAfter == 0 || p.RetryAt.IsZero() {
		return p.RetryAfter
	}
	return max(p.RetryAfter, int((p.RetryAt.Sub(serverTime)+time.Second-1)/time.Second))
}

// failure renders an envelope around a refusal.
func (x *exchange) failure(v *sandbox.View, p *problem.Problem) []byte {
	b := x.meta(nil, v)
	b = append(b, `"error":`...)
	e := newError(p, problem.Lookup(p.Code), x.server.origin)
	if e.RetryAt != 0 {
		e.RetryAt = x.told(e.RetryAt)
	}
	if advise := x.server.advise; advise != nil && p.Setting != "" {
		if advice := advise(p.Setting); advice != "" {
			e.Hint += " " + advice + "."
		}
	}
	b = append(b, encode(e)...)
	return append(b, '}')
}

// whereabouts identifies the request in the log: never by its path, which may
// hold a key.
func (x *exchange) whereabouts() []any {
	values := []any{"request_id", x.requestID, "method", x.r.Method}
	if x.op != nil {
		values = append(values, "operation", x.op.ID)
	}
	if x.caller.SandboxID != "" {
		values = append(values, "sandbox", x.caller.SandboxID)
	}
	return values
}

// send writes a whole response.
func (x *exchange) send(status int, contentType string, body []byte) {
	if x.disturbed != nil {
		x.fare()
		x.note(status, body) // before it can be lost
		if x.lost() {
			return
		}
	}
	h := x.headers()
	if contentType == contentJSON {
		h["Content-Type"] = fixed.contentJSON
	} else {
		h.Set("Content-Type", contentType)
	}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	if x.disturbed == nil {
		x.note(status, body)
	}
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		x.w.Write(body)
	}
}

// fixed are header values that are the same in every response.
//
//nolint:gochecknoglobals // read only
var fixed = struct {
	contentJSON, cacheControl, noStore, vary, varyEncoding, contentTypeOptions, contentSecurityPolicy,
	simulation []string
}{
	contentJSON:           []string{contentJSON},
	cacheControl:          []string{"private, no-cache"},
	noStore:               []string{"no-store"},
	vary:                  []string{"Accept, Authorization, X-Api-Key"},
	varyEncoding:          []string{"Accept, Accept-Encoding, Authorization, X-Api-Key"},
	contentTypeOptions:    []string{"nosniff"},
	contentSecurityPolicy: []string{"default-src 'none'; frame-ancestors 'none'"},
	simulation:            []string{"true"},
}

func (x *exchange) headers() http.Header {
	h := x.w.Header()
	h["Cache-Control"] = fixed.cacheControl
	h["Vary"] = fixed.vary
	if x.secret {
		h["Cache-Control"], h["Vary"] = fixed.noStore, fixed.varyEncoding
	}
	h["X-Content-Type-Options"] = fixed.contentTypeOptions
	h["Content-Security-Policy"] = fixed.contentSecurityPolicy
	h[wire.HeaderRequestID] = []string{x.requestID}
	h[wire.HeaderSimulation] = fixed.simulation
	x.showBudget(h)
	x.announce(h)
	if d := x.disturbed; d != nil {
		if d.grows {
			h.Set(headerDeprecation, "@"+strconv.FormatInt(x.now.Time().Unix(), 10))
		}
		if d.off != 0 {
			h.Set("Date", x.told(x.now).Time().UTC().Format(http.TimeFormat))
		}
	}
	return h
}

// tag sets the ETag of the response: weak, and of the version of the data that
// was read, never of meta (contract: LIST.ETAG).
func (x *exchange) tag(version uint64) {
	b := make([]byte, 0, 256)
	for _, part := range [...]string{x.caller.SandboxID, x.r.URL.Path, x.r.URL.RawQuery, strconv.FormatBool(x.csv)} {
		b = append(append(b, part...), 0)
	}
	b = append(strconv.AppendUint(b, version, 36), 0)
	sum := hash(b)
	x.etag = string(append(strconv.AppendUint(append(b[:0], `W/"`...), sum, 36), '"'))
	x.w.Header()[wire.HeaderETag] = []string{x.etag}
}

// unchanged sends 304 when the client already holds the tagged version.
func (x *exchange) unchanged() bool {
	if !matchesTag(x.r.Header.Values(wire.HeaderIfNoneMatch), x.etag) {
		return false
	}
	x.fare()
	x.note(http.StatusNotModified, nil)
	if x.lost() {
		return true
	}
	x.headers()
	x.w.WriteHeader(http.StatusNotModified)
	return true
}

// Standalone is the response to a request that no handler will see, since it
// was not even HTTP: it spends the cost of any request without a key. The peer
// is the address that the connection comes from.
// The keys that its line has in the place of a URL are revoked (contract: OPEN.AUTH.KEY_IN_URL.MALFORMED).
func (s *Server) Standalone(p *problem.Problem, peer, line string) (status int, header http.Header, body []byte) {
	w := &standaloneWriter{header: http.Header{}}
	x := s.exchange(w, &http.Request{}, s.network.Group(peer, nil))
	defer x.observed()
	if keys := keysOfLine(line); len(keys) > 0 {
		x.refuse(x.exposed(keys))
	} else if err := x.admit(); err != nil {
		x.refuse(err)
	} else {
		x.refuse(p)
	}
	return w.status, w.header, w.body
}

// standaloneWriter keeps a response, to be written to a connection later.
type standaloneWriter struct {
	header http.Header
	status int
	body   []byte
}

// Header implements http.ResponseWriter.
func (w *standaloneWriter) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *standaloneWriter) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *standaloneWriter) Write(b []byte) (int, error) {
	w.body = append(w.body, b...)
	return len(b), nil
}
