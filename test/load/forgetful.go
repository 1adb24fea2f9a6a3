package main

import (
	"context"
	"sync"
	"time"

	"platen/internal/store"
)

// forgetful is a store that writes nothing: it keeps the headers, checks the
// versions, and lets every body go. It is what a disk costs nothing with. A
// sandbox over it lives as long as it stays in memory.
type forgetful struct {
	// mu guards the maps.
	mu       sync.Mutex
	versions map[string]uint64
	headers  map[string]store.Sandbox
	keys     map[store.KeyHash]string
}

var _ store.Store = (*forgetful)(nil)

func newForgetful() *forgetful {
	return &forgetful{
		versions: map[string]uint64{}, headers: map[string]store.Sandbox{}, keys: map[store.KeyHash]string{},
	}
}

// Commit implements store.Store.
func (f *forgetful) Commit(_ context.Context, c store.Commit) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.Version != f.versions[c.SandboxID]+1 || c.Version == 1 && c.Header == nil {
		return store.ErrConflict
	}
	f.versions[c.SandboxID] = c.Version
	if c.Header != nil {
		f.headers[c.SandboxID] = *c.Header
		f.keys[c.Header.OfficeKey], f.keys[c.Header.FactoryKey] = c.SandboxID, c.SandboxID
	}
	return nil
}

// Commits implements store.Store.
func (f *forgetful) Commits(context.Context, string, uint64, uint64) ([]store.Commit, error) {
	return nil, store.ErrNotFound
}

// Load implements store.Store.
func (f *forgetful) Load(context.Context, string) (store.Image, error) {
	return store.Image{}, store.ErrNotFound
}

// SaveSnapshot implements store.Store.
func (f *forgetful) SaveSnapshot(context.Context, store.Snapshot) error { return nil }

// FindKey implements store.Store.
func (f *forgetful) FindKey(_ context.Context, key store.KeyHash) (store.Sandbox, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	id, ok := f.keys[key]
	if !ok {
		return store.Sandbox{}, store.ErrNotFound
	}
	return f.headers[id], nil
}

// Due implements store.Store.
func (f *forgetful) Due(context.Context, time.Time, int) ([]store.Sandbox, error) {
	return nil, nil
}

// Count implements store.Store.
func (f *forgetful) Count(context.Context) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.versions), nil
}

// Delete implements store.Store.
func (f *forgetful) Delete(_ context.Context, id string, _ store.Fence) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	header := f.headers[id]
	delete(f.keys, header.OfficeKey)
	delete(f.keys, header.FactoryKey)
	delete(f.headers, id)
	delete(f.versions, id)
	return nil
}

// Write implements store.Store.
func (f *forgetful) Write(context.Context, []store.Write) error { return nil }

// Find implements store.Store.
func (f *forgetful) Find(context.Context, string, string) (store.Record, error) {
	return store.Record{}, store.ErrNotFound
}

// Kinds finds none.
func (f *forgetful) Kinds(context.Context) ([]string, error) { return nil, nil }

// List implements store.Store.
func (f *forgetful) List(context.Context, string) ([]store.Record, error) { return nil, nil }

// Clear implements store.Store.
func (f *forgetful) Clear(context.Context, time.Time, int) (int, error) { return 0, nil }

// Ping implements store.Store.
func (f *forgetful) Ping(context.Context) error { return nil }

// Close implements store.Store.
func (f *forgetful) Close() error { return nil }
