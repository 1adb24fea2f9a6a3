package sandbox

import (
	"context"
	"errors"

	"platen/internal/sandbox/apikey"
	"platen/internal/store"
	"platen/internal/words/problem"
)

// KeysOf returns the keys of both systems of the sandbox that a credential opens, or
// refuses as Recognise does.
func (r *Registry) KeysOf(ctx context.Context, c apikey.Credential) (apikey.Pair, error) {
	header, err := r.store.FindKey(ctx, c.Hash)
	if errors.Is(err, store.ErrNotFound) || err == nil && !r.options.Now().Before(header.DeleteAt) {
		return apikey.Pair{}, errUnknownKey()
	}
	if err != nil {
		return apikey.Pair{}, readProblem("look up the keys of a sandbox", err)
	}
	return apikey.Pair{SandboxID: header.ID, Office: header.OfficeKey, Factory: header.FactoryKey}, nil
}

// Authenticate returns the caller that a key belongs to. A key that is unknown,
// revoked or of a deleted sandbox is refused with unauthorized, all alike
// (contract: AUTH.INVALID).
func (r *Registry) Authenticate(ctx context.Context, key string) (Caller, error) {
	c, ok := apikey.Parse(key)
	if !ok {
		return Caller{}, errUnknownKey()
	}
	return r.Recognise(ctx, c)
}

// Recognise returns the caller that a credential belongs to, as Authenticate
// does for its key.
func (r *Registry) Recognise(ctx context.Context, c apikey.Credential) (Caller, error) {
	r.mu.RLock()
	caller, known := r.keys[c.Hash]
	r.mu.RUnlock()
	claim := uint64(0) // while this server has one, no other server changes the keys
	if known {
		held, _ := r.options.Ownership.Held(caller.SandboxID)
		claim = held.Epoch
	}
	// A lease may have been extended while its key was looked up: a sandbox
	// that seems to be over is looked up again. So is one that has come to this
	// server since: the server that had it may have revoked the key.
	if !known || !r.options.Now().Before(caller.deleteAt) || claim != caller.epoch {
		header, err := r.store.FindKey(ctx, c.Hash)
		if errors.Is(err, store.ErrNotFound) {
			return Caller{}, errUnknownKey()
		}
		if err != nil {
			return Caller{}, readProblem("look up key", err)
		}
		caller = Caller{
			SandboxID: header.ID, System: c.System, Evaluation: header.Evaluation,
			deleteAt: header.DeleteAt, epoch: claim,
		}
		r.remember(c.Hash, caller)
	}
	if !r.options.Now().Before(caller.deleteAt) {
		return Caller{}, errUnknownKey()
	}
	caller.System = c.System // the credential of a reviewer is found by a key that opens more
	return caller, nil
}

// ReviewToken returns the token of a reviewer's link to the sandbox that a credential opens; not ok for a sandbox one
// key of which was revoked.
func (r *Registry) ReviewToken(ctx context.Context, c apikey.Credential) (token string, ok bool, err error) {
	keys, err := r.KeysOf(ctx, c)
	if err != nil {
		return "", false, err
	}
	token, ok = r.options.Reviews.Token(&keys)
	return token, ok, nil
}

// Reviewer returns the credential of the token of a reviewer's link, or refuses as Recognise does.
func (r *Registry) Reviewer(ctx context.Context, token string) (apikey.Credential, error) {
	review, ok := apikey.ParseReview(token)
	if !ok {
		return apikey.Credential{}, errUnknownKey()
	}
	keys, err := r.KeysOf(ctx, apikey.Credential{Hash: review.Office})
	if err != nil {
		return apikey.Credential{}, err
	}
	c, ok := r.options.Reviews.Credential(review, &keys)
	if !ok {
		return apikey.Credential{}, errUnknownKey()
	}
	return c, nil
}

// Remembered returns the caller that a key belongs to as Authenticate does, but
// only of keys that were looked up before: it asks no storage.
func (r *Registry) Remembered(key string) (Caller, error) {
	c, ok := apikey.Parse(key)
	if !ok {
		return Caller{}, errUnknownKey()
	}
	return r.Recall(c)
}

// Recall returns the caller that a credential belongs to, as Remembered does
// for its key.
func (r *Registry) Recall(c apikey.Credential) (Caller, error) {
	r.mu.RLock()
	caller, known := r.keys[c.Hash]
	r.mu.RUnlock()
	if !known || !r.options.Now().Before(caller.deleteAt) {
		return Caller{}, errUnknownKey()
	}
	caller.System = c.System
	return caller, nil
}

func errUnknownKey() error {
	return problem.New(problem.Unauthorized, "The key is unknown, revoked, or of a sandbox that has been deleted.")
}

func (r *Registry) remember(hash store.KeyHash, caller Caller) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.keys) >= maxKnownKeys {
		clear(r.keys)
	}
	if _, revoked := r.revoked[hash]; revoked {
		return // since it was looked up
	}
	r.keys[hash] = caller
}
