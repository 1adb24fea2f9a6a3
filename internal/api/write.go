package api

import (
	"cmp"
	"context"

	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/wire"
)

// object sends a value computed from the present state.
func (x *exchange) object() error {
	sent, err := x.query()
	if err != nil {
		return err
	}
	v, value, err := x.value(sent)
	if err != nil {
		return err
	}
	data := encode(value)
	x.tag(hash(data))
	if x.unchanged() {
		return nil
	}
	x.data(v, x.op.Status, data)
	return nil
}

// value computes the data of an object, and the state that it is of.
func (x *exchange) value(sent *arguments) (*sandbox.View, any, error) {
	v, err := x.present()
	if err != nil {
		return nil, nil, err
	}
	switch {
	case x.op.Examined != nil:
		found, err := x.sandbox.Examine(x.r.Context())
		if err != nil {
			return nil, nil, err
		}
		return found.View, x.op.Examined(&found, x.shown(found.View)), nil
	case x.op.Verified != nil:
		found, err := x.sandbox.Verify(x.r.Context())
		if err != nil {
			return nil, nil, err
		}
		return found.View, x.op.Verified(&found), nil
	case x.op.Attended:
		found, err := x.sandbox.Attend(x.r.Context())
		if err != nil {
			return nil, nil, err
		}
		return found.View, operation.AttentionOf(&found), nil
	case x.op.Graded != nil && x.grades():
		return v, x.op.Graded(v, x.shown(v)), nil
	case x.op.ValueSince != nil:
		return v, x.op.ValueSince(v, sent.number(operation.ParameterSince)), nil
	default:
		return v, x.op.Value(v, x.shown(v)), nil
	}
}

// writeRequest holds the parts of a write that the client sent.
type writeRequest struct {
	// key is the idempotency key, body the body that came with it, known set
	// when both could be read.
	key   string
	body  []byte
	known bool
	in    any
}

// readWrite reads a write whole, and returns an error for a malformed one.
func (x *exchange) readWrite() (d writeRequest, err error) {
	rule := x.op.Key
	if x.dry {
		rule = operation.KeyAccepted // and not used up
	}
	key, unkeyed := idempotencyKey(x.r.Header, rule)
	if unkeyed == nil {
		unkeyed = x.shortKeyRefused(key)
	}
	body, unread := x.body()
	d = writeRequest{key: key, body: body, known: unkeyed == nil && unread == nil}
	_, err = x.query()
	if err := cmp.Or(err, unkeyed, unread); err != nil {
		return d, err
	}
	d.in, err = x.input(body)
	return d, err
}

// replayOrRefuse handles a write that is malformed. An idempotency key that was
// used before, and a sandbox that takes no writes, are refused before the fault
// of the request itself (contract: IDEM.REUSED, LIFE.EXPIRED, LIFE.BANKRUPT).
func (x *exchange) replayOrRefuse(d writeRequest, wrong error) error {
	command := sandbox.Command{Scope: x.scope(), Beside: x.besides()}
	if d.known {
		command.Key, command.Fingerprint = d.key, x.fingerprint(d.body)
	}
	reply, found, err := x.sandbox.ReplayOrRefuse(x.r.Context(), command)
	switch {
	case err != nil:
		return err
	case found:
		x.reply(reply)
		return nil
	default:
		return wrong
	}
}

// sharedScope is the scope of idempotency keys on routes that take either key.
const sharedScope = "sandbox"

// scope is the scope of an idempotency key: on a route of one system, that
// system; on a shared one, the sandbox, whichever key came with it (contract:
// OPEN.IDEM.SCOPE).
func (x *exchange) scope() string {
	if x.op.System == operation.Shared {
		return sharedScope
	}
	return string(x.caller.System)
}

// besides is the other scope in which a key of this caller may have been used:
// a program that uses a key on two routes is refused for it.
func (x *exchange) besides() string {
	if x.op.System == operation.Shared {
		return string(x.caller.System)
	}
	return sharedScope
}

// write runs a command, or replays its stored reply.
func (x *exchange) write() error {
	d, err := x.readWrite()
	if x.dry {
		return x.dryRun(d, err)
	}
	if err != nil {
		return x.replayOrRefuse(d, err)
	}
	in := d.in
	if x.op.Press != nil {
		x.call.Press = x.op.Press(in)
	}
	command := sandbox.Command{Scope: x.scope(), Beside: x.besides(), Key: d.key, Fingerprint: x.fingerprint(d.body)}
	if x.disturbed != nil {
		x.call.Key = x.writeKey(d.key, command.Fingerprint)
	}
	if err := x.stillAtWork(command); err != nil {
		return err
	}
	var result operation.Result
	at := operation.PathParams{ID: x.r.PathValue("id"), DeliveryID: x.r.PathValue("delivery_id")}
	command.Run = func(tx *sandbox.Tx) (err error) {
		x.now = tx.Now
		result, err = x.op.Run(tx, at, in)
		return err
	}
	command.Answer = func(v *sandbox.View) sandbox.Reply {
		reply := sandbox.Reply{Status: x.op.Status, Body: x.success(v, answer(v, result))}
		if result.Once != nil {
			reply.Once = x.success(v, encode(result.Once(v)))
		}
		return reply
	}
	reply, err := x.command(at, &in, command)
	if err != nil {
		return err
	}
	x.reply(reply)
	return nil
}

// delete deletes the sandbox (contract: OPEN.LIFE.DELETE).
func (x *exchange) delete() error {
	d, wrong := x.readWrite()
	command := sandbox.Command{Scope: x.scope(), Beside: x.besides()}
	if d.known {
		command.Key, command.Fingerprint = d.key, x.fingerprint(d.body)
	}
	last, at, err := x.sandbox.Delete(x.r.Context(), command, wrong)
	if err != nil {
		return err
	}
	x.now = at
	x.data(last, x.op.Status, encode(operation.DeletedSandbox{
		SandboxID: last.SandboxID, PublicName: last.PublicName, LastSeq: last.Sequence, DeletedAt: at,
	}))
	return nil
}

// reply sends the reply of a command, new or stored.
func (x *exchange) reply(reply sandbox.Reply) {
	if x.replayed = reply.Replayed; x.replayed {
		x.w.Header().Set(wire.HeaderReplayed, "true")
	}
	if reply.Once != nil {
		reply.Body = reply.Once
	}
	x.send(reply.Status, contentJSON, reply.Body)
}

// command runs a command, after its outbound call if it has one. The result of
// that call takes the place of the input.
func (x *exchange) command(at operation.PathParams, in *any, command sandbox.Command) (sandbox.Reply, error) {
	if x.op.Outbound == nil {
		return x.sandbox.Do(x.r.Context(), command)
	}
	return x.sandbox.DoWithOutbound(x.r.Context(), command, func(tx *sandbox.Tx) (sandbox.Outbound, error) {
		outbound, err := x.op.Outbound(tx, at, *in)
		return func(ctx context.Context) { *in = outbound(ctx) }, err
	})
}

// answer is the data of a write's response, from the state that it made.
func answer(v *sandbox.View, result operation.Result) []byte {
	if result.Value != nil {
		return encode(result.Value(v))
	}
	e, ok := v.Row(result.Resource, result.ID)
	if !ok {
		panic("a write answered with a row that is not there: " + result.Resource + " " + result.ID)
	}
	return e.Row()
}
