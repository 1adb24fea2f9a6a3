package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"platen/internal/publish/docsite"
	"platen/internal/words/wire"
)

// A document may load and call only its own origin. No script can make script
// of text: there is no Trusted Types policy, except in the two documents that start
// the worker for proofs of work, where one names its file.
const (
	policyOfAll = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src " +
		"'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; "
	policy       = policyOfAll + "trusted-types 'none'"
	workerPolicy = policyOfAll + "trusted-types platen-worker"
)

// moved are pages with a new address. Browsers take the fragment along.
//
//nolint:gochecknoglobals // read only
var moved = map[string]string{
	"/docs/operations": "/docs/api", "/docs/.md": "/docs/index.md", "/docs.md": "/docs/index.md",
}

const allowed = "GET, HEAD"

// Pages serves the pages rendered by New, and the docs.
type Pages struct {
	site      *docsite.Site
	documents map[string]*document
	// docs are the documents of the site that were asked for, by path.
	docs    sync.Map
	files   *assets
	missing *document
	// unknown handles programs' requests for paths that are no page; nil leaves
	// them to missing.
	unknown http.Handler
	// console is the one document of all pages of the console.
	console *document
}

// document is a rendered page.
type document struct {
	path string
	body []byte
	// zipped compresses it when a client first asks for that form: no reader
	// opens all of the reference, and servers start more often than they are
	// read.
	zipped      func() []byte
	tag         string
	policy      string
	contentType string
}

func newDocument(path, contentType string, body []byte) *document {
	sum := sha256.Sum256(body)
	d := &document{
		path: path, body: body, zipped: whenAsked(body), tag: `W/"` + hex.EncodeToString(sum[:8]) + `"`, policy: policy,
		contentType: contentType,
	}
	if path == "/" || path == consolePath {
		d.policy = workerPolicy
	}
	return d
}

// whenAsked compresses a body when a client first asks for that form, once and
// as short as can be: a library that compresses each response would do so again
// for each reader. Without a result the plain body is sent.
func whenAsked(body []byte) func() []byte {
	return sync.OnceValue(func() []byte {
		var zipped bytes.Buffer
		z, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
		if err == nil {
			_, err = z.Write(body)
		}
		if err != nil || z.Close() != nil {
			return nil // cannot be: a buffer takes everything
		}
		return zipped.Bytes()
	})
}

// ServeHTTP responds with a page, a file or the page that says there is none.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if !p.has(r.URL.Path) && p.unknown != nil && !wantsPage(r) {
			p.unknown.ServeHTTP(w, r)
			return
		}
		header.Set("Allow", allowed)
		http.Error(w, "This path takes "+allowed+".", http.StatusMethodNotAllowed)
		return
	}
	if file, ok := p.files.files[r.URL.Path]; ok {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
		header.Set("Content-Type", file.contentType)
		header.Set("Vary", "Accept-Encoding")
		send(w, r, http.StatusOK, file.body, file.zipped)
		return
	}
	if forConsole(r.URL.Path) {
		serveDocument(w, r, http.StatusOK, p.console)
		return
	}
	if d, ok := p.documents[r.URL.Path]; ok {
		serveDocument(w, r, http.StatusOK, d)
		return
	}
	p.read(w, r)
}

// doc returns the document at a path of the docs, nil where there is none.
func (p *Pages) doc(path string) (*document, error) {
	if d, ok := p.docs.Load(path); ok {
		return d.(*document), nil //nolint:forcetypeassert // the map has nothing else
	}
	file, ok, err := p.site.File(path)
	if err != nil || !ok {
		return nil, err //nolint:wrapcheck // it names the page
	}
	d, _ := p.docs.LoadOrStore(path, newDocument(path, file.ContentType, file.Body))
	return d.(*document), nil //nolint:forcetypeassert // the map has nothing else
}

