package api

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"platen/internal/admission"
	"platen/internal/network"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/wire"
)

// pollPace is the time, in seconds, that a waiting client is asked to leave
// between two polls (contract: QUEUE.PACE).
const pollPace = 3

// create makes a sandbox, or hands out a ticket (contract:
// ROUTE.SANDBOXES.CREATE).
func (x *exchange) create() error {
	if err := x.mayCreate(); err != nil {
		return err
	}
	controller, answered, err := x.controller()
	if answered || err != nil {
		return err
	}
	d, wrong := x.readWrite()
	if !d.known {
		return wrong
	}
	order := admission.Order{Network: x.group.String()}
	if wrong == nil {
		order.Text, wrong = x.order(d.in)
	}
	reply, err := controller.Create(x.r.Context(), admission.Request{
		Order: order, Wrong: wrong, Key: d.key, Fingerprint: x.fingerprint(d.body),
		Proof: x.r.Header.Values(wire.HeaderProof), Make: x.make,
		Queued: func(w admission.Waiting) admission.Reply {
			return admission.Reply{Status: http.StatusAccepted, Body: x.success(nil, x.ticketOf(w))}
		},
	})
	if x.r.Context().Err() != nil && err != nil {
		return nil //nolint:nilerr // the client is gone and reads no response
	}
	if err != nil {
		return err
	}
	x.made(reply)
	return nil
}

// mayCreate refuses to make a sandbox for a client without the operator's creation key,
// where there is one (contract: OPEN.CREATE.CLOSED). A player that creates worlds can look
// ahead in them, so agents never create any there.
func (x *exchange) mayCreate() error {
	key := x.server.creationKey
	switch {
	case key == "" || x.forwarded != nil: // then another node has looked
		return nil
	case x.agent != nil:
		return closed()
	}
	sent := wire.SentKey(x.r.Header)
	if subtle.ConstantTimeCompare([]byte(sent), []byte(key)) == 1 {
		return nil
	}
	message := "This server makes sandboxes for holders of its creation key, and the request has none."
	if sent != "" {
		message = "This server makes sandboxes for holders of its creation key, and the request has another key."
	}
	return problem.New(problem.Unauthorized, "%s", message).
		Hinting("Send Authorization: Bearer and the key that the operator has set with --creation-key.")
}

// mayFork is mayCreate for a fork, which only a grading key may still ask for.
func (x *exchange) mayFork() error {
	if x.server.creationKey == "" || x.grades() {
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
	makes := x.op.Kind == operation.Creation || x.op.Kind == operation.Fork
	if !makes || key == "" || len(key) >= admission.KeyLeast || x.fromTheOffice() {
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
		if x.r.Header.Get(header) != "" {
			return false
		}
	}
	return x.server.oneOffice && network.Near(x.r.RemoteAddr)
}

// made sends the response to a request that makes a sandbox.
func (x *exchange) made(reply admission.Reply) {
	if x.replayed = reply.Replayed; x.replayed {
		x.w.Header().Set(wire.HeaderReplayed, "true")
	}
	x.answer(reply.Status, reply.Body)
}

// newSandbox is the form in which a client is told of its sandbox.
func newSandbox(c sandbox.Created) operation.NewSandbox {
	return operation.NewSandbox{
		SandboxID: c.SandboxID, PublicName: c.PublicName, ExpiresAt: c.ExpiresAt,
		OfficeKey: c.OfficeKey, FactoryKey: c.FactoryKey, GradingKey: c.GradingKey,
	}
}

// order is the order that the body of a creation describes.
func (x *exchange) order(in any) ([]byte, error) {
	wanted, ok := in.(*operation.CreateSandbox)
	if !ok {
		return nil, fmt.Errorf("creation takes a body of type %T", in)
	}
	creation := wanted.Creation("")
	if err := x.server.registry.Accepts(&creation); err != nil {
		return nil, err
	}
	if err := wanted.Check(); err != nil {
		return nil, err //nolint:wrapcheck // a problem
	}
	return encode(wanted), nil
}

// make makes the sandbox of an order.
func (x *exchange) make(ctx context.Context, order admission.Order,
	records func(admission.Reply) sandbox.Records) (admission.Reply, error) {
	var wanted operation.CreateSandbox
	if err := json.Unmarshal(order.Text, &wanted); err != nil {
		return admission.Reply{}, fmt.Errorf("read an order: %w", err)
	}
	reply := admission.Reply{Status: http.StatusCreated}
	creation := wanted.Creation(order.Network)
	creation.Records = func(created sandbox.Created) sandbox.Records {
		reply.Body = x.success(nil, encode(newSandbox(created)))
		return records(reply)
	}
	_, err := x.server.registry.Create(ctx, creation)
	return reply, err
}

// ticket looks at a ticket, and claims it when it is ready (contract:
// ROUTE.QUEUE.POLL). HEAD only looks: a client that claimed with it would never
// see the keys.
func (x *exchange) ticket() error {
	controller, answered, err := x.controller()
	if answered || err != nil {
		return err
	}
	if _, err := x.query(); err != nil {
		return err
	}
	key, err := idempotencyKey(x.r.Header, operation.KeyAccepted)
	if err != nil {
		return err
	}
	id := x.r.PathValue("id")
	var reply admission.Reply
	var stands *admission.Waiting
	if x.r.Method == http.MethodHead {
		reply.Status = http.StatusCreated
		stands, err = controller.Inspect(id)
	} else {
		reply, stands, err = controller.Poll(x.r.Context(), id, key, x.make)
	}
	if x.r.Context().Err() != nil && err != nil {
		return nil //nolint:nilerr // the client is gone and reads no response
	}
	if err != nil {
		return err
	}
	if stands != nil {
		stands.Ticket = id
		reply = admission.Reply{Status: http.StatusAccepted, Body: x.success(nil, x.ticketOf(*stands))}
	}
	x.made(reply)
	return nil
}

// ticketOf is the data of a response to a client that waits.
func (x *exchange) ticketOf(w admission.Waiting) []byte {
	return encode(operation.QueueTicket{
		Poll: wire.BasePath + "/queue/" + w.Ticket, Position: int64(w.Position), EtaS: int64(w.EtaSeconds),
	})
}

// answer sends a sandbox or a ticket.
func (x *exchange) answer(status int, body []byte) {
	if status == http.StatusAccepted {
		x.w.Header().Set(wire.HeaderRetryAfter, strconv.Itoa(pollPace))
	}
	x.send(status, contentJSON, body)
}
