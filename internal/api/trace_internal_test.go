package api

import (
	"net/http"
	"testing"

	"platen/internal/words/event"
)

func TestSeveralTraceparentsAreNone(t *testing.T) {
	t.Parallel()
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	h := http.Header{"Traceparent": {parent, parent}, "Tracestate": {"a=1", "b=2"}}
	if got := traceOf(h); got != (event.Trace{}) {
		t.Errorf("two traceparents are %+v", got)
	}
	h["Traceparent"] = h["Traceparent"][:1]
	if got, want := traceOf(h), (event.Trace{Parent: parent, State: "a=1,b=2"}); got != want {
		t.Errorf("two tracestates are %+v, want %+v", got, want)
	}
}
