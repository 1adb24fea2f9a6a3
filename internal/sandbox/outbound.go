package sandbox

import (
	"context"

	"platen/internal/sandbox/commitlog"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// Outbound is the work of a command outside of the writer's section, before the
// command runs.
type Outbound func(context.Context)

// DoWithOutbound runs a command that has an outbound call: send refuses, or
// returns it. No writer waits for the outbound call, and its receiver may send
// requests back. A second request with the same idempotency key is refused with
// request_in_progress until the command has run (contract:
// OPEN.IDEM.IN_PROGRESS). An outbound call that was begun is finished, and its
// outcome kept, also when the client is gone.
func (s *Sandbox) DoWithOutbound(ctx context.Context, cmd Command, send func(*Tx) (Outbound, error)) (Reply, error) {
	outbound, reply, err := s.reserve(ctx, cmd, send)
	if err != nil || outbound == nil {
		return reply, err
	}
	defer s.release(cmd)
	ctx = context.WithoutCancel(ctx)
	outbound(ctx)
	cmd.reserved = true
	return s.Do(ctx, cmd)
}

// reserve returns the outbound call of a command, and notes that its key is at work.
// Without an outbound call there is a stored reply.
func (s *Sandbox) reserve(ctx context.Context, cmd Command,
	send func(*Tx) (Outbound, error)) (outbound Outbound, reply Reply, err error) {
	err = s.withWriter(func(now moment.Instant) (err error) {
		var found bool
		if reply, found, err = s.prepare(ctx, cmd, now); err != nil || found {
			return err
		}
		if err = s.unreserved(cmd); err != nil {
			return err
		}
		cmd.Run = func(tx *Tx) (Result, error) { outbound, err = send(tx); return Result{}, err }
		if _, err = s.run(s.begin(ctx, now, cmd), cmd); err != nil || cmd.Key == "" {
			return err
		}
		if s.outbound == nil {
			s.outbound = map[commitlog.ReplyKey]commitlog.Fingerprint{}
		}
		s.outbound[cmd.replyKey()] = cmd.Fingerprint
		return nil
	})
	return outbound, reply, err
}

// unreserved refuses a key that is at work.
func (s *Sandbox) unreserved(cmd Command) error {
	if cmd.Key == "" {
		return nil
	}
	for _, scope := range []string{cmd.Scope, cmd.Beside} {
		switch fingerprint, under := s.outbound[commitlog.ReplyKeyOf(scope, cmd.Key)]; {
		case !under:
		case fingerprint != cmd.Fingerprint:
			return problem.New(problem.IdempotencyKeyReused,
				"This Idempotency-Key is at work for a different request.")
		default:
			return problem.New(problem.RequestInProgress,
				"The first request with this Idempotency-Key is still running.")
		}
	}
	return nil
}

func (s *Sandbox) release(cmd Command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.outbound, cmd.replyKey())
}
