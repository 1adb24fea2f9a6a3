package api

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	jsonv2 "github.com/go-json-experiment/json"

	"platen/internal/api/message"
	"platen/internal/edge/admission"
	"platen/internal/edge/network"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// pollPace is the time, in seconds, that a waiting client is asked to leave
// between two polls (contract: QUEUE.PACE).
const pollPace = 3

// create makes a sandbox, or hands out a ticket (contract:
// ROUTE.SANDBOXES.CREATE).
func (x *exchange) create() (*message.Response, error) {
	if err := x.mayCreate(); err != nil {
		return nil, err
	}
	controller, out, err := x.places(nil)
	if out != nil || err != nil {
		return out, err
	}
	var wanted operation.CreateSandbox
	d, wrong := x.readWrite(&wanted)
	if !d.known {
		return nil, wrong
	}
	order := admission.Order{Network: x.Network.String()}
	if wrong == nil {
		order.Text, wrong = x.order(&wanted)
	}
	reply, err := controller.Create(x.Context(), admission.Request{
		Order: order, Wrong: wrong, Key: d.key, Fingerprint: x.Fingerprint(d.body),
		Proof: x.HTTP.Header.Values(wire.HeaderProof), Make: x.make,
		Queued: func(w admission.Waiting) admission.Reply {
			return admission.Reply{Status: http.StatusAccepted, Body: x.envelope(x.ticketOf(w))}
		},
	})
	if x.left(err) {
		return gone(), nil
	}
	if err != nil {
		return nil, err
	}
	return made(reply), nil
}

// gone is the response to a client that has left.
func gone() *message.Response { return &message.Response{Gone: true} }

// left reports whether a request failed since its client has left. A refusal is none: a client that has only closed its
// side for writing still reads it.
func (x *exchange) left(err error) bool {
	_, refused := errors.AsType[*problem.Problem](err)
	return err != nil && !refused && x.Context().Err() != nil
}

// places finds who hands out places, or the response of the place that has finished the request.
func (x *exchange) places(decided json.RawMessage) (*admission.Controller, *message.Response, error) {
	if x.Places == nil {
		return x.server.options.Admission, nil, nil
	}
	return x.Places(x.Request, decided)
}

// mayCreate refuses to make a sandbox for a client without the operator's creation key,
// where there is one (contract: OPEN.CREATE.CLOSED). A player that creates worlds can look
// ahead in them, so agents never create any there.
func (x *exchange) mayCreate() error {
	key := x.server.options.CreationKey
	switch {
	case key == "" || x.Vouched: // it was asked where it arrived
		return nil
	case x.Agent:
		return closed()
	}
	sent := wire.SentKey(x.HTTP.Header)
	if subtle.ConstantTimeCompare([]byte(sent), []byte(key)) == 1 {
		return nil
	}
	const hint = "Send Authorization: Bearer and the key that the operator has set in PLATEN_CREATION_KEY."
	if sent == "" {
		return noKey(x.HTTP.Header,
			"This server makes sandboxes for holders of its creation key, and the request has none.", hint)
	}
	return problem.New(problem.Unauthorized,
		"This server makes sandboxes for holders of its creation key, and the request has another key.").Hinting(hint)
}

// mayFork is mayCreate for a fork, which only a grading key may still ask for.
func (x *exchange) mayFork() error {
	if x.server.options.CreationKey == "" || grades(x.Request) {
		return nil
	}
	return closed()
}

func closed() error {
	return problem.New(problem.CreationClosed, "This server makes sandboxes for holders of its creation key alone.")
}

// shortKeyRefused returns an error for an idempotency key by which strangers could receive each
// other's sandboxes: two clients behind one address both send "test" (contract: OPEN.IDEM.CREATION).
func (x *exchange) shortKeyRefused(key string) error {
	if key == "" || len(key) >= admission.KeyLeast || x.fromTheOffice() {
		return nil
	}
	return problem.New(problem.IdempotencyKeyInvalid,
		"A request that creates a sandbox needs an Idempotency-Key of at least %d characters.", admission.KeyLeast).
		Hinting("Send a UUID: under a short key, clients that share your address could receive your sandbox.")
}

