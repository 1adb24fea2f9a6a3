package router

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"platen/internal/api/message"
	"platen/internal/cluster/hop"
)

// copyPatience is how long a client may take to read a piece of a stream that another
// node sends.
const copyPatience = 30 * time.Second

// pieceBytes is the most of a stream that is copied at once.
const pieceBytes = 16 << 10

// relay is the response of another node, passed on as it came: it was noted there.
func (t *Router) relay(from *hop.Response) (*message.Response, error) {
	out := &message.Response{Status: from.StatusCode, Header: from.Header, Relayed: true, Hold: from.Hold}
	kind := from.Header.Get("Content-Type")
	if kind == message.ContentHAR || kind == message.ContentSandbox || strings.HasPrefix(kind, "text/event-stream") {
		out.Stream = func(_ context.Context, w http.ResponseWriter) { copyStream(w, from.Body) }
		return out, nil
	}
	defer from.Body.Close()
	body, err := io.ReadAll(from.Body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", hop.ErrSilent, err)
	}
	out.Raw = body
	if from.Cut {
		out.Severed = message.CutOff
	}
	return out, nil
}

// copyStream copies a stream until one side ends it. One that breaks off is begun again by its reader.
func copyStream(w http.ResponseWriter, from io.ReadCloser) {
	defer from.Close()
	control := http.NewResponseController(w)
	piece := make([]byte, pieceBytes)
	for {
		n, err := from.Read(piece)
		if n > 0 {
			_ = control.SetWriteDeadline(time.Now().Add(copyPatience)) // as for streams of this node
			if _, err := w.Write(piece[:n]); err != nil {
				return // the client is gone
			}
			_ = control.Flush()
		}
		if err != nil {
			return // the other node ended it
		}
	}
}