// read responds with a page of the docs.
func (p *Pages) read(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == docsite.SearchPath {
		p.search(w, r)
		return
	}
	d, err := p.doc(r.URL.Path)
	if err == nil && d != nil {
		d, err = p.negotiate(w, r, d)
	}
	var other *document
	if err == nil && d == nil {
		other, err = p.doc(otherForm(r.URL.Path))
	}
	if err != nil { // a mistake of ours that the tests of docsite find
		http.Error(w, "The docs cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	if d != nil {
		serveDocument(w, r, http.StatusOK, d)
		return
	}
	if to, ok := moved[strings.TrimSuffix(r.URL.Path, "/")]; ok {
		http.Redirect(w, r, to, http.StatusPermanentRedirect)
		return
	}
	// Only the paths of known pages are ever redirected to.
	if other != nil {
		http.Redirect(w, r, other.path, http.StatusPermanentRedirect)
		return
	}
	if p.unknown != nil && !wantsPage(r) {
		p.unknown.ServeHTTP(w, r)
		return
	}
	serveDocument(w, r, http.StatusNotFound, p.missing)
}

// search responds with the page of a search, or with the places that it finds to a program that
// wants JSON.
func (p *Pages) search(w http.ResponseWriter, r *http.Request) {
	var body []byte
	var refused bool
	var err error
	contentType, query := docsite.TypeHTML, r.URL.Query().Get("q")
	if prefers(r.Header, "application/json") {
		var places []docsite.Place
		if places, refused, err = p.site.Places(query); err == nil {
			contentType = "application/json"
			body, err = json.Marshal(places)
		}
	} else {
		body, refused, err = p.site.SearchPage(query)
	}
	if err != nil {
		http.Error(w, "The search failed.", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Vary", "Accept")
	header.Set("Content-Type", contentType)
	status := http.StatusOK
	if refused {
		status = http.StatusBadRequest
	}
	write(w, r, status, body)
}

// has reports whether a path is that of a page or a file, as far as is known
// without the docs.
func (p *Pages) has(path string) bool {
	_, file := p.files.files[path]
	_, document := p.documents[path]
	return file || document || forConsole(path) || strings.HasPrefix(path, "/docs")
}

// wantsPage reports whether a client reads pages: browsers say so.
func wantsPage(r *http.Request) bool {
	for media := range wire.Accepted(r.Header) {
		if media == "text/html" || media == "application/xhtml+xml" {
			return true
		}
	}
	return strings.HasPrefix(r.URL.Path, "/docs/")
}

// otherForm is the path with the slash at its end taken away, or added.
func otherForm(path string) string {
	if without, ok := strings.CutSuffix(path, "/"); ok {
		return without
	}
	return path + "/"
}

func serveDocument(w http.ResponseWriter, r *http.Request, status int, d *document) {
	header := w.Header()
	header.Set("Content-Security-Policy", d.policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-cache")
	header.Add("Vary", "Accept-Encoding")
	if status == http.StatusOK {
		header.Set("ETag", d.tag)
		if wire.MatchesTag(r.Header.Values("If-None-Match"), d.tag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	header.Set("Content-Type", d.contentType)
	send(w, r, status, d.body, d.zipped)
}

// Document serves a document that is written at the first request for it, and
// compressed at the first that takes this. It has a tag, so that a client asks for
// it again and receives it only when it has changed.
func Document(contentType string, write func() ([]byte, error)) http.HandlerFunc {
	written := sync.OnceValues(func() (*document, error) {
		body, err := write()
		if err != nil {
			return nil, err
		}
		return newDocument("", contentType, body), nil
	})
	return func(w http.ResponseWriter, r *http.Request) {
		d, err := written()
		if err != nil {
			http.Error(w, "The document could not be written.", http.StatusInternalServerError)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		serveDocument(w, r, http.StatusOK, d)
	}
}

// send writes a body in the form that the client takes.
func send(w http.ResponseWriter, r *http.Request, status int, body []byte, zipped func() []byte) {
	if wire.TakesGzip(r.Header) {
		if short := zipped(); short != nil {
			w.Header().Set("Content-Encoding", "gzip")
			body = short
		}
	}
	write(w, r, status, body)
}

func write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		w.Write(body)
	}
}
