package api

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"platen/internal/admission"
	"platen/internal/operation"
	"platen/internal/problem"
	"platen/internal/sandbox"
	"platen/internal/wire"
)

// commitsToACreation is for how many commits that a fork copies it counts as one more creation (contract:
// OPEN.FORK.WEIGHT): they take some two megabytes of the disk.
const commitsToACreation = 2000

// fork makes a sandbox from that of the caller (contract: OPEN.FORK.CREATE). The
// node that owns it says what is forked; the one that hands out places makes the fork,
// of commits that never change.
func (x *exchange) fork() error {
	if err := x.mayFork(); err != nil {
		return err
	}
	d, wrong := x.readWrite()
	if !d.known {
		return wrong
	}
	if x.bodySent = d.body; d.body == nil { // it may have to be sent on, and is read now
		x.bodySent = []byte{}
	}
	found, err := x.forkable(d.in, wrong)
	if err != nil {
		return err
	}
	controller, answered, err := x.controller()
	if answered || err != nil {
		return err
	}
	// The same key and body for another sandbox are another request.
	sent := x.fingerprint(d.body)
	of := sha256.Sum256(append(sent[:], x.caller.SandboxID...))
	reply, err := controller.Create(x.r.Context(), admission.Request{
		Order: admission.Order{Network: x.group.String()}, NoTicket: true, Wrong: found.wrong(),
		Weight: 1 + int(found.Base.Version/commitsToACreation),
		Key:    d.key, Fingerprint: of,
		Proof: x.r.Header.Values(wire.HeaderProof),
		Make: func(ctx context.Context, order admission.Order,
			records func(admission.Reply) sandbox.Records) (admission.Reply, error) {
			return x.makeFork(ctx, found.Base, order.Network, records)
		},
	})
	if err != nil {
		return err
	}
	x.made(reply)
	return nil
}

// forkable is what the owner of a sandbox says of a fork: of what, or why not.
type forkable struct {
	Base    sandbox.ForkBase `json:"base"`
	Refusal *problem.Problem `json:"refusal,omitempty"`
}

// wrong is why there is nothing to fork, nil for nothing.
func (f *forkable) wrong() error {
	if f.Refusal == nil {
		return nil
	}
	return f.Refusal
}

// forkable finds out what is forked, or reads what the owner of the sandbox said. wrong
// is a fault of the request itself.
func (x *exchange) forkable(in any, wrong error) (f forkable, err error) {
	if x.finishes() {
		if err := json.Unmarshal(x.forwarded.Decided, &f); err != nil {
			return f, fmt.Errorf("read what is to be forked: %w", err)
		}
		return f, nil
	}
	if wrong == nil {
		f.Base, wrong = x.base(in)
	}
	if wrong == nil || errors.As(wrong, &f.Refusal) {
		x.decided, err = json.Marshal(f)
		return f, err //nolint:wrapcheck // our own type always encodes
	}
	return f, wrong
}

// base is the state that the body of a fork asks for.
func (x *exchange) base(in any) (sandbox.ForkBase, error) {
	wanted, ok := in.(*operation.ForkSandbox)
	if !ok {
		return sandbox.ForkBase{}, fmt.Errorf("a fork takes a body of type %T", in)
	}
	point, err := wanted.Point()
	if err != nil {
		return sandbox.ForkBase{}, err //nolint:wrapcheck // a problem
	}
	return x.sandbox.Base(x.r.Context(), point)
}

func (x *exchange) makeFork(ctx context.Context, base sandbox.ForkBase, network string,
	records func(admission.Reply) sandbox.Records) (admission.Reply, error) {
	reply := admission.Reply{Status: http.StatusCreated}
	_, err := x.server.registry.Fork(ctx, sandbox.Forking{
		Base: base, Network: network,
		Records: func(created sandbox.Created) sandbox.Records {
			reply.Body = x.success(nil, encode(operation.ForkedSandbox{
				NewSandbox: newSandbox(created),
				ForkedFrom: operation.ForkedFrom{SandboxID: base.SandboxID, Seq: base.Sequence},
			}))
			return records(reply)
		},
	})
	return reply, err
}
