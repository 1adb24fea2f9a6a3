package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"platen/internal/api/message"
	"platen/internal/edge/admission"
	"platen/internal/operation"
	"platen/internal/sandbox"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// commitsToACreation is for how many commits that a fork copies it counts as one more creation (contract:
// OPEN.FORK.WEIGHT): they take some two megabytes of the disk.
const commitsToACreation = 2000

// fork makes a sandbox from that of the caller (contract: OPEN.FORK.CREATE). Where
// the sandbox is served it is decided what is forked; where places are handed out the fork is made,
// of commits that never change.
func (x *exchange) fork() (*message.Response, error) {
	if err := x.mayFork(); err != nil {
		return nil, err
	}
	var wanted operation.ForkSandbox
	d, wrong := x.readWrite(&wanted)
	if !d.known {
		return nil, wrong
	}
	found, err := x.forkable(&wanted, wrong)
	if err != nil {
		return nil, err
	}
	decided, err := json.Marshal(found)
	if err != nil {
		return nil, fmt.Errorf("say what is to be forked: %w", err)
	}
	controller, out, err := x.places(decided)
	if out != nil || err != nil {
		return out, err
	}
	// The same key and body for another sandbox are another request.
	sent := x.Fingerprint(d.body)
	of := sha256.Sum256(append(sent[:], x.Caller.SandboxID...))
	reply, err := controller.Create(x.Context(), admission.Request{
		Order: admission.Order{Network: x.Network.String()}, NoTicket: true, Wrong: found.wrong(),
		Weight: 1 + int(found.Base.Version/commitsToACreation),
		Key:    d.key, Fingerprint: of,
		Proof: x.HTTP.Header.Values(wire.HeaderProof),
		Make: func(ctx context.Context, order admission.Order,
			records func(admission.Reply) sandbox.Records) (admission.Reply, error) {
			return x.makeFork(ctx, &found, order.Network, records)
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

// forkable is the decision about a fork: its base, or the error.
type forkable struct {
	Base sandbox.ForkBase `json:"base"`
	// Date is the in-world date of the sandbox that is forked, ExpiresInS the rest of its lease in seconds.
	Date       moment.Date      `json:"date"`
	ExpiresInS int64            `json:"expires_in_s"`
	Refusal    *problem.Problem `json:"refusal,omitempty"`
}

// wrong is why there is nothing to fork, nil for nothing.
func (f *forkable) wrong() error {
	if f.Refusal == nil {
		return nil
	}
	return f.Refusal
}

// forkable decides what is forked, or reads what was decided. wrong is an error of the request itself.
func (x *exchange) forkable(wanted *operation.ForkSandbox, wrong error) (f forkable, err error) {
	if x.Decided != nil {
		if err := json.Unmarshal(x.Decided, &f); err != nil {
			return f, fmt.Errorf("read what is to be forked: %w", err)
		}
		return f, nil
	}
	if wrong == nil {
		f.Base, wrong = x.base(wanted)
	}
	if v := x.Sandbox.Published(); v != nil {
		head := message.MetaOf(x.Request, v, x.now)
		f.Date, f.ExpiresInS = head.SimDate, head.ExpiresInS
	}
	if wrong == nil || errors.As(wrong, &f.Refusal) {
		return f, nil
	}
	return f, wrong
}

// base is the state that the body of a fork asks for.
func (x *exchange) base(wanted *operation.ForkSandbox) (sandbox.ForkBase, error) {
	point, err := wanted.Point()
	if err != nil {
		return sandbox.ForkBase{}, err //nolint:wrapcheck // a problem
	}
	return x.Sandbox.Base(x.Context(), point)
}

func (x *exchange) makeFork(ctx context.Context, of *forkable, network string,
	records func(admission.Reply) sandbox.Records) (admission.Reply, error) {
	base := of.Base
	head := message.MetaOf(x.Request, nil, x.now)
	head.SimDate, head.ExpiresInS = of.Date, of.ExpiresInS
	reply := admission.Reply{Status: http.StatusCreated}
	_, err := x.server.registry.Fork(ctx, sandbox.Forking{
		Base: base, Network: network,
		Records: func(created sandbox.Created) sandbox.Records {
			reply.Body = wire.Success(&head, wire.Encode(operation.ForkedSandbox{
				NewSandbox: newSandbox(created),
				ForkedFrom: operation.ForkedFrom{SandboxID: base.SandboxID, Seq: created.Seq},
			}))
			return records(reply)
		},
	})
	return reply, err
}
