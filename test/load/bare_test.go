package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded is a response of Platen, for a bare server to send again.
type recorded struct {
	Status int
	Header http.Header
	Body   []byte
	// Log is the path of a log to which the server appends each request and its response before it responds,
	// "" for none.
	Log string
}

// record sends a request to Platen once, a POST if it has a body, and keeps the response.
func record(b *testing.B, p *process, path, key, body string) recorded {
	b.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	in, err := http.NewRequestWithContext(b.Context(), method, "http://"+p.address+path, strings.NewReader(body))
	must(b, err)
	in.Header.Set("Authorization", "Bearer "+key)
	in.Header.Set("Content-Type", "application/json")
	in.Header.Set("Idempotency-Key", "recorded")
	web := http.Client{
		Timeout: answerTime, Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true},
	}
	out, err := web.Do(in)
	must(b, err)
	defer out.Body.Close()
	r := recorded{Status: out.StatusCode, Header: out.Header}
	r.Body, err = io.ReadAll(out.Body)
	must(b, err)
	if r.Status >= http.StatusBadRequest {
		b.Fatalf("%s %s: %s %s", method, path, out.Status, r.Body)
	}
	for _, name := range []string{"Connection", "Date"} { // net/http writes them
		r.Header.Del(name)
	}
	r.Header.Set("Content-Length", fmt.Sprint(len(r.Body)))
	return r
}

// spawnBare starts a bare server in a process of its own.
func spawnBare(b *testing.B, r recorded) *process {
	b.Helper()
	raw, err := json.Marshal(r)
	must(b, err)
	path := filepath.Join(b.TempDir(), "response.json")
	must(b, os.WriteFile(path, raw, 0o600))
	return spawn(b, "bare", path)
}

// startBare starts net/http with the one recorded response at a path, and nothing else. It ends with the process.
func startBare(ctx context.Context, path string) (net.Addr, error) {
	var r recorded
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	var log *rawLog
	if r.Log != "" {
		if log, err = openRawLog(r.Log); err != nil {
			return nil, err
		}
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{ReadHeaderTimeout: answerTime, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, in *http.Request) {
			status := r.Status
			if log != nil {
				body, err := io.ReadAll(in.Body)
				if err = errors.Join(err, log.append(append(body, r.Body...))); err != nil {
					status = http.StatusInternalServerError
				}
			}
			maps.Copy(w.Header(), r.Header)
			w.WriteHeader(status)
			w.Write(r.Body)
		})}
	go func() { _ = s.Serve(listener) }()
	return listener.Addr(), nil
}
