package sandbox

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"platen/internal/sandbox/apikey"
	"platen/internal/store"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// Revoke revokes a key for good (contract: AUTH.KEY_IN_URL.REVOKED). It returns
// when that is durable. The other keys of the sandbox go on working. A key
// that belongs to no sandbox is no error.
func (r *Registry) Revoke(ctx context.Context, key string) error {
	known, ok := apikey.Parse(key)
	if !ok {
		return nil
	}
	return r.RevokeCredential(ctx, known)
}

// RevokeCredential revokes the key of a credential, as Revoke does.
func (r *Registry) RevokeCredential(ctx context.Context, c apikey.Credential) error {
	header, err := r.store.FindKey(ctx, c.Hash)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return readProblem("look up a key to revoke", err)
	}
	return r.Sandbox(header.ID).revoke(ctx, c.Hash)
}

// Existing returns those of some keys that belong to sandboxes. When none does, that costs one look-up. After an
// error the keys that were found are returned all the same.
func (r *Registry) Existing(ctx context.Context, keys []string) (existing []string, err error) {
	wanted, texts := []store.KeyHash{}, map[store.KeyHash]string{}
	for _, key := range keys {
		if known, ok := apikey.Parse(key); ok {
			wanted, texts[known.Hash] = append(wanted, known.Hash), key
		}
	}
	for len(wanted) > 0 {
		header, err := r.store.FindKey(ctx, wanted...)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return existing, readProblem("look up keys", err)
		}
		owned, before := header.Keys(), len(wanted)
		wanted = slices.DeleteFunc(wanted, func(key store.KeyHash) bool {
			found := slices.Contains(owned, key)
			if found {
				existing = append(existing, texts[key])
			}
			return found
		})
		if len(wanted) == before {
			return existing, fmt.Errorf("look up keys: the store found a sandbox that owns none of them")
		}
	}
	return existing, nil
}

// revoke takes a key out of the header. Time does not pass for it: also an
// expired sandbox loses its key.
func (s *Sandbox) revoke(ctx context.Context, key store.KeyHash) error {
	return s.withWriter(func(moment.Instant) error { return s.takeKey(ctx, key) })
}

func (s *Sandbox) takeKey(ctx context.Context, key store.KeyHash) error {
	if err := s.load(ctx); err != nil {
		if p, ok := errors.AsType[*problem.Problem](err); ok && p.Code == problem.Unauthorized {
			return nil // deleted in the meantime, and its keys with it
		}
		return err
	}
	header := s.header
	switch key {
	case header.OfficeKey:
		header.OfficeKey = store.KeyHash{}
	case header.FactoryKey:
		header.FactoryKey = store.KeyHash{}
	case header.GradingKey:
		header.GradingKey = store.KeyHash{}
	default:
		return nil // another request was faster
	}
	// From here on the key belongs to no sandbox: a request that waits for the
	// commit must not still find it.
	s.registry.markRevoked(key, true)
	err := s.commit(ctx, step{header: &header})
	if err != nil {
		s.registry.markRevoked(key, false)
	}
	return err
}

// lookUpTime is longer than the look-up of a key takes.
const lookUpTime = time.Hour

// markRevoked notes that a key belongs to no sandbox. The note stays as long as look-ups take, so that a
// request that looked the key up just before cannot bring it back into the
// table. When it is not sure, the key is only forgotten: the next lookup asks
// the store.
func (r *Registry) markRevoked(key store.KeyHash, sure bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.keys, key)
	now := r.options.Now()
	maps.DeleteFunc(r.revoked, func(other store.KeyHash, at time.Time) bool {
		return other == key || now.Sub(at) > lookUpTime
	})
	if sure {
		r.revoked[key] = now
	}
}
