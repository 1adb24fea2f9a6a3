package message

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"platen/internal/desk/activity"
	"platen/internal/edge/ratelimit"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Media types of responses.
const (
	ContentJSON = "application/json"
	ContentCSV  = "text/csv; charset=utf-8"
	ContentHAR  = "application/har+json"
	// ContentSandbox is a sandbox as a file (contract: OPEN.FILE.EXPORT).
	ContentSandbox = "application/vnd.platen.sandbox"
)

// Response is a whole response, with all that the layers need to know of it. A layer may mark it; the Writer
// alone waits for it, cuts it or sends it.
type Response struct {
	Status int
	// The body is an envelope: Meta with Data, Page or Error; or else Raw, whose media type is Type.
	Meta  wire.Meta
	Data  []byte
	Page  *Page
	Error []byte
	Raw   []byte
	Type  string

	// Tag is the ETag, "" for none. RetryAfter is in seconds, 0 for none.
	Tag        string
	RetryAfter int
	// NoStore is set for a response that must not be stored.
	NoStore bool
	// Budget are the values of the headers about the caller's budget.
	Budget Budget
	// Header has the fields beside those that every response has, nil for none.
	Header http.Header

	// Code is that of an error, and RetryAt its moment. Replayed is set for a stored response.
	Code     problem.Code
	RetryAt  moment.Instant
	Replayed bool
	// First and Last are the numbers of the events that the request wrote, both 0 for none.
	First, Last uint64
	// Spent is the decision on the caller's budgets.
	Spent ratelimit.Decision
	// Facts are the request's facts for the missions beside what everybody sees.
	Facts activity.Call

	// HiddenFrom is the number of the first event that Conditions hid, 0 for none. DryRun is set for a write that
	// was only to say what it would do.
	HiddenFrom uint64
	DryRun     bool

	// Hold is for how long the response is held back before anything of it is sent.
	Hold time.Duration
	// CutShort, when set, is called if it is sent before that: it has to give way.
	CutShort func()
	// GivenUp, when set, is called if the client leaves before that.
	GivenUp func()
	// Shortened is set for a page that has fewer rows than asked for, because of Conditions.MaxRows.
	Shortened bool
	// Severed is how the connection ends in the place of the response.
	Severed Severing
	// Unreached is set when the request was lost before it reached the server. It is kept out of the list of requests.
	Unreached bool
	// Relayed is set for the response of another node, which is passed on as it came and has been noted there.
	Relayed bool
	// Gone is set when the client has left: nothing is written or noted.
	Gone bool
	// Stream, when set, writes the body, and takes as long as a reader stays.
	Stream func(ctx context.Context, w http.ResponseWriter)
	// Discard, when set, releases what was reserved for the response. Its last holder calls it once.
	Discard func()
}

// Page is the data of a list.
type Page struct {
	Rows [][]byte
	// Next is the cursor of the next page, "" for none.
	Next string
	// LastSequence, when set, is the number of the newest event.
	LastSequence *uint64
}

// Budget are header values that are made once for many responses.
type Budget struct{ Limit, Remaining, Policy, Rate []string }

// Severing is how a connection ends in the place of a response.
type Severing uint8

// Ways to sever. Unsevered is the usual one.
const (
	Unsevered Severing = iota
	// CutOff cuts the connection.
	CutOff
	// BadGateway responds as a proxy does that got no response.
	BadGateway
)

// Set sets a header field of a response.
func (r *Response) Set(name, value string) {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header[name] = []string{value}
}

// Secret keeps a response out of every cache: it holds keys or a secret (contract: OPEN.HTTP.CACHING).
func (r *Response) Secret() { r.Set("Cache-Control", "no-store") }

// Succeeded reports whether the response is no error.
func (r *Response) Succeeded() bool { return r.Status != 0 && r.Status < http.StatusBadRequest }

// Refused reports whether a budget of the caller refused the request.
func (r *Response) Refused() bool {
	return r.Spent.Outcome != "" && r.Spent.Outcome != ratelimit.Passed
}

// Body is the whole body, as it is sent to a client that asked with GET or POST.
func (r *Response) Body() []byte {
	if !r.enveloped() {
		return r.Raw
	}
	return r.appendEnvelope(nil, math.MaxInt)
}

// size is about how many bytes of memory the body takes up.
func (r *Response) size() int {
	if r.Page != nil {
		return r.Page.size()
	}
	return len(r.Raw) + len(r.Data) + len(r.Error)
}

// enveloped reports whether the body is an envelope.
func (r *Response) enveloped() bool { return r.Data != nil || r.Page != nil || r.Error != nil }

// Excerpt is the beginning of the body, at most so many bytes, in memory of its own, and the size of the whole.
func (r *Response) Excerpt(most int) (beginning []byte, size int64) {
	if !r.enveloped() {
		return slices.Clone(r.Raw[:min(len(r.Raw), most)]), int64(len(r.Raw))
	}
	var memory [6 << 10]byte
	b := r.appendEnvelope(memory[:0], most)
	if size = int64(len(b)); r.Page != nil {
		var head [256]byte
		size = int64(len(r.Meta.Append(head[:0])) + len(`"data":}`) + r.Page.size())
	}
	return slices.Clone(b[:min(len(b), most)]), size
}

// appendEnvelope appends the envelope, or of a page not much more than so many bytes.
func (r *Response) appendEnvelope(b []byte, most int) []byte {
	if b = r.Meta.Append(b); r.Error != nil {
		return append(append(append(b, `"error":`...), r.Error...), '}')
	}
	b = append(b, `"data":`...)
	if r.Page != nil {
		return append(r.Page.append(b, most), '}')
	}
	return append(append(b, r.Data...), '}')
}

func (p *Page) append(b []byte, most int) []byte {
	b = append(b, `{"items":[`...)
	for i, row := range p.Rows {
		if len(b) >= most {
			return b
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, row...)
	}
	b = append(b, `],"next_cursor":`...)
	if p.Next == "" {
		b = append(b, `null`...)
	} else {
		b = append(append(append(b, '"'), p.Next...), '"')
	}
	if p.LastSequence != nil {
		b = strconv.AppendUint(append(b, `,"last_seq":`...), *p.LastSequence, 10)
	}
	return append(b, '}')
}

// size is that of what append appends.
func (p *Page) size() int {
	empty := Page{Next: p.Next, LastSequence: p.LastSequence}
	var memory [128]byte
	size := len(empty.append(memory[:0], math.MaxInt)) + max(0, len(p.Rows)-1)
	for _, row := range p.Rows {
		size += len(row)
	}
	return size
}
