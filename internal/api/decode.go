package api

import (
	"net/http"
	"strings"

	"platen/internal/api/message"
	"platen/internal/operation"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// ParameterDetails are the details of invalid_parameter.
type ParameterDetails struct {
	Parameter string `json:"parameter"`
}

func badParameter(name, format string, values ...any) *problem.Problem {
	return problem.New(problem.InvalidParameter, format, values...).With(ParameterDetails{Parameter: name})
}

// idempotencyKey returns the key of a write, "" when none was sent.
func idempotencyKey(h http.Header, rule operation.KeyRule) (string, error) {
	sent := h.Values(wire.HeaderIdempotencyKey)
	key := strings.Join(sent, ",")
	if key == "" && rule == operation.KeyRequired {
		return "", problem.New(problem.IdempotencyRequired, "This route requires an Idempotency-Key header.")
	}
	if len(sent) == 0 {
		return "", nil
	}
	printable := func(r rune) bool { return r >= ' ' && r <= '~' }
	// HTTP takes the spaces around a value away; an agent's key has them still.
	if len(sent) > 1 || key == "" || strings.TrimSpace(key) != key || len(key) > operation.MaxIdempotencyKeyLength ||
		strings.ContainsFunc(key, func(r rune) bool { return !printable(r) }) {
		return "", problem.New(problem.IdempotencyKeyInvalid,
			"The Idempotency-Key must be one value of 1 to %d printable ASCII characters.",
			operation.MaxIdempotencyKeyLength)
	}
	return key, nil
}

// input decodes the body of a write into a value of the operation's type.
func (x *exchange) input(body []byte, in any) error {
	if len(body) == 0 && x.op.BodyOptional {
		return nil
	}
	if len(body) > 0 {
		if err := checkMediaType(x.HTTP.Header); err != nil {
			return err
		}
	}
	return x.op.input.DecodeInto(body, in)
}

func checkMediaType(h http.Header) error {
	if coding := wire.Coding(h); coding != "" {
		p := problem.New(problem.UnsupportedMediaType, "The body is encoded as %s; send it without an encoding.",
			message.Short(coding))
		return &message.HeaderError{Problem: p, Name: "Accept-Encoding", Value: "identity"} // RFC 9110, 15.5.16
	}
	declared, charset := wire.DeclaredJSON(h)
	switch {
	case !declared:
		return problem.New(problem.UnsupportedMediaType, "The body is not declared as application/json.")
	case charset != "":
		return problem.New(problem.UnsupportedMediaType, "The body is declared in the charset %s; send UTF-8.",
			message.Short(charset))
	}
	return nil
}

// negotiate decides between JSON and CSV (contract: LIST.CSV.ACCEPT, LIST.CSV.SUFFIX).
func negotiate(r *http.Request, op *bound, csvPath bool) (csv bool, err error) {
	if csvPath {
		return true, nil
	}
	sent := r.Header.Values("Accept")
	if len(sent) == 0 || len(sent) == 1 && (sent[0] == "" || sent[0] == "*/*" || sent[0] == message.ContentJSON) {
		return false, nil // sent by nearly all clients
	}
	json, csvWeight := weight(r.Header, message.ContentJSON), weight(r.Header, "text/csv")
	if op.columns != nil && csvWeight > json {
		return true, nil
	}
	if json == 0 {
		return false, problem.New(problem.NotAcceptable,
			"This route has no response of a type that the Accept header names.")
	}
	return false, nil
}

// weight is that of a media type in Accept; 0 when it is not wanted. The exact type weighs a little more than a
// wildcard of the same quality.
func weight(h http.Header, media string) float64 {
	quality, specificity := wire.Weight(h, media)
	if quality == 0 {
		return 0
	}
	return quality + float64(specificity)/1e6
}
