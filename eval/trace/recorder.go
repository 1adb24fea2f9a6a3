package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"platen/client"
)

// kept reports whether a trace keeps a header of requests: one on which a response depends.
// Agents have a family of their own.
func kept(name string) bool {
	switch name {
	case "Idempotency-Key", "Content-Type", "Accept", "If-None-Match":
		return true
	}
	return strings.HasPrefix(name, "Mcp-")
}

// headerSession names the session of an agent.
const headerSession = "Mcp-Session-Id"

// Recorder is an HTTP server before another one, which writes down what passes. Writes pass
// one after the other, so that their order in the trace is that in which they happened.
type Recorder struct {
	// Origin is where clients reach it.
	Origin string

	server *http.Server
	served chan error
	began  time.Time
	// writes lets one write through at a time.
	writes sync.Mutex

	mu     sync.Mutex // guards what follows
	file   *os.File
	keys   map[string]Key
	failed error
}

// Record starts a recorder before a server, on a free port of this machine. It makes the folder of its file, which must
// not be there yet.
func Record(path, origin string, head Head) (*Recorder, error) {
	target, err := url.Parse(origin)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", origin, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of a trace: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make a trace: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for what is to be recorded: %w", err), file.Close())
	}
	r := &Recorder{
		Origin: "http://" + listener.Addr().String(), served: make(chan error, 1), began: time.Now(), file: file,
		keys: map[string]Key{},
	}
	head.Format = Format
	r.write(head)
	r.server = &http.Server{Handler: r.passing(target), ReadHeaderTimeout: time.Minute}
	go func() { r.served <- r.server.Serve(listener) }()
	return r, nil
}

// Knows tells the recorder the keys of the sandbox, which it writes down by their names.
func (r *Recorder) Knows(s *client.Sandbox) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys[s.OfficeKey], r.keys[s.FactoryKey] = OfficeKey, FactoryKey
	if s.GradingKey != "" {
		r.keys[s.GradingKey] = GradingKey
	}
}

// passing hands requests on, and notes each with its response.
func (r *Recorder) passing(target *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(target)
		p.Out.Host = target.Host
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, err := io.ReadAll(in.Body)
		if err != nil {
			return // the client is gone
		}
		in.Body = io.NopCloser(bytes.NewReader(body))
		if in.Method != http.MethodGet && in.Method != http.MethodHead {
			r.writes.Lock()
			defer r.writes.Unlock()
		}
		came := time.Since(r.began).Milliseconds()
		seen := &witness{ResponseWriter: w, status: http.StatusOK}
		proxy.ServeHTTP(seen, in)
		r.note(in, &Step{
			Method: in.Method, Path: in.URL.RequestURI(), Body: string(body), Status: seen.status,
			Response: seen.body.String(), Session: seen.Header().Get(headerSession), AfterMS: came,
		})
	})
}

// note writes a step down, unless it is no move of the player: creations, and all that the
// grading key does but to let time pass.
func (r *Recorder) note(in *http.Request, s *Step) {
	r.mu.Lock()
	s.Key = r.keys[keyOf(in)]
	for key, name := range r.keys {
		for _, text := range []*string{&s.Path, &s.Body, &s.Response} {
			*text = strings.ReplaceAll(*text, key, "{"+string(name)+"_key}")
		}
	}
	r.mu.Unlock()
	path := in.URL.Path
	if path == client.BasePath+"/sandboxes" || s.Key == GradingKey && path != client.BasePath+"/sandbox/tick" {
		return
	}
	s.Headers = map[string]string{}
	for name, values := range in.Header {
		if kept(name) {
			s.Headers[name] = values[0]
		}
	}
	r.write(s)
}

// keyOf is the key of a request: the bearer's wins (contract: AUTH.X_API_KEY).
func keyOf(in *http.Request) string {
	if key, ok := strings.CutPrefix(in.Header.Get("Authorization"), "Bearer "); ok {
		return key
	}
	return in.Header.Get("X-Api-Key")
}

// write adds a line. The first failure is that of Close.
func (r *Recorder) write(line any) {
	text, err := json.Marshal(line)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		_, err = r.file.Write(append(text, '\n'))
	}
	r.failed = errors.Join(r.failed, err)
}

// Close ends the recorder and writes how the run ended, if it did: a trace without an end
// cannot be replayed.
func (r *Recorder) Close(end *Tail) error {
	err := r.server.Close()
	if served := <-r.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if end != nil {
		end.End = true
		r.write(end)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err = errors.Join(err, r.failed, r.file.Close()); err != nil {
		return fmt.Errorf("write a trace: %w", err)
	}
	return nil
}

// witness passes a response on and keeps it.
type witness struct {
	http.ResponseWriter

	status int
	body   bytes.Buffer
}

// WriteHeader implements http.ResponseWriter.
func (w *witness) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *witness) Write(b []byte) (int, error) {
	w.body.Write(b)
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController flush.
func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }
