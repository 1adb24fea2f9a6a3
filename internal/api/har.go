package api

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"platen/internal/api/message"
	"platen/internal/desk"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/wire"
)

// archives are the suffixes of the paths of operations that are also served as a file.
//
//nolint:gochecknoglobals // read only
var archives = map[string]string{"list_requests": ".har", "get_sandbox": ".platen"}

// maxArchiveArgs is the most arguments of a query that an entry lists one by one.
const maxArchiveArgs = 100

// unknownSize is the size of what is not known, by HAR.
const unknownSize = -1

// archive is an HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec). Names that begin with an
// underscore are ours.
type archive struct {
	Log archiveLog `json:"log"`
}

type archiveLog struct {
	Version string         `json:"version"`
	Creator archiveTool    `json:"creator"`
	Comment string         `json:"comment"`
	Entries []archiveEntry `json:"entries"`
}

type archiveTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

//nolint:tagliatelle // HAR's spelling
type archiveEntry struct {
	StartedDateTime string          `json:"startedDateTime"`
	Time            int64           `json:"time"`
	Request         archiveRequest  `json:"request"`
	Response        archiveResponse `json:"response"`
	Cache           struct{}        `json:"cache"`
	Timings         archiveTimings  `json:"timings"`
	Comment         string          `json:"comment,omitzero"`
	RequestID       string          `json:"_request_id"`
	System          string          `json:"_system"`
}

//nolint:tagliatelle // HAR's spelling
type archiveRequest struct {
	Method      string       `json:"method"`
	URL         string       `json:"url"`
	HTTPVersion string       `json:"httpVersion"`
	Cookies     []struct{}   `json:"cookies"`
	Headers     []struct{}   `json:"headers"`
	QueryString []archiveArg `json:"queryString"`
	PostData    *archiveBody `json:"postData,omitzero"`
	HeadersSize int64        `json:"headersSize"`
	BodySize    int64        `json:"bodySize"`
}

type archiveArg struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

//nolint:tagliatelle // HAR's spelling
type archiveResponse struct {
	Status      int         `json:"status"`
	StatusText  string      `json:"statusText"`
	HTTPVersion string      `json:"httpVersion"`
	Cookies     []struct{}  `json:"cookies"`
	Headers     []struct{}  `json:"headers"`
	Content     archiveBody `json:"content"`
	RedirectURL string      `json:"redirectURL"`
	HeadersSize int64       `json:"headersSize"`
	BodySize    int64       `json:"bodySize"`
}

// archiveBody is the data of a request, or with a size the content of a response.
//
//nolint:tagliatelle // HAR's spelling
type archiveBody struct {
	Size     *int64 `json:"size,omitzero"`
	MimeType string `json:"mimeType"`
	Text     string `json:"text,omitzero"`
	Comment  string `json:"comment,omitzero"`
}

type archiveTimings struct {
	Send    int64 `json:"send"`
	Wait    int64 `json:"wait"`
	Receive int64 `json:"receive"`
}

// archive sends all remembered requests that the caller may see, oldest first (contract: OPEN.REQUEST.HAR).
func (x *exchange) archive() (*message.Response, error) {
	if _, err := readQuery(nil, x.HTTP.URL.RawQuery); err != nil {
		return nil, err
	}
	v, err := x.present()
	if err != nil {
		return nil, err
	}
	_, count := x.shownCalls(v)
	x.tag(message.HashOf(strconv.FormatUint(count+uint64(v.Desk.HandedOver), 10), string(x.Caller.System)))
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	out := &message.Response{
		Status: x.op.Status, Tag: x.etag, Type: message.ContentHAR,
		Stream: func(_ context.Context, w http.ResponseWriter) { x.streamArchive(w, v, count) },
	}
	out.Set("Content-Disposition", `attachment; filename="requests.har"`)
	return out, nil
}

// streamArchive writes the archive of the requests up to one, each as it is when its turn comes: a client that does
// not read holds the memory of one entry. One that has closed its side for writing reads all of it.
func (x *exchange) streamArchive(w http.ResponseWriter, v *sandbox.View, last uint64) {
	head := wire.Encode(archive{Log: archiveLog{
		Version: "1.2", Creator: archiveTool{Name: "Platen API", Version: wire.Version},
		Comment: "The remembered requests of the sandbox " + x.Caller.SandboxID + ". Headers are not remembered; " +
			"keys and secrets are removed.",
		Entries: []archiveEntry{},
	}})
	const end = "]}}"
	_, err := w.Write(bytes.TrimSuffix(head, []byte(end)))
	separator := []byte("")
	var shown uint64
	for err == nil {
		c, ok := x.Sandbox.Client().Calls.After(shown)
		if !ok || c.Ordinal > last {
			_, _ = w.Write([]byte(end)) // a client that is gone needs no end
			return
		}
		if shown = c.Ordinal; !grades(x.Request) && c.At <= v.Desk.HandedOver {
			continue
		}
		entry := x.archiveEntry(&c)
		_, err = w.Write(append(separator, wire.Encode(entry)...))
		separator = []byte(",")
	}
}

