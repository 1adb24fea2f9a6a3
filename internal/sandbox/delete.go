package sandbox

import (
	"context"

	"platen/internal/words/moment"
)

// Delete deletes a sandbox before its time, also one that has expired or whose
// company is bankrupt (contract: OPEN.LIFE.DELETE). It returns when that is
// durable, with the last state and the moment of the deletion; the company does
// not move on for it. Of the command only the idempotency key counts, which
// must not have been used for another request; wrong is any other fault of the
// request, which is refused after that (contract: OPEN.IDEM.FIRST). Callers
// that wait for events of the sandbox, or for their turn, are then refused with
// unauthorized.
func (s *Sandbox) Delete(ctx context.Context, cmd Command, wrong error) (last *View, at moment.Instant, err error) {
	err = s.withWriter(func(now moment.Instant) error {
		if err := s.load(ctx); err != nil {
			return err
		}
		if cmd.Key != "" {
			if _, _, err := s.storedReply(ctx, cmd); err != nil {
				return err
			}
			if err := s.unreserved(cmd); err != nil {
				return err
			}
		}
		if wrong != nil {
			return wrong
		}
		last, at = s.published.Load(), now
		if err := s.discard(context.WithoutCancel(ctx), s.header); err != nil {
			return storeProblem(s.id, err)
		}
		// A request that looked a key up just before must not bring it back.
		for _, key := range s.header.Keys() {
			s.registry.markRevoked(key, true)
		}
		return nil
	})
	return last, at, err
}
