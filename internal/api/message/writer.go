package message

import (
	"maps"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"platen/internal/words/wire"
)

// Writer sends responses. It is the one place that does, and alone waits and cuts connections.
type Writer struct {
	// Stopped is closed when the server stops: nothing is held back any longer.
	Stopped <-chan struct{}
	// Held are the responses that are held back.
	Held *Held
	// bodies holds *[]byte, the memory of bodies that have been sent: a new one for each response would keep
	// the collector busier than everything else.
	bodies sync.Pool
}

// sendTime is how long a response may take on its way that was held back.
const sendTime = time.Minute

// gateway is the body that a proxy sends when it gets no response.
const gateway = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n"

// Send sends a response, after it was held back as long as it says.
func (s *Writer) Send(w http.ResponseWriter, r *Request, out *Response) {
	ctx := r.Context()
	if out.Discard != nil {
		defer out.Discard()
	}
	defer r.Share.Give()
	if out.Gone {
		panic(http.ErrAbortHandler) // or net/http would send an empty 200 after all
	}
	if out.Hold > 0 { // the time of the connection for it begins with the hold
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(out.Hold + sendTime))
		s.Await(r, out)
	}
	switch {
	case out.Severed == CutOff:
		panic(http.ErrAbortHandler)
	case out.Severed == BadGateway:
		sendGateway(w, r.HTTP.Method)
	case out.Stream != nil:
		out.Head(w.Header(), r)
		w.WriteHeader(out.Status)
		if r.HTTP.Method != http.MethodHead {
			out.Stream(ctx, w)
		}
	default:
		if err := r.Share.Take(ctx, int64(out.size())); err != nil {
			panic(http.ErrAbortHandler) // the client is gone
		}
		s.send(w, r, out)
	}
}

// Await waits as long as a response is held back, or until it gives way, the caller is gone or the server stops.
func (s *Writer) Await(r *Request, out *Response) {
	if out.Hold <= 0 {
		return
	}
	r.Share.Give() // what is held is counted apart
	resume := Pause(r.Context())
	cut, end := s.Held.Hold(int64(out.size()))
	timer := time.NewTimer(out.Hold)
	select {
	case <-timer.C:
	case <-cut:
		if out.CutShort != nil {
			out.CutShort()
		}
	case <-r.Context().Done():
		if out.GivenUp != nil {
			out.GivenUp()
		}
	case <-s.Stopped:
	}
	timer.Stop()
	end()
	_ = resume() // the error is that the caller is gone
}

// send writes head and body.
func (s *Writer) send(w http.ResponseWriter, r *Request, out *Response) {
	h := w.Header()
	out.Head(h, r)
	if out.Status == http.StatusNotModified {
		w.WriteHeader(out.Status)
		return
	}
	body := out.Raw
	if out.enveloped() {
		memory, ok := s.bodies.Get().(*[]byte)
		if !ok {
			memory = new([]byte)
		}
		defer s.bodies.Put(memory)
		body = out.appendEnvelope((*memory)[:0], math.MaxInt)
		*memory = body
	}
	heads := r.HTTP.Method == http.MethodHead
	if !out.Relayed || !heads { // then the length is that of the body which another node did not send
		h["Content-Length"] = []string{strconv.Itoa(len(body))}
	}
	w.WriteHeader(out.Status)
	if !heads {
		_, _ = w.Write(body)
	}
}

// sendGateway responds as a proxy does that got no response.
func sendGateway(w http.ResponseWriter, method string) {
	h := w.Header()
	h.Set("Content-Type", "text/html")
	h.Set("Content-Length", strconv.Itoa(len(gateway)))
	w.WriteHeader(http.StatusBadGateway)
	if method != http.MethodHead {
		_, _ = w.Write([]byte(gateway))
	}
}

// fixed are header values that are the same in every response.
//
//nolint:gochecknoglobals // read only
var fixed = struct {
	contentJSON, cacheControl, noStore, vary, varyEncoding, contentTypeOptions, contentSecurityPolicy,
	simulation []string
}{
	contentJSON:           []string{ContentJSON},
	cacheControl:          []string{"private, no-cache"},
	noStore:               []string{"no-store"},
	vary:                  []string{"Accept, Authorization, X-Api-Key"},
	varyEncoding:          []string{"Accept, Accept-Encoding, Authorization, X-Api-Key"},
	contentTypeOptions:    []string{"nosniff"},
	contentSecurityPolicy: []string{"default-src 'none'; frame-ancestors 'none'"},
	simulation:            []string{"true"},
}

// Head puts the header fields of a response into a header, but for the length.
func (r *Response) Head(h http.Header, of *Request) {
	if r.Relayed {
		maps.Copy(h, r.Header)
		return
	}
	h["Cache-Control"], h["Vary"] = fixed.cacheControl, fixed.vary
	if r.NoStore {
		h["Cache-Control"], h["Vary"] = fixed.noStore, fixed.varyEncoding
	}
	h["X-Content-Type-Options"] = fixed.contentTypeOptions
	h["Content-Security-Policy"] = fixed.contentSecurityPolicy
	h[wire.HeaderRequestID] = []string{of.ID}
	h[wire.HeaderSimulation] = fixed.simulation
	r.Budget.Show(h)
	switch {
	case r.Status == http.StatusNotModified:
	case r.Type == "":
		h["Content-Type"] = fixed.contentJSON
	default:
		h["Content-Type"] = []string{r.Type}
	}
	if r.Tag != "" {
		h[wire.HeaderETag] = []string{r.Tag}
	}
	if r.RetryAfter > 0 {
		h[wire.HeaderRetryAfter] = []string{strconv.Itoa(r.RetryAfter)}
	}
	if r.Replayed {
		h[wire.HeaderReplayed] = []string{"true"}
	}
	if of.Body != nil && of.Body.unread {
		h["Connection"] = []string{"close"}
	}
	maps.Copy(h, r.Header)
}

// Show puts the values into a header, unless there are none.
func (b *Budget) Show(h http.Header) {
	if b.Limit != nil {
		h[wire.HeaderLimit], h[wire.HeaderPolicy] = b.Limit, b.Policy
		h[wire.HeaderRemaining], h[wire.HeaderRate] = b.Remaining, b.Rate
	}
}
