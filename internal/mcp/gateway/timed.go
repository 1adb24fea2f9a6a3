package gateway

import (
	"net/http"
	"time"
)

const (
	// writePatience is the time that a client has to read one piece of a
	// response. The response to a call may come after any time, so there is no
	// limit for the whole of it.
	writePatience = 10 * time.Second
	// writePiece is the size of a piece in bytes.
	writePiece = 32 << 10
)

// timed gives each piece of a response a time limit for its transfer: a client
// that does not read must not hold the memory of a response.
type timed struct {
	http.ResponseWriter
	control *http.ResponseController
}

func newTimed(w http.ResponseWriter) *timed {
	t := &timed{ResponseWriter: w, control: http.NewResponseController(w)}
	// Until something is written there is no limit. A writer without deadlines is
	// a test's.
	_ = t.control.SetWriteDeadline(time.Time{})
	return t
}

// renew restarts the time limit for the next piece.
func (t *timed) renew() { _ = t.control.SetWriteDeadline(time.Now().Add(writePatience)) }

// Unwrap lets http.ResponseController reach the writer below.
func (t *timed) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Write implements http.ResponseWriter.
func (t *timed) Write(p []byte) (n int, err error) {
	for first := true; first || len(p) > 0; first = false {
		t.renew()
		piece := p[:min(len(p), writePiece)]
		written, err := t.ResponseWriter.Write(piece)
		n += written
		if err != nil {
			return n, err //nolint:wrapcheck // a writer, and nothing else
		}
		p = p[len(piece):]
	}
	return n, nil
}

// FlushError flushes the written bytes, within the time of a piece.
func (t *timed) FlushError() error {
	t.renew()
	return t.control.Flush() //nolint:wrapcheck // a writer, and nothing else
}
