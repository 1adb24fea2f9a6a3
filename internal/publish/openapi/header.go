package openapi

import (
	"github.com/danielgtaylor/huma/v2"

	"platen/internal/operation"
	"platen/internal/words/wire"
)

// Headers of errors that are sent nowhere else.
const (
	headerAuthenticate = "WWW-Authenticate"
	headerAllow        = "Allow"
)

// alwaysSent describes the headers that any response has, or has where the operation is deprecated.
type alwaysSent struct {
	Always     map[string]string `json:"always"`
	Deprecated map[string]string `json:"deprecated"`
}

func always() alwaysSent {
	return alwaysSent{
		Always: map[string]string{
			wire.HeaderRequestID:  "The request_id of the envelope's meta; also on responses without a body.",
			wire.HeaderSimulation: "Always true: the company is simulated. Also on responses without an envelope.",
			wire.HeaderLimit: "Requests in a minute, by the client's own budget; 1000000 when the operator has " +
				"switched it off.",
			wire.HeaderRemaining: "Requests that are left in that budget now.",
			wire.HeaderRate: "The same budget as a structured field: r requests are left, and t seconds pass until " +
				"there is one more.",
			wire.HeaderPolicy: "The policy of that budget as a structured field: q requests in a window of w seconds.",
			"Cache-Control": "Always private, no-cache: keep a response in a private cache only, and check it with " +
				"its ETag before you use it again.",
			"Vary": "The request headers that a response depends on.",
		},
		Deprecated: map[string]string{
			"Deprecation":   "Since when the operation is deprecated: @ and seconds since 1970.",
			"Sunset":        "From when the operation may be gone.",
			wire.HeaderLink: "With rel=\"deprecation\": where to read about it.",
		},
	}
}

// successHeaders are the headers of an operation's success that the response depends on.
func successHeaders(op *operation.Operation) []string {
	var names []string
	if op.Conditional() {
		names = append(names, wire.HeaderETag)
	}
	if op.Paged() {
		names = append(names, wire.HeaderLink)
	}
	if op.Key != operation.KeyNone {
		names = append(names, wire.HeaderReplayed)
	}
	return names
}

// headers are references to headers among the components.
func (w *writer) headers(names ...string) map[string]*huma.Param {
	refs := map[string]*huma.Param{}
	for _, name := range names {
		header := &huma.Param{Schema: &huma.Schema{Type: huma.TypeString}}
		switch name {
		case wire.HeaderETag:
			header.Description, header.Example = "The version of the record or list. Sent back as If-None-Match, it "+
				"saves the transfer when nothing changed; as If-Match, it stops a write to another version.",
				`W/"3Zb1mT9kQ0w"`
		case wire.HeaderLink:
			header.Description = "The next page, with rel=\"next\"; absent on the last."
		case wire.HeaderReplayed:
			header.Description = "true on the stored response of an earlier request with the same Idempotency-Key; " +
				"absent otherwise."
		case wire.HeaderRetryAfter:
			header.Description, header.Schema = "Seconds to wait before you try or look again.",
				&huma.Schema{Type: huma.TypeInteger}
		case headerAuthenticate:
			header.Description = "401: Bearer. A key belongs in the Authorization header."
		case headerAllow:
			header.Description = "405: the methods of this path."
		}
		w.document.Components.Headers[name] = header
		refs[name] = &huma.Param{Ref: "#/components/headers/" + name}
	}
	return refs
}
