// Package wire holds the names that both ends of a connection know: the base
// path, the version of the API, its headers and the key in them, and what every
// response contains.
package wire

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"platen/internal/words/moment"
)

// BasePath is the path of the API below the origin (contract: VER.PREFIX).
const BasePath = "/v1"

// Version is the dated version of the API (contract: VER.META). It is the only
// one so far; a second one makes this a list, and the version a property of the
// sandbox.
const Version = "2026-09"

// Headers of requests that change what an operation does.
const (
	HeaderIdempotencyKey = "Idempotency-Key"
	HeaderIfNoneMatch    = "If-None-Match"
	HeaderIfMatch        = "If-Match"
	HeaderTraceparent    = "Traceparent"
	HeaderTracestate     = "Tracestate"
	HeaderProof          = "Sim-PoW"
	HeaderVersion        = "Sim-Version"
	// HeaderKey holds a key, as Authorization does.
	HeaderKey = "X-Api-Key"
	// HeaderOtherKey is that in which the console sends the key of the other system: rows of
	// a system are only shown to the holder of its key, and the console holds both.
	HeaderOtherKey = "Platen-Other-Key"
)

// Headers of responses. Some are spelled as their RFCs spell them, which is not
// Go's canonical form.
const (
	HeaderRequestID = "Request-Id"
	// HeaderSimulation is true in every response, also where there is no envelope to say so
	// (contract: OPEN.ENV.SIMULATION).
	HeaderSimulation = "Sim-Simulation"
	HeaderETag       = "ETag"
	HeaderLink       = "Link"
	HeaderRetryAfter = "Retry-After"
	HeaderReplayed   = "Idempotency-Replayed"

	// The budget of the caller (contract: LIMIT.KEY_RATE.HEADERS,
	// OPEN.RATE.DRAFT_HEADERS).
	HeaderLimit     = "X-RateLimit-Limit"
	HeaderRemaining = "X-RateLimit-Remaining"
	HeaderPolicy    = "RateLimit-Policy"
	HeaderRate      = "RateLimit"
)

// Meta is the head of every envelope (contract: ENV.META.SIMULATION and the
// rows after it).
type Meta struct {
	_ struct{} `doc:"Facts about the response: the request id, the server's time and, in a sandbox, the in-world date."`

	Simulation bool           `json:"simulation" doc:"Always true."`
	RequestID  string         `json:"request_id" doc:"Names this request; quote it when you ask about it."`
	ServerTime moment.Instant `json:"server_time" doc:"The clock of the server when it responded."`
	SimDate    moment.Date    `json:"sim_date,omitzero" doc:"The in-world date; on responses to a request with a valid key."`
	ExpiresInS int64          `json:"expires_in_s,omitzero" doc:"Whole seconds until the sandbox ends; on responses to a request with a valid key."`
	APIVersion string         `json:"api_version" doc:"The dated version of the API that is in force."`
}

// Append appends the head of an envelope up to the member behind it, as JSON. Sim_date and expires_in_s are left
// out of a request without a sandbox.
func (m *Meta) Append(b []byte) []byte {
	b = append(b, `{"meta":{"simulation":true,"request_id":"`...)
	b = append(b, m.RequestID...)
	b = append(b, `","server_time":"`...)
	b, _ = m.ServerTime.AppendText(b)
	if m.SimDate != 0 {
		b = append(b, `","sim_date":"`...)
		b, _ = m.SimDate.AppendText(b)
		b = append(b, `","expires_in_s":`...)
		b = strconv.AppendInt(b, m.ExpiresInS, 10)
		b = append(b, `,"api_version":"`...)
	} else {
		b = append(b, `","api_version":"`...)
	}
	b = append(b, m.APIVersion...)
	return append(b, `"},`...)
}

// Success renders an envelope around data.
func Success(m *Meta, data []byte) []byte {
	const head = 256 // about as long as a head is
	b := append(m.Append(make([]byte, 0, len(data)+head)), `"data":`...)
	return append(append(b, data...), '}')
}

// Encode renders a value as JSON. Paths and ids of clients, which errors
// repeat, need not be UTF-8: invalid bytes become U+FFFD.
func Encode(v any) []byte {
	b, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("encode " + err.Error()) // our own types always encode
	}
	return b
}

// Details is an object for programs, different for each code.
type Details any

// Error is the error of an envelope (contract: ENV.FAILURE).
type Error struct {
	_ struct{} `doc:"The error of a failed request: its code for programs, and a message and a hint for people."`

	Code      string         `json:"code" doc:"Names the error. Branch on it: messages may change."`
	Message   string         `json:"message" doc:"A sentence about this error, for people."`
	Retryable bool           `json:"retryable" doc:"True when the same request may succeed later."`
	Hint      string         `json:"hint" doc:"A sentence about what to do next."`
	DocsURL   string         `json:"docs_url" doc:"The page of the docs about the code."`
	Details   Details        `json:"details,omitzero" doc:"Facts about this error, for programs; the fields depend on the code. Left out for codes without any."`
	RetryAt   moment.Instant `json:"retry_at,omitzero" doc:"The moment before which a repetition is useless, in wall time; left out when it is not known."`
}