func (x *exchange) archiveEntry(c *desk.Call) archiveEntry {
	row := operation.LoggedExchangeOf(c, false, c.ShownTo(x.Caller.System))
	began := c.At.Time().Add(-time.Duration(c.Milliseconds) * time.Millisecond)
	entry := archiveEntry{
		StartedDateTime: began.UTC().Format("2006-01-02T15:04:05.000Z07:00"), Time: c.Milliseconds,
		Timings: archiveTimings{Wait: c.Milliseconds}, RequestID: c.ID, System: string(c.System),
		Request: archiveRequest{
			Method: c.Method, URL: x.server.options.Origin + inURL(c.Path), HTTPVersion: "HTTP/1.1",
			Cookies: []struct{}{}, Headers: []struct{}{}, QueryString: []archiveArg{},
			HeadersSize: unknownSize, BodySize: unknownSize,
		},
		Response: archiveResponse{
			Status: c.Status, StatusText: http.StatusText(c.Status), HTTPVersion: "HTTP/1.1",
			Cookies: []struct{}{}, Headers: []struct{}{}, HeadersSize: unknownSize, BodySize: unknownSize,
			Content: archiveBody{Size: new(int64(unknownSize)), MimeType: "x-unknown"},
		},
	}
	switch {
	case c.Exchange == nil:
		entry.Comment = "Query string and bodies are not remembered."
	case !c.ShownTo(x.Caller.System):
		entry.Comment = "Query string and bodies are shown to the key of " + string(c.System) + "."
	default:
		entry.fill(&row, c.Exchange)
	}
	return entry
}

// fill adds what was sent and received.
func (e *archiveEntry) fill(row *operation.LoggedExchange, kept *desk.Exchange) {
	if kept.Query != "" {
		e.Request.URL += "?" + inURL(kept.Query)
		parts := strings.SplitN(kept.Query, "&", maxArchiveArgs+1)
		for _, part := range parts[:min(len(parts), maxArchiveArgs)] {
			name, value, _ := strings.Cut(part, "=")
			e.Request.QueryString = append(e.Request.QueryString, archiveArg{unescaped(name), unescaped(value)})
		}
		switch {
		case kept.QueryBytes > desk.MaxQuery:
			e.Comment = cutComment(desk.MaxQuery, kept.QueryBytes, "bytes of the query string")
		case len(parts) > maxArchiveArgs:
			e.Comment = cutComment(maxArchiveArgs, int64(strings.Count(kept.Query, "&")+1), "arguments in queryString")
		}
	}
	e.Request.BodySize = kept.RequestBytes
	if kept.RequestBytes > 0 {
		body := archiveBodyOf(row.RequestBody, kept.RequestBytes)
		e.Request.PostData = &body
	}
	e.Response.Content = archiveBodyOf(row.ResponseBody, kept.ResponseBytes)
	e.Response.Content.Size = &kept.ResponseBytes
	if kept.ResponseBytes == 0 {
		e.Response.Content.Comment = "The response had no body, or it was lost on the way."
	}
}

// archiveBodyOf is a body of size bytes, of which the beginning was kept, nil for nothing.
func archiveBodyOf(kept *string, size int64) archiveBody {
	body := archiveBody{MimeType: "x-unknown"}
	switch {
	case kept == nil && size > 0:
		body.Comment = "The body is not remembered: " + strconv.FormatInt(size, 10) + " bytes."
		return body
	case kept == nil:
		return body
	case size > desk.MaxExchangeBody:
		body.Comment = cutComment(desk.MaxExchangeBody, size, "bytes")
	}
	body.Text = *kept
	body.MimeType = "text/csv"
	if text := strings.TrimLeft(*kept, " \t\r\n"); strings.HasPrefix(text, "{") {
		body.MimeType = message.ContentJSON
	}
	return body
}

// cutComment says that only the beginning of something is there.
func cutComment(kept int, whole int64, of string) string {
	return "Cut: the first " + strconv.Itoa(kept) + " of " + strconv.FormatInt(whole, 10) + " " + of + "."
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// inURL is a part of a URL without what none may hold: it was sent like that, or cut short.
func inURL(text string) string {
	const allowed = "-._~:/?@!$&'()*+,;="
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		escape := c == '%' && i+2 < len(text) && isHex(strings.ToLower(text[i+1:i+3]))
		if escape || strings.IndexByte(allowed, c) >= 0 || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' ||
			c >= 'a' && c <= 'z' {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(c)|0x100, 16)[1:]))
	}
	return b.String()
}
