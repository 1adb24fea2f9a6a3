package gateway

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"platen/internal/api/message"
	"platen/internal/words/wire"
)

// acceptable refuses a request whose Accept header does not name the content
// type of the response (contract: MCP.ACCEPT, MCP.NOT_ACCEPTABLE,
// OPEN.MCP.ACCEPT, OPEN.HTTP.ACCEPT). Wildcards do not count.
func acceptable(r *http.Request) error {
	var whole, stream bool
	for media, weight := range wire.Accepted(r.Header) {
		whole = whole || media == "application/json" && weight > 0
		stream = stream || media == "text/event-stream" && weight > 0
	}
	switch {
	case r.Method == http.MethodPost && (!whole || !stream):
		return &refusal{
			status: http.StatusNotAcceptable, code: codeRefused,
			message: "Not Acceptable: Client must accept both application/json and text/event-stream",
		}
	case r.Method == http.MethodGet && !stream:
		return &refusal{
			status: http.StatusNotAcceptable, code: codeRefused,
			message: "Not Acceptable: Client must accept text/event-stream",
		}
	case r.Method == http.MethodPost:
		r.Header.Set("Accept", "application/json, text/event-stream") // the library would read all that was sent
	}
	return asked(r)
}

// Parameters of the address (contract: OPEN.MCP.PLAY, OPEN.MCP.STRUCTURED).
const (
	// ParameterTools chooses the tools: ToolsToPlay are the few that playing takes.
	ParameterTools = "tools"
	ToolsToPlay    = "play"
	// ParameterStructured says how results come as objects: StructuredNot leaves them out, StructuredTyped declares
	// their forms with the tools.
	ParameterStructured = "structured"
	StructuredNot       = "0"
	StructuredTyped     = "typed"
)

// asked refuses a parameter of the address that nothing knows.
func asked(r *http.Request) error {
	known := map[string][]string{ParameterTools: {ToolsToPlay}, ParameterStructured: {StructuredNot, StructuredTyped}}
	query, err := url.ParseQuery(r.URL.RawQuery)
	for name, values := range query {
		if err == nil && (len(values) != 1 || !slices.Contains(known[name], values[0])) {
			err = errors.New("the address takes ?tools=play and ?structured=0 or ?structured=typed")
		}
	}
	if err == nil {
		return nil
	}
	return &refusal{status: http.StatusBadRequest, code: codeRefused, message: "Bad Request: " + err.Error()}
}

// plain refuses a body that is encoded, or is not JSON, as the API does (contract: OPEN.HTTP.CONTENT_ENCODING,
// OPEN.HTTP.SPELLINGS). The library reads the type more narrowly, so it gets it in one spelling.
func plain(r *http.Request) error {
	refused := &refusal{status: http.StatusUnsupportedMediaType, code: codeRefused}
	declared, charset := wire.DeclaredJSON(r.Header)
	switch {
	case wire.Coding(r.Header) != "":
		refused.message = "Unsupported Media Type: the body has a Content-Encoding; send it without one"
		refused.header = http.Header{"Accept-Encoding": {"identity"}}
	case !declared:
		refused.message = "Unsupported Media Type: the header Content-Type must be application/json"
	case charset != "":
		refused.message = "Unsupported Media Type: the body is declared in the charset " + message.Short(charset) +
			"; send UTF-8"
	default:
		r.Header.Set("Content-Type", "application/json")
		return nil
	}
	return refused
}

// fromHere refuses requests that a page of another site may have caused: a name
// that is not the server's, or an origin that is not its own.
func (g *Gateway) fromHere(r *http.Request) error {
	if !g.options.Serves(r.Host) {
		return &refusal{
			status: http.StatusForbidden, code: codeRefused, message: "Forbidden: the header Host names another server",
		}
	}
	origin := r.Header.Get("Origin")
	if origin == "" || sameHost(origin, r.Host) || g.options.Ours(origin) {
		return nil
	}
	return &refusal{
		status: http.StatusForbidden, code: codeRefused,
		message: "Forbidden: requests from pages of other origins are not served",
	}
}

func sameHost(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, host)
}
