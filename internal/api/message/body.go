package message

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"platen/internal/words/problem"
)

// MaxBody is the largest body in bytes (contract: LIMIT.BODY).
const MaxBody = 16_384

// BodyLimitDetails are the details of body_too_large.
type BodyLimitDetails struct {
	LimitBytes int `json:"limit_bytes"`
}

// Body is the body of a request. It is read at most once, on first use.
type Body struct {
	read func() ([]byte, error)

	once  sync.Once
	bytes []byte
	err   error
	// begun is set once it was read, unread where a rest of it is still to come.
	begun, unread bool
}

// BodyOf is a body that is there already.
func BodyOf(bytes []byte) *Body {
	if len(bytes) > MaxBody {
		return BrokenBody(problem.BodyTooLarge)
	}
	return &Body{read: func() ([]byte, error) { return bytes, nil }}
}

// BrokenBody is one that could not be read to its end, for a reason that a node has found.
func BrokenBody(code problem.Code) *Body {
	return &Body{read: func() ([]byte, error) { return nil, Unread(code) }}
}

// Bytes returns the whole body, or why it cannot be read: body_too_large, request_timeout, bad_request, or
// unavailable when the server stops meanwhile.
func (b *Body) Bytes() ([]byte, error) {
	b.once.Do(func() { b.bytes, b.err = b.read(); b.begun = true })
	return b.bytes, b.err
}

// Received returns as much as was read already.
func (b *Body) Received() []byte {
	if !b.begun {
		return nil
	}
	return b.bytes
}

// Unread is why a body could not be read to its end, by the code of the reason.
func Unread(code problem.Code) error {
	switch code {
	case problem.BodyTooLarge:
		return problem.New(problem.BodyTooLarge, "The body has more than %d bytes.", MaxBody).
			With(BodyLimitDetails{LimitBytes: MaxBody})
	case problem.RequestTimeout:
		return problem.New(problem.RequestTimeout, "The body did not arrive in time.")
	default:
		return problem.New(problem.BadRequest, "The body could not be read to its end.")
	}
}

// Bodies are the bodies of a server's requests.
type Bodies struct {
	// Stopping reports whether the server stops.
	Stopping func() bool
	// reading are the *http.ResponseController of the requests whose body is being read.
	reading sync.Map
	cut     atomic.Bool
}

// Of is the body of a request that is coming in over a connection.
func (s *Bodies) Of(w http.ResponseWriter, r *http.Request) *Body {
	b := &Body{}
	b.read = func() ([]byte, error) {
		if r.ContentLength > MaxBody {
			b.unread = true
			return nil, Unread(problem.BodyTooLarge)
		}
		if r.Body == nil || r.Body == http.NoBody {
			return nil, nil
		}
		done := s.receiving(w)
		body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
		done()
		switch {
		case err != nil && s.Stopping():
			return nil, Stopping()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, Unread(problem.RequestTimeout)
		case err != nil:
			return nil, Unread(problem.BadRequest)
		case len(body) > MaxBody:
			b.unread = true
			return nil, Unread(problem.BodyTooLarge)
		}
		return body, nil
	}
	return b
}

// Cut ends the reading of bodies that are still on their way: a server that stops does not wait for
// the rest of them.
func (s *Bodies) Cut() {
	s.cut.Store(true) // before the look at those that there are: later ones see it
	s.reading.Range(func(control, _ any) bool {
		if c, ok := control.(*http.ResponseController); ok {
			cutBody(c)
		}
		return true
	})
}

func cutBody(c *http.ResponseController) {
	_ = c.SetReadDeadline(time.Now()) // a test's writer has none
}

// receiving notes that a body is being read, until done is called.
func (s *Bodies) receiving(w http.ResponseWriter) (done func()) {
	control := http.NewResponseController(w)
	s.reading.Store(control, nil)
	if s.cut.Load() {
		cutBody(control)
	}
	return func() { s.reading.Delete(control) }
}
