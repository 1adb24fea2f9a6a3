package storetest

import (
	"errors"
	"fmt"

	"platen/internal/store"
)

// under is a commit under a claim.
func under(fence store.Fence, c store.Commit) store.Commit {
	c.Fence = fence
	return c
}

func otherClaimsAreFenced(s *sharing) error {
	if err := s.join(); err != nil {
		return err
	}
	first, err := s.create("s")
	if err != nil {
		return err
	}
	if err := s.a.Commit(s, under(first, commitOf("s", 2))); err != nil {
		return err
	}
	if err := s.a.Leave(s, "a"); err != nil {
		return err
	}
	second, err := s.b.Claim(s, "s", first, "b")
	if err != nil {
		return err
	}
	want := imageOf("s", 2)
	want.Fence = second
	var failures error
	for name, fence := range map[string]store.Fence{
		"none": {}, "the one before": first, "none, with the number": {Epoch: second.Epoch},
		"the node, without the number": {Owner: "b"}, "the next": {Owner: "b", Epoch: second.Epoch + 1},
		"another node's": {Owner: "a", Epoch: second.Epoch},
	} {
		renamed := sandboxOf("s")
		renamed.Extensions = 7
		withHeader := under(fence, commitOf("s", 3))
		withHeader.Header = &renamed
		withRecord := under(fence, commitOf("s", 3))
		withRecord.Records = []store.Write{add(recordOf("r", "x"))}
		for what, err := range map[string]error{
			"commit":      s.a.Commit(s, under(fence, commitOf("s", 3))),
			"header":      s.a.Commit(s, withHeader),
			"with record": s.a.Commit(s, withRecord),
			"snapshot":    s.a.SaveSnapshot(s, store.Snapshot{SandboxID: "s", Version: 2, Fence: fence}),
			"deletion":    s.a.Delete(s, "s", fence),
		} {
			failures = errors.Join(failures, wants(what+" under "+name, err, store.ErrFenced))
		}
		image, err := s.b.Load(s, "s")
		failures = errors.Join(failures, err, equal("the sandbox", image, want))
	}
	_, err = s.a.Find(s, "r", "x")
	return errors.Join(failures, wants("the record of a fenced commit", err, store.ErrNotFound),
		s.b.Commit(s, under(second, commitOf("s", 3))),
		s.b.SaveSnapshot(s, store.Snapshot{SandboxID: "s", Version: 3, Fence: second}),
		wants("a commit of a deleted one", errors.Join(s.b.Delete(s, "s", second),
			s.b.Commit(s, under(second, commitOf("s", 4)))), store.ErrConflict))
}

// claimsAndCommits moves a sandbox from node to node while its owners write: once the
// next owner has its claim, nothing of the one before comes after it.
func claimsAndCommits(s *sharing) error {
	const moves = 12
	if err := s.a.Join(s, nodeOf("n0"), long, alone); err != nil {
		return err
	}
	if err := s.a.Commit(s, commitOf("s", 1)); err != nil {
		return err
	}
	fence, err := s.a.Claim(s, "s", store.Fence{}, "n0")
	if err != nil {
		return err
	}
	version := uint64(1)
	for move := range moves {
		old, next := s.a, s.b
		if move%2 == 1 {
			old, next = s.b, s.a
		}
		session := store.Session(fmt.Sprint("n", move+1))
		writes, written, claimed := make(chan error, 1), make(chan struct{}, 1), make(chan struct{})
		go func() {
			left := 10 // attempts after the claim
			for v := version + 1; left > 0; v++ {
				if err := old.Commit(s, under(fence, commitOf("s", v))); err != nil {
					writes <- err
					return
				}
				select {
				case <-claimed:
					left--
				case written <- struct{}{}:
				default:
				}
			}
			writes <- nil
		}()
		select {
		case <-written:
		case err := <-writes:
			return fmt.Errorf("the owner cannot write: %w", err)
		}
		if err := errors.Join(next.Join(s, nodeOf(session), long, alone), next.Leave(s, fence.Owner)); err != nil {
			return err
		}
		claim, err := next.Claim(s, "s", fence, session)
		if err != nil {
			return err
		}
		before, err := next.Load(s, "s")
		if err != nil {
			return err
		}
		close(claimed)
		if err := wants("the old owner", <-writes, store.ErrFenced); err != nil {
			return err
		}
		after, err := next.Load(s, "s")
		if err := errors.Join(err, equal("the sandbox after its claim", after, before)); err != nil {
			return err
		}
		fence, version = claim, uint64(len(after.Commits))
	}
	return nil
}

// claimsAreDurable: a claim that was believed is there for everybody.
func claimsAreDurable(s *sharing) error {
	if err := s.join(); err != nil {
		return err
	}
	fence, err := s.create("s")
	if err != nil {
		return err
	}
	image, err := s.b.Load(s, "s")
	return errors.Join(err, s.owned("s", fence, "a"), equal("the claim of the image", image.Fence, fence),
		s.a.Commit(s, under(fence, commitOf("s", 2))))
}
