package api

import (
	"cmp"
	"net/http"

	"platen/internal/api/message"
	"platen/internal/desk/activity"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/wire"
)

// object sends a value computed from the present state.
func (x *exchange) object() (*message.Response, error) {
	if x.Archive {
		return x.export()
	}
	sent, err := x.query()
	if err != nil {
		return nil, err
	}
	v, value, err := x.value(sent)
	if err != nil {
		return nil, err
	}
	data := wire.Encode(value)
	x.tag(message.Hash(data))
	if out := x.unchanged(); out != nil {
		return out, nil
	}
	return x.data(v, x.op.Status, data), nil
}

// value computes the data of an object, and the state that it is of.
func (x *exchange) value(sent *arguments) (*sandbox.View, any, error) {
	v, err := x.present()
	if err != nil {
		return nil, nil, err
	}
	r := operation.Reading{Context: x.Context(), Sandbox: x.Sandbox, View: v, At: x.now, Grades: grades(x.Request)}
	if x.op.Since {
		r.Since = sent.numbers[operation.ParameterSince]
	}
	return x.op.Read(&r)
}

// writeRequest holds the parts of a write that the client sent.
type writeRequest struct {
	// key is the idempotency key, body the body that came with it, known set
	// when both could be read.
	key   string
	body  []byte
	known bool
	// version is the one that If-Match requires.
	version precondition
}

// readWrite reads a write whole, its body into a value, and returns an error for a malformed one.
func (x *exchange) readWrite(in any) (d writeRequest, err error) {
	rule := x.op.Key
	if x.dry {
		rule = operation.KeyAccepted // and not used up
	}
	key, unkeyed := idempotencyKey(x.HTTP.Header, rule)
	if creates := x.op.Kind == operation.Creation || x.op.Kind == operation.Fork; creates && unkeyed == nil {
		unkeyed = x.shortKeyRefused(key)
	}
	body, unread := x.Body.Bytes()
	d = writeRequest{key: key, body: body, known: unkeyed == nil && unread == nil}
	_, err = x.query()
	var mismatched error
	d.version, mismatched = readPrecondition(x.HTTP.Header, &x.op.Operation)
	if err := cmp.Or(err, mismatched, unkeyed, unread); err != nil {
		return d, err
	}
	return d, x.input(body, in)
}

// command is the command of a write, with its key once that is known.
func (x *exchange) command(d writeRequest) sandbox.Command {
	scope, beside := x.Scope()
	command := sandbox.Command{Scope: scope, Beside: beside}
	if d.known {
		command.Key, command.Fingerprint = d.key, x.Fingerprint(d.body)
	}
	return command
}

// replayOrRefuse handles a write that is malformed. An idempotency key that was
// used before, and a sandbox that takes no writes, are refused before what is wrong
// with the request itself (contract: IDEM.REUSED, LIFE.EXPIRED, LIFE.BANKRUPT).
func (x *exchange) replayOrRefuse(d writeRequest, wrong error) (*message.Response, error) {
	reply, found, err := x.Sandbox.ReplayOrRefuse(x.Context(), x.command(d))
	switch {
	case err != nil:
		return nil, err
	case found:
		return replied(reply), nil
	default:
		return nil, wrong
	}
}

// write runs a command, or replays its stored reply.
func (x *exchange) write() (*message.Response, error) {
	typed := x.op.New()
	d, err := x.readWrite(typed.Body())
	if x.dry {
		return x.dryRun(typed, err)
	}
	if err != nil {
		return x.replayOrRefuse(d, err)
	}
	command := x.command(d)
	x.facts.Press = typed.Press()
	if x.Conditions.KeyWrites {
		x.facts.Key = x.WriteKey(d.key, command.Fingerprint)
	}
	id, err := x.id()
	if err != nil {
		return nil, err
	}
	if x.Conditions.KeyWrites {
		x.facts.Intent = x.Intent(id, typed.Body())
	}
	at := operation.PathParams{ID: id, DeliveryID: x.HTTP.PathValue("delivery_id")}
	command.Status, command.Head, command.Offset = x.op.Status, x.Head(), x.Conditions.Offset
	command.Trace = traceOf(x.HTTP.Header)
	command.Run = func(tx *sandbox.Tx) (sandbox.Result, error) {
		if err := x.holds(d.version, tx, id); err != nil {
			return sandbox.Result{}, err
		}
		after := tx.Sequence()
		result, err := typed.Run(tx, at)
		if err == nil && x.facts.Intent != nil {
			x.facts.Intent.Made, x.facts.Intent.After, x.facts.Intent.Last = result.ID, after, tx.Sequence()
		}
		if x.Conditions.KeyWrites && result.Decision && err == nil {
			x.facts.Made = x.decision(tx, result, typed.Body(), after)
		}
		return result, err
	}
	var reply sandbox.Reply
	if x.op.Calls {
		reply, err = x.Sandbox.DoWithOutbound(x.Context(), command,
			func(tx *sandbox.Tx) (sandbox.Outbound, error) {
				if err := x.holds(d.version, tx, id); err != nil {
					return nil, err
				}
				d.version = nil // an outbound call that was made is recorded
				return typed.Outbound(tx, at)
			})
	} else {
		reply, err = x.Sandbox.Do(x.Context(), command)
	}
	if reply.At > 0 {
		x.now = reply.At
	}
	if err != nil {
		return nil, err
	}
	return replied(reply), nil
}

// decision describes the decision that a write carried out, for the score of the integration.
func (x *exchange) decision(tx *sandbox.Tx, made sandbox.Result, body any, after uint64) *activity.Decision {
	return &activity.Decision{
		Resource: made.Resource, ID: made.ID, Content: x.Content(body),
		Day: tx.Company.Day(), After: after, Last: tx.Sequence(),
	}
}

// dryRun says what a write would do. One that was read with an error is refused with it,
// where the sandbox still takes writes.
func (x *exchange) dryRun(typed operation.Command, wrong error) (*message.Response, error) {
	var value any
	v, at, err := x.Sandbox.Try(x.Context(), func(tx *sandbox.Tx) (err error) {
		if wrong != nil {
			return wrong
		}
		value, err = typed.Try(tx)
		return err
	})
	if at > 0 {
		x.now = at
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // a problem, or the name of what failed
	}
	return x.data(v, http.StatusOK, wire.Encode(value)), nil
}

// delete deletes the sandbox (contract: OPEN.LIFE.DELETE).
func (x *exchange) delete() (*message.Response, error) {
	d, wrong := x.readWrite(new(struct{}))
	last, at, err := x.Sandbox.Delete(x.Context(), x.command(d), wrong)
	if err != nil {
		return nil, err
	}
	x.now = at
	return x.data(last, x.op.Status, wire.Encode(operation.DeletedSandbox{
		SandboxID: last.SandboxID, PublicName: last.PublicName, LastSeq: last.Sequence, DeletedAt: at,
	})), nil
}

// replied is the reply of a command, new or stored.
func replied(reply sandbox.Reply) *message.Response {
	out := &message.Response{
		Status: reply.Status, Raw: reply.Body, Replayed: reply.Replayed, First: reply.First, Last: reply.Last,
	}
	if reply.Once != nil {
		out.Raw = reply.Once
		out.Secret()
	}
	return out
}
