package admission_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"platen/internal/edge/admission"
	"platen/internal/words/problem"
)

// FuzzProof: a header that proves no work of ours makes nothing, and is told
// so with a task (ERR.POW_REQUIRED). The place of the last proof is still there.
func FuzzProof(f *testing.F) {
	b := open(f, func(o *admission.Options) { o.Difficulty, o.Capacity = 16, 1 })
	_, _, err := b.create("net")
	challenge := b.wantCode("without a proof", err, problem.PowRequired).Details.(admission.PowDetails).Challenge
	for _, seed := range []string{
		"", ".", challenge, challenge + ".", challenge + ".1", challenge + ".-1", "." + challenge, challenge + "=.1",
		challenge + ".1.1", challenge[1:] + ".1", strings.Repeat("1", 9000),
	} {
		f.Add(seed)
	}
	good := solve(challenge, 16, true)
	f.Fuzz(func(t *testing.T, proof string) {
		if proof == good {
			return // the fuzzer has done the work
		}
		reply, err := b.controller.Create(context.Background(), b.request("net", proven(proof)))
		p, ok := errors.AsType[*problem.Problem](err)
		if !ok || p.Code != problem.PowRequired || reply.Status != 0 {
			t.Fatalf("%q is answered %d, %v", proof, reply.Status, err)
		}
		details, ok := p.Details.(admission.PowDetails)
		if !ok || details.Challenge == "" || details.Reason != "wrong" && details.Reason != "stale" {
			t.Errorf("%q is refused with %+v", proof, p.Details)
		}
	})
}

// FuzzTicket: no id but that of a ticket finds it, and a request with another
// id changes no position in the queue (ERR.TICKET_NOT_FOUND).
func FuzzTicket(f *testing.F) {
	b := open(f, func(o *admission.Options) { o.Capacity = 1 })
	b.create("first")
	_, ticket, err := b.create("second")
	if err != nil || ticket == "" {
		f.Fatalf("the ticket is %q, %v", ticket, err)
	}
	for _, seed := range []string{
		"", "tkt_", ticket, strings.ToUpper(ticket), ticket + "0", ticket[:len(ticket)-1], " " + ticket,
		strings.Repeat("0", 70_000), "tkt_\x00", "%74kt_",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, id string) {
		reply, stands, err := b.controller.Poll(context.Background(), id, "", b.make)
		if id == ticket {
			if err != nil || stands == nil || stands.Position != 1 {
				t.Errorf("the ticket is answered %+v, %v", stands, err)
			}
			return
		}
		if p, ok := errors.AsType[*problem.Problem](err); !ok || p.Code != problem.TicketNotFound || stands != nil ||
			reply.Status != 0 {
			t.Errorf("%q is answered %+v %+v, %v", id, reply, stands, err)
		}
		if stands, err := b.controller.Inspect(ticket); err != nil || stands == nil || stands.Position != 1 {
			t.Errorf("after %q the ticket stands at %+v, %v", id, stands, err)
		}
	})
}
