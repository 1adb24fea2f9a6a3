package sandbox

import (
	"context"

	"platen/internal/sandbox/commitlog"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
	"platen/internal/words/wire"
)

// Result names the data of a command's response: a row, or a value of the state
// that it made.
type Result struct {
	Resource, ID string
	// Decision is set for a purchase or a trade that nothing obliges to.
	Decision bool
	Value    func(v *View) any
	// Once, when set, replaces Value in the first response: it holds a secret
	// that replays must not show.
	Once func(v *View) any
}

// Reply is a whole response as it was sent: a replay is the same to the byte.
type Reply struct {
	Status int
	Body   []byte
	// Once, when set, is sent in the place of the body, this one time: it has a
	// secret that is not stored. A replay sends the body, where it is null
	// (contract: WHK.SECRET.REPLAY).
	Once []byte
	// Replayed is set when the reply is the stored one of an earlier request.
	Replayed bool
	// At is the moment at which the command ran, also of one that was refused; 0 when it did not get so far.
	At moment.Instant
	// First and Last are the numbers of the events that the command wrote, with those of missions that it completed;
	// both are 0 for none.
	First, Last uint64
}

// pendingReply is a response that is yet to be rendered.
type pendingReply struct {
	command Command
	result  Result
	reply   *Reply
}

// render renders the whole response from the state that the command made, and returns the reply to store, nil without
// an idempotency key.
func (p *pendingReply) render(v *View) *commitlog.Reply {
	head := v.Meta(p.command.Head, p.reply.At, p.command.Offset)
	var data []byte
	if r := &p.result; r.Value != nil {
		data = wire.Encode(r.Value(v))
	} else {
		e, ok := v.Row(r.Resource, r.ID)
		if !ok {
			panic("a write answered with a row that is not there: " + r.Resource + " " + r.ID)
		}
		data = e.Row()
	}
	p.reply.Status, p.reply.Body = p.command.Status, wire.Success(&head, data)
	if p.result.Once != nil {
		p.reply.Once = wire.Success(&head, wire.Encode(p.result.Once(v)))
	}
	if p.command.Key == "" {
		return nil
	}
	return &commitlog.Reply{
		Key: p.command.replyKey(), Fingerprint: p.command.Fingerprint, Status: p.reply.Status, Body: p.reply.Body,
	}
}

func (c *Command) replyKey() commitlog.ReplyKey { return commitlog.ReplyKeyOf(c.Scope, c.Key) }

// storedReply looks for the reply of an earlier request with the same key. The
// sandbox must be loaded.
func (s *Sandbox) storedReply(ctx context.Context, cmd Command) (Reply, bool, error) {
	for _, scope := range []string{cmd.Scope, cmd.Beside} {
		key := commitlog.ReplyKeyOf(scope, cmd.Key)
		version, used := s.log.Reply(key)
		if !used {
			continue
		}
		reply, err := commitlog.ReadReply(ctx, s.registry.store, s.id, version, key)
		if err != nil {
			return Reply{}, false, readProblem("read stored reply", err)
		}
		if reply.Fingerprint != cmd.Fingerprint {
			return Reply{}, false, problem.New(problem.IdempotencyKeyReused,
				"This Idempotency-Key was used before for a different request.")
		}
		return Reply{Status: reply.Status, Body: reply.Body, Replayed: true}, true, nil
	}
	return Reply{}, false, nil
}

// ReplayOrRefuse returns the outcomes that do not depend on what a command
// does: the stored reply of an earlier request, a refusal since its key was
// used for a different one, or one since the sandbox takes no writes any more.
// Not found and no error is none of these.
func (s *Sandbox) ReplayOrRefuse(ctx context.Context, cmd Command) (reply Reply, found bool, err error) {
	err = s.withWriter(func(now moment.Instant) (err error) {
		if reply, found, err = s.prepare(ctx, cmd, now); err == nil && !found {
			err = s.unreserved(cmd)
		}
		return err
	})
	return reply, found, err
}
