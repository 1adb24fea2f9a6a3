package message

import "context"

// Small is the size in bytes up to which a response is counted with its connection. A larger one waits for its share
// of the memory for responses under way.
const Small = 16 << 10

// Shares gives out the memory for responses under way. Reserve waits for it, until the context ends or an error, and
// release gives it back. One request holds one share: with two, all could wait for one another.
type Shares interface {
	Reserve(ctx context.Context, bytes int64) (release func(), err error)
}

// Share is the part of the memory for responses under way that a request holds: none at first.
type Share struct {
	of      Shares
	bytes   int64
	release func()
}

// NewShare returns a share that holds nothing. The shares may be nil: then there is no bound.
func NewShare(of Shares) *Share { return &Share{of: of} }

// Take waits for a share of a size, unless one is held already or the size is small.
func (s *Share) Take(ctx context.Context, bytes int64) (err error) {
	if s == nil || s.of == nil || s.release != nil || bytes <= Small {
		return nil
	}
	s.bytes = bytes
	s.release, err = s.of.Reserve(ctx, bytes)
	return err
}

// Give gives the share back.
func (s *Share) Give() {
	if s != nil && s.release != nil {
		s.release()
		s.release = nil
	}
}

type shareKey struct{}

// Sharing returns a context in which Pause finds a share.
func (s *Share) Sharing(ctx context.Context) context.Context {
	return context.WithValue(ctx, shareKey{}, s)
}

// Pause gives back the share of a request that is about to wait. Resume takes it again.
func Pause(ctx context.Context) (resume func() error) {
	s, _ := ctx.Value(shareKey{}).(*Share)
	if s == nil || s.release == nil {
		return func() error { return nil }
	}
	s.Give()
	return func() error { return s.Take(ctx, s.bytes) }
}
