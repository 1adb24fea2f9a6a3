package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"platen/internal/moment"
	"platen/internal/problem"
)

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
}

// Fingerprint is the SHA-256 of a request's method, path, query and body.
type Fingerprint [sha256.Size]byte

// replyKey is the start of the SHA-256 of an idempotency key and its scope.
type replyKey [16]byte

type storedReply struct {
	key         replyKey
	fingerprint Fingerprint
	status      int
	body        []byte
}

// pendingReply is a response that is yet to be rendered.
type pendingReply struct {
	command Command
	reply   *Reply
}

// stored returns the reply to store, nil without an idempotency key.
func (p *pendingReply) stored() *storedReply {
	if p.command.Key == "" {
		return nil
	}
	return &storedReply{
		key: p.command.replyKey(), fingerprint: p.command.Fingerprint, status: p.reply.Status, body: p.reply.Body,
	}
}

func (c *Command) replyKey() replyKey { return replyKeyOf(c.Scope, c.Key) }

func replyKeyOf(scope, key string) replyKey {
	sum := sha256.Sum256([]byte(scope + "\x00" + key))
	return replyKey(sum[:16])
}

// usedKey is the key's name in the scope in which it was used. ok is false for a
// key that was not used.
func (s *Sandbox) usedKey(c *Command) (used replyKey, version uint64, ok bool) {
	for _, scope := range []string{c.Scope, c.Beside} {
		used = replyKeyOf(scope, c.Key)
		if version, ok = s.log.replies[used]; ok {
			return used, version, true
		}
	}
	return replyKey{}, 0, false
}

// storedReply looks for the reply of an earlier request with the same key. The
// sandbox must be loaded.
func (s *Sandbox) storedReply(ctx context.Context, cmd Command) (Reply, bool, error) {
	key, version, ok := s.usedKey(&cmd)
	if !ok {
		return Reply{}, false, nil
	}
	commits, err := s.registry.store.Commits(ctx, s.id, version, version)
	if err != nil {
		return Reply{}, false, readProblem("read stored reply", err)
	}
	if len(commits) != 1 {
		return Reply{}, false, fmt.Errorf("commit %d of sandbox %s is missing", version, s.id)
	}
	body, err := decodeCommit(commits[0].Body, version)
	if err != nil {
		return Reply{}, false, err
	}
	if body.reply == nil || body.reply.key != key {
		return Reply{}, false, fmt.Errorf("commit %d of sandbox %s holds another reply", version, s.id)
	}
	if body.reply.fingerprint != cmd.Fingerprint {
		return Reply{}, false, problem.New(problem.IdempotencyKeyReused,
			"This Idempotency-Key was used before for a different request.")
	}
	return Reply{Status: body.reply.status, Body: body.reply.body, Replayed: true}, true, nil
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

// append writes the stored form. A nil reply is one byte.
func (r *storedReply) append(b []byte) []byte {
	if r == nil {
		return append(b, 0)
	}
	b = append(b, 1)
	b = append(b, r.key[:]...)
	b = append(b, r.fingerprint[:]...)
	b = binary.AppendUvarint(b, uint64(r.status))
	return append(b, r.body...)
}

func readReply(b []byte) (*storedReply, error) {
	if len(b) == 0 {
		return nil, errBody
	}
	if b[0] == 0 {
		return nil, nil //nolint:nilnil // a commit without a reply
	}
	r := &storedReply{}
	b = b[1:]
	if len(b) < len(r.key)+len(r.fingerprint) {
		return nil, errBody
	}
	b = b[copy(r.key[:], b):]
	b = b[copy(r.fingerprint[:], b):]
	status, b, err := readNumber(b)
	r.status, r.body = int(status), b
	return r, err
}
