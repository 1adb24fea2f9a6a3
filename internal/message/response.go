package message

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"platen/internal/company/mission"
	"platen/internal/moment"
	"platen/internal/problem"
	"platen/internal/ratelimit"
	"platen/internal/wire"
)

// Media types of responses.
const (
	ContentJSON = "application/json"
	ContentCSV  = "text/csv; charset=utf-8"
)

// Response is a whole response, and what the layers want to know of it. A layer may mark it; the Writer
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
	// NoStore is set for a response that must not be stored, Close for the last one of its connection.
	NoStore, Close bool
	// Budget are the values of the headers about the caller's budget.
	Budget Budget
	// Header has the fields beside those that every response has, nil for none.
	Header http.Header

	// Code is that of an error, and RetryAt its moment. Replayed is set for a stored response.
	Code     problem.Code
	RetryAt  moment.Instant
	Replayed bool
	// Spent is the decision on the caller's budgets.
	Spent ratelimit.Decision
	// Facts are what the missions are to know of the request beside what everybody sees.
	Facts mission.Call

	// HiddenFrom is the number of the first event that Conditions hid, 0 for none. DryRun is set for a write that
	// was only to say what it would do.
	HiddenFrom uint64
	DryRun     bool

	// Hold is for how long the response is held back before anything of it is sent.
	Hold time.Duration
	// Severed is how the connection ends in the place of the response.
	Severed Severing
	// Unreached is set for a request that was lost on its way here: its client learns nothing, and neither
	// does the list of its requests.
	Unreached bool
	// Relayed is set for the response of another node, which is passed on as it came and has been noted there.
	Relayed bool
	// Gone is set when the client has left: nothing is written or noted.
	Gone bool
	// Stream, when set, writes the body, and takes as long as a reader stays.
	Stream func(ctx context.Context, w http.ResponseWriter)
	// Discard, when set, ends what was reserved for the response. Whoever has the response calls it once.
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
	// BadGateway has something in between respond.
	BadGateway
)

// Set sets a header field of a response.
func (r *Response) Set(name, value string) {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header[name] = []string{value}
}

// Succeeded reports whether the response is no error.
func (r *Response) Succeeded() bool { return r.Status != 0 && r.Status < http.StatusBadRequest }

// Ended ends what was reserved for the response.
func (r *Response) Ended() {
	if r.Discard != nil {
		r.Discard()
	}
}

// Body is the whole body, as it is sent to a client that asked with GET or POST.
func (r *Response) Body() []byte {
	if r.Data == nil && r.Page == nil && r.Error == nil {
		return r.Raw
	}
	return r.appendBody(nil, math.MaxInt)
}

// Excerpt is the beginning of the body, at most so many bytes, in memory of its own, and the size of the whole.
func (r *Response) Excerpt(most int) (beginning []byte, size int64) {
	if r.Data == nil && r.Page == nil && r.Error == nil {
		return slices.Clone(r.Raw[:min(len(r.Raw), most)]), int64(len(r.Raw))
	}
	const row = 1 << 10 // a page goes beyond by one
	beginning = r.appendBody(make([]byte, 0, most+row), most)
	if size = int64(len(beginning)); r.Page != nil {
		var head [256]byte
		size = int64(len(r.Meta.Append(head[:0])) + len(`"data":}`) + r.Page.size())
	}
	return beginning[:min(len(beginning), most)], size
}

// appendBody appends the body, or of a page not much more than so many bytes.
func (r *Response) appendBody(b []byte, most int) []byte {
	switch {
	case r.Error != nil:
		return append(append(append(r.Meta.Append(b), `"error":`...), r.Error...), '}')
	case r.Page != nil:
		return append(r.Page.append(append(r.Meta.Append(b), `"data":`...), most), '}')
	case r.Data != nil:
		return append(append(append(r.Meta.Append(b), `"data":`...), r.Data...), '}')
	default:
		return append(b, r.Raw...)
	}
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
	size := len(empty.append(nil, math.MaxInt)) + max(0, len(p.Rows)-1)
	for _, row := range p.Rows {
		size += len(row)
	}
	return size
}