// fromTheOffice reports whether a client reaches the server directly, and no stranger shares
// its address.
func (x *exchange) fromTheOffice() bool {
	for _, header := range []string{"X-Forwarded-For", "Forwarded", "X-Real-Ip"} {
		if x.HTTP.Header.Get(header) != "" {
			return false
		}
	}
	return x.server.options.OneOffice && network.Near(x.HTTP.RemoteAddr)
}

// made is the response to a request that makes a sandbox: the sandbox, or a ticket.
func made(reply admission.Reply) *message.Response {
	out := &message.Response{Status: reply.Status, Raw: reply.Body, Replayed: reply.Replayed}
	if reply.Status == http.StatusAccepted {
		out.RetryAfter = pollPace
	} else {
		out.Secret()
	}
	return out
}

// newSandbox is the form in which a client is told of its sandbox.
func newSandbox(c sandbox.Created) operation.NewSandbox {
	return operation.NewSandbox{
		SandboxID: c.SandboxID, PublicName: c.PublicName, ExpiresAt: c.ExpiresAt,
		OfficeKey: c.OfficeKey, FactoryKey: c.FactoryKey, GradingKey: c.GradingKey,
	}
}

// order is the order that the body of a creation describes.
func (x *exchange) order(wanted *operation.CreateSandbox) ([]byte, error) {
	creation := wanted.Creation("")
	if err := x.server.registry.Accepts(&creation); err != nil {
		return nil, err
	}
	if err := wanted.Check(); err != nil {
		return nil, err //nolint:wrapcheck // a problem
	}
	return wire.Encode(wanted), nil
}

// make makes the sandbox of an order.
func (x *exchange) make(ctx context.Context, order admission.Order,
	records func(admission.Reply) sandbox.Records) (admission.Reply, error) {
	var wanted operation.CreateSandbox
	if err := jsonv2.Unmarshal(order.Text, &wanted); err != nil {
		return admission.Reply{}, fmt.Errorf("read an order: %w", err)
	}
	reply := admission.Reply{Status: http.StatusCreated}
	creation := wanted.Creation(order.Network)
	creation.Records = func(created sandbox.Created) sandbox.Records {
		reply.Body = x.envelope(wire.Encode(newSandbox(created)))
		return records(reply)
	}
	_, err := x.server.registry.Create(ctx, creation)
	return reply, err
}

// ticket looks at a ticket, and claims it when it is ready (contract:
// ROUTE.QUEUE.POLL). HEAD only looks: a client that claimed with it would never
// see the keys.
func (x *exchange) ticket() (*message.Response, error) {
	controller, out, err := x.places(nil)
	if out != nil || err != nil {
		return out, err
	}
	if _, err := x.query(); err != nil {
		return nil, err
	}
	key, err := idempotencyKey(x.HTTP.Header, operation.KeyAccepted)
	if err != nil {
		return nil, err
	}
	id := x.HTTP.PathValue("id")
	var reply admission.Reply
	var stands *admission.Waiting
	if x.HTTP.Method == http.MethodHead {
		reply.Status = http.StatusCreated
		stands, err = controller.Inspect(id)
	} else {
		reply, stands, err = controller.Poll(x.Context(), id, key, x.make)
	}
	if x.left(err) {
		return gone(), nil
	}
	if err != nil {
		return nil, err
	}
	if stands != nil {
		stands.Ticket = id
		reply = admission.Reply{Status: http.StatusAccepted, Body: x.envelope(x.ticketOf(*stands))}
	}
	return made(reply), nil
}

// ticketOf is the data of a response to a client that waits.
func (x *exchange) ticketOf(w admission.Waiting) []byte {
	return wire.Encode(operation.QueueTicket{
		Poll: wire.BasePath + "/queue/" + w.Ticket, Position: int64(w.Position), EtaS: int64(w.EtaSeconds),
	})
}
