package event

// Trace is the trace context (W3C Trace Context) of the request that caused an event. The zero Trace is none.
type Trace struct {
	// Parent and State are the headers traceparent and tracestate, as they are sent on.
	Parent string `json:"parent,omitzero"`
	State  string `json:"state,omitzero"`
}
