package router

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"

	"platen/internal/api/message"
	"platen/internal/cluster/hop"
	"platen/internal/words/problem"
)

// ServeFunc serves a request that comes in over a connection from somewhere. The response is marked before it is
// sent.
type ServeFunc = func(w http.ResponseWriter, r *http.Request, from message.Provenance, mark MarkFunc)

// MarkFunc marks a response and its header.
type MarkFunc = func(h http.Header, out *message.Response)

// FromNodes serves requests that other nodes send on, and those of nodes to each other. self
// is how this process is known.
func (t *Router) FromNodes(self string, serve ServeFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call, err := t.Road.Open(r)
		switch {
		case err != nil:
			if errors.Is(err, hop.ErrStale) {
				t.Log.Warn("a request of another server is refused: it was signed at another time", "error", err)
			}
			w.WriteHeader(http.StatusForbidden)
		case r.URL.Path == hop.SelfPath:
			hop.Say(w.Header(), hop.Served, nil)
			fmt.Fprint(w, self)
		case call.To != t.Node.Session():
			hop.Say(w.Header(), hop.Replaced, nil)
			w.WriteHeader(http.StatusMisdirectedRequest)
		case r.URL.Path == hop.RevokePath:
			t.revoke(w, r, call)
		default:
			hop.Say(w.Header(), hop.Served, nil)
			serve(w, r, provenanceOf(call), mark)
		}
	})
}

// provenanceOf describes a request as the node that sent it knows it.
func provenanceOf(call *hop.Call) message.Provenance {
	group, _ := netip.ParsePrefix(call.Network) // none for a peer without an address
	return message.Provenance{
		ID: call.RequestID, Network: group, Credentials: call.Credentials, Agent: call.Agent, Vouched: true,
		Decided: call.Decided, Unread: problem.Code(call.Fault),
	}
}

// mark makes a response one to another node: that node holds it back, and cuts the connection of the client. Between
// nodes a connection is not cut: the other node would take this one for dead, and ask again.
func mark(h http.Header, out *message.Response) {
	if out.Hold > 0 {
		hop.SayHold(h, out.Hold)
		out.Hold = 0
	}
	if out.Severed == message.CutOff {
		hop.SayCut(h)
		out.Severed = message.BadGateway
	}
}

// revoke revokes the key of a call, for another node.
func (t *Router) revoke(w http.ResponseWriter, r *http.Request, call *hop.Call) {
	if len(call.Credentials) != 1 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	hop.Say(w.Header(), hop.Served, nil)
	if err := t.Registry.RevokeCredential(r.Context(), call.Credentials[0]); err != nil {
		t.Log.Warn("revoke a key for another server", "error", err)
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
