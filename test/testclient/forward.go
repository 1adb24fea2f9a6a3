package testclient

import (
	"bytes"
	"io"
	"net/http"
)

// BodyFirst reads the body of each request before next gets it. A server closes what is left of a body when the
// response begins, while a proxy's transport may still look for its end: it would take that for a failed request and
// cut the response off.
func BodyFirst(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the client is gone
		}
		r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
		next.ServeHTTP(w, r)
	})
}
