package api

import (
	"net/http"
	"strings"

	"platen/internal/words/event"
	"platen/internal/words/wire"
)

// Lengths of a traceparent of version 00, and the longest tracestate that is sent on: the least that the W3C asks for.
const (
	parentLength  = 55
	maxTraceState = 512
)

// traceOf is the trace context that a request came with, the zero Trace for none. A traceparent that is invalid
// or repeated counts as none, and its tracestate is left out with it (contract: OPEN.TRACE).
func traceOf(h http.Header) event.Trace {
	sent := h[wire.HeaderTraceparent]
	if len(sent) != 1 {
		return event.Trace{}
	}
	t := event.Trace{Parent: parentOf(sent[0])}
	if t.Parent == "" {
		return event.Trace{}
	}
	state := strings.Join(h[wire.HeaderTracestate], ",")
	if printable := func(r rune) bool { return r >= ' ' && r <= '~' }; len(state) <= maxTraceState &&
		!strings.ContainsFunc(state, func(r rune) bool { return !printable(r) }) {
		t.State = state
	}
	return t
}

// parentOf is a traceparent to be sent on, "" for one that is invalid. Of a later version than 00 it has the
// fields that version 00 knows.
func parentOf(text string) string {
	if len(text) < parentLength || text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return ""
	}
	version, trace, parent, flags := text[:2], text[3:35], text[36:52], text[53:parentLength]
	switch {
	case !isHex(version) || !isHex(trace) || !isHex(parent) || !isHex(flags):
		return ""
	case version == "ff" || strings.Trim(trace, "0") == "" || strings.Trim(parent, "0") == "":
		return ""
	case version == "00" && len(text) == parentLength:
		return text
	case version == "00" || len(text) > parentLength && text[parentLength] != '-':
		return ""
	}
	sampled := "0" + string("01"[strings.IndexByte("0123456789abcdef", flags[1])&1])
	return "00-" + trace + "-" + parent + "-" + sampled
}

func isHex(text string) bool { return strings.Trim(text, "0123456789abcdef") == "" }
