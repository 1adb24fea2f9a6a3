package api

import (
	"bytes"
	"context"
	"net/http"

	"platen/internal/api/message"
	"platen/internal/company/fault"
	"platen/internal/desk/injection"
	"platen/internal/sandbox"
	"platen/internal/sandbox/apikey"
	"platen/internal/words/wire"
)

// Carry carries out a request that arrives late, before another request to its sandbox: as one of its own, with a
// commit of its own, judged by the state that it finds. Its client was let in and charged when it sent it.
// Nobody gets the response; a success is stored for its Idempotency-Key like any other.
func (s *Server) Carry(before *message.Request, late *injection.Late) (status int) {
	sent, err := http.NewRequestWithContext(context.WithoutCancel(before.Context()), late.Method, late.URL,
		bytes.NewReader(late.Body))
	if err != nil {
		s.log.Error("carry out a late request", "request_id", late.ID, "error", err)
		return http.StatusBadRequest
	}
	for name, value := range map[string]string{
		"Content-Type": late.ContentType, wire.HeaderIdempotencyKey: late.IdempotencyKey,
		wire.HeaderIfMatch: late.IfMatch,
	} {
		if value != "" {
			sent.Header.Set(name, value)
		}
	}
	in := s.outline(sent)
	b, err := s.routeOf(sent).find(sent)
	if err != nil {
		s.log.Error("carry out a late request", "request_id", late.ID, "error", err)
		return http.StatusNotFound
	}
	in.ID, in.Operation, in.Body = late.ID, &b.Operation, message.BodyOf(late.Body)
	in.Caller = sandbox.Caller{SandboxID: before.Caller.SandboxID, System: apikey.System(late.Key)}
	in.Arrived = before.Arrived // what comes with it comes after it
	in.Sandbox, in.Network, in.Conditions.KeyWrites = before.Sandbox, before.Network, true
	out := b.endpoint(in)
	if out.Discard != nil {
		defer out.Discard()
	}
	out.Facts.Injected = []fault.Kind{fault.RequestLate}
	now := s.registry.Now()
	s.described(in, out, now)
	in.Sandbox.Arrived(sent.Context(), &out.Facts)
	s.remember(in, out, now)
	return out.Status
}
