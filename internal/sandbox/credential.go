package sandbox

import (
	"context"
	"errors"

	"platen/internal/problem"
	"platen/internal/store"
)

// Credential is a key by its hash and the system that it opens: its holder can
// act as the key does and cannot disclose the key. The zero Credential belongs
// to no sandbox.
type Credential struct {
	Hash   store.KeyHash
	System System
}

// CredentialOf returns the credential of a key. Text that cannot be a key is
// not ok.
func CredentialOf(key string) (credential Credential, ok bool) {
	hash, system, ok := HashKey(key)
	return Credential{Hash: hash, System: system}, ok
}

// Keys are the hashes of both keys of a sandbox. A hash is zero when its key was
// revoked.
type Keys struct {
	SandboxID       string
	Office, Factory store.KeyHash
}

// Credential returns that of one system.
func (k *Keys) Credential(s System) Credential {
	if s == Office {
		return Credential{Hash: k.Office, System: Office}
	}
	return Credential{Hash: k.Factory, System: Factory}
}

// KeysOf returns both keys of the sandbox that a credential opens, or refuses as
// Recognise does.
func (h *Registry) KeysOf(ctx context.Context, c Credential) (Keys, error) {
	header, err := h.store.FindKey(ctx, c.Hash)
	if errors.Is(err, store.ErrNotFound) || err == nil && !h.options.Now().Before(header.DeleteAt) {
		return Keys{}, errUnknownKey()
	}
	if err != nil {
		return Keys{}, readProblem("look up the keys of a sandbox", err)
	}
	return Keys{SandboxID: header.ID, Office: header.OfficeKey, Factory: header.FactoryKey}, nil
}

// Authenticate returns the caller that a key belongs to. A key that is unknown,
// revoked or of a deleted sandbox is refused with unauthorized, all alike
// (contract: AUTH.INVALID).
func (h *Registry) Authenticate(ctx context.Context, key string) (Caller, error) {
	c, ok := CredentialOf(key)
	if !ok {
		return Caller{}, errUnknownKey()
	}
	return h.Recognise(ctx, c)
}

// Recognise returns the caller that a credential belongs to, as Authenticate
// does for its key.
func (h *Registry) Recognise(ctx context.Context, c Credential) (Caller, error) {
	h.mu.RLock()
	caller, known := h.keys[c.Hash]
	h.mu.RUnlock()
	// A lease may have been extended while its key was looked up: a sandbox
	// that seems to be over is looked up again.
	if !known || !h.options.Now().Before(caller.deleteAt) {
		header, err := h.store.FindKey(ctx, c.Hash)
		if errors.Is(err, store.ErrNotFound) {
			return Caller{}, errUnknownKey()
		}
		if err != nil {
			return Caller{}, readProblem("look up key", err)
		}
		caller = Caller{SandboxID: header.ID, System: c.System, deleteAt: header.DeleteAt}
		h.remember(c.Hash, caller)
	}
	if !h.options.Now().Before(caller.deleteAt) {
		return Caller{}, errUnknownKey()
	}
	return caller, nil
}

// Remembered returns the caller that a key belongs to as Authenticate does, but
// only of keys that were looked up before: it asks no storage.
func (h *Registry) Remembered(key string) (Caller, error) {
	c, ok := CredentialOf(key)
	if !ok {
		return Caller{}, errUnknownKey()
	}
	return h.Recall(c)
}

// Recall returns the caller that a credential belongs to, as Remembered does
// for its key.
func (h *Registry) Recall(c Credential) (Caller, error) {
	h.mu.RLock()
	caller, known := h.keys[c.Hash]
	h.mu.RUnlock()
	if !known || !h.options.Now().Before(caller.deleteAt) {
		return Caller{}, errUnknownKey()
	}
	return caller, nil
}

func errUnknownKey() error {
	return problem.New(problem.Unauthorized, "The key is unknown, revoked, or of a sandbox that has been deleted.")
}

func (h *Registry) remember(hash store.KeyHash, caller Caller) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.keys) >= maxKnownKeys {
		clear(h.keys)
	}
	if known, ok := h.keys[hash]; ok && known == (Caller{}) {
		return // disowned since it was looked up
	}
	h.keys[hash] = caller
}
