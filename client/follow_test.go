package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"platen/client"
)

// eventPage is a page of the feed; next is the cursor of the one behind it.
func eventPage(lastSeq uint64, next string, seqs ...uint64) step {
	items := make([]string, len(seqs))
	for i, seq := range seqs {
		items[i] = fmt.Sprintf(`{"id":"evt_%d","seq":%d,"type":"hr.employee.sick","data":{}}`, seq, seq)
	}
	cursor := "null"
	if next != "" {
		cursor = `"` + next + `"`
	}
	return success(fmt.Sprintf(`{"items":[%s],"last_seq":%d,"next_cursor":%s}`,
		strings.Join(items, ","), lastSeq, cursor))
}

// memory is a checkpoint that notes what it is told.
type memory struct {
	saved   []uint64
	failing error
}

func (m *memory) Load(context.Context) (uint64, error) {
	if len(m.saved) == 0 {
		return 0, nil
	}
	return m.saved[len(m.saved)-1], nil
}

func (m *memory) Save(ctx context.Context, seq uint64) error {
	if err := errors.Join(m.failing, ctx.Err()); err != nil {
		return err
	}
	m.saved = append(m.saved, seq)
	return nil
}

// errKilled simulates the end of the process between an effect and its checkpoint.
var errKilled = errors.New("killed")

var gone = refusal(401, client.CodeUnauthorized, false, "")

// afterSeqs are the numbers behind which a fake server was asked for events.
func afterSeqs(t *testing.T, f *fake, path string) []string {
	t.Helper()
	var numbers []string
	for _, request := range f.requests() {
		query, err := url.ParseQuery(request.query)
		if err != nil || request.path != path {
			t.Fatalf("asked for %s?%s: %v", request.path, request.query, err)
		}
		numbers = append(numbers, query.Get("after_seq"))
	}
	return numbers
}

// TestAnEventIsPassedAfterItsEffect: the checkpoint is told of an event when it has been
// handled, and of the end of the feed, where events of other types may be.
func TestAnEventIsPassedAfterItsEffect(t *testing.T) {
	t.Parallel()
	f := newFake(t, eventPage(12, "z", 8, 9), eventPage(13, "", 12), gone)
	checkpoint := &memory{saved: []uint64{7}}
	var seen []uint64
	err := f.client().FollowEvents(t.Context(), client.FollowEventsParams{
		Checkpoint: checkpoint, Types: []client.EventType{client.EventHREmployeeSick},
	}, func(_ context.Context, event client.FeedEvent) error {
		if slices.Contains(checkpoint.saved, event.Seq) {
			t.Errorf("event %d was saved before its effect", event.Seq)
		}
		seen = append(seen, event.Seq)
		return nil
	})
	if !client.IsCode(err, client.CodeUnauthorized) {
		t.Errorf("it ended with %v", err)
	}
	if want := []uint64{8, 9, 12}; !slices.Equal(seen, want) {
		t.Errorf("handled %v, want %v", seen, want)
	}
	if want := []uint64{7, 8, 9, 12, 13}; !slices.Equal(checkpoint.saved, want) {
		t.Errorf("saved %v, want %v", checkpoint.saved, want)
	}
	if got, want := afterSeqs(t, f, "/v1/events/poll"), []string{"7", "9", "13"}; !slices.Equal(got, want) {
		t.Errorf("asked after %v, want %v", got, want)
	}
	if query := f.requests()[0].query; !strings.Contains(query, "types=hr.employee.sick") ||
		!strings.Contains(query, "wait_s=20") {
		t.Errorf("asked with %s", query)
	}
}

// TestAnEventWhoseHandlingWasCutShortComesAgain, be it before its effect or between the effect and the checkpoint.
func TestAnEventWhoseHandlingWasCutShortComesAgain(t *testing.T) {
	t.Parallel()
	path := client.FileCheckpoint(filepath.Join(t.TempDir(), "feed.seq"))
	for name, killed := range map[string]struct {
		checkpoint client.FeedCheckpoint
		handle     error
	}{
		"before its effect":     {path, errKilled},
		"before its checkpoint": {&failingAt{FileCheckpoint: path + "2", seq: 2}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			params := client.FollowEventsParams{Checkpoint: killed.checkpoint, UntilNewest: true}
			f := newFake(t, eventPage(3, "", 1, 2, 3))
			err := f.client().FollowEvents(t.Context(), params, func(_ context.Context, event client.FeedEvent) error {
				if event.Seq == 2 {
					return killed.handle
				}
				return nil
			})
			if !errors.Is(err, errKilled) {
				t.Fatalf("it ended with %v", err)
			}
			f = newFake(t, eventPage(3, "", 2, 3))
			var seen []uint64
			err = f.client().FollowEvents(t.Context(), params, func(_ context.Context, event client.FeedEvent) error {
				seen = append(seen, event.Seq)
				return nil
			})
			if want := []uint64{2, 3}; err != nil || !slices.Equal(seen, want) {
				t.Errorf("handled %v, want %v: %v", seen, want, err)
			}
			if got := afterSeqs(t, f, "/v1/events"); !slices.Equal(got, []string{"1"}) {
				t.Errorf("asked after %v, want 1", got)
			}
			if seq, err := killed.checkpoint.Load(t.Context()); seq != 3 || err != nil {
				t.Errorf("the checkpoint is %d, %v", seq, err)
			}
		})
	}
}

// failingAt is a checkpoint that fails once, for one event.
type failingAt struct {
	client.FileCheckpoint

	seq uint64
}

func (f *failingAt) Save(ctx context.Context, seq uint64) error {
	if seq == f.seq {
		f.seq = 0
		return errKilled
	}
	return f.FileCheckpoint.Save(ctx, seq)
}

// TestAFollowerOutlivesAnOutage that is longer than a call would be repeated, and tells of each wait.
func TestAFollowerOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	busy := refusal(503, "unavailable", true, "")
	f := newFake(t, eventPage(1, "", 1), busy, busy, busy, busy, eventPage(2, "", 2), gone)
	attempts := 0
	flaky := roundTrip(func(r *http.Request) (*http.Response, error) {
		if attempts++; attempts%2 == 0 && attempts < 10 {
			return nil, io.ErrUnexpectedEOF
		}
		return f.Client().Transport.RoundTrip(r)
	})
	waits := 0
	var seen []uint64
	c := f.client(client.MaxRetries(2), client.OnWait(func(client.Wait) { waits++ }),
		client.HTTPClient(&http.Client{Transport: flaky}))
	err := c.FollowEvents(t.Context(), client.FollowEventsParams{},
		func(_ context.Context, event client.FeedEvent) error {
			seen = append(seen, event.Seq)
			return nil
		})
	if !client.IsCode(err, client.CodeUnauthorized) || !slices.Equal(seen, []uint64{1, 2}) || waits != 8 {
		t.Errorf("handled %v with %d waits: %v", seen, waits, err)
	}
}

// TestAReaderThatDoesNotFollowFailsWithTheOutage, as any other call does.
func TestAReaderThatDoesNotFollowFailsWithTheOutage(t *testing.T) {
	t.Parallel()
	f := newFake(t, refusal(503, "unavailable", true, ""))
	err := f.client(client.MaxRetries(0)).FollowEvents(t.Context(), client.FollowEventsParams{UntilNewest: true},
		func(context.Context, client.FeedEvent) error { return nil })
	if !client.IsCode(err, "unavailable") || len(f.requests()) != 1 {
		t.Errorf("it ended after %d requests with %v", len(f.requests()), err)
	}
}

// TestAfterGoesBeforeTheCheckpoint, also with 0, which reads the feed again.
func TestAfterGoesBeforeTheCheckpoint(t *testing.T) {
	t.Parallel()
	f := newFake(t, eventPage(1, "", 1))
	checkpoint := &memory{saved: []uint64{7}}
	var seen []uint64
	err := f.client().FollowEvents(t.Context(),
		client.FollowEventsParams{Checkpoint: checkpoint, After: new(uint64(0)), UntilNewest: true},
		func(_ context.Context, event client.FeedEvent) error {
			seen = append(seen, event.Seq)
			return nil
		})
	if err != nil || !slices.Equal(seen, []uint64{1}) || !slices.Equal(checkpoint.saved, []uint64{7, 1}) {
		t.Errorf("handled %v, saved %v: %v", seen, checkpoint.saved, err)
	}
}

// TestAStoppedFollowerSavesWhatItHasDone, and begins nothing else: the rest of its page comes again.
func TestAStoppedFollowerSavesWhatItHasDone(t *testing.T) {
	t.Parallel()
	f := newFake(t, eventPage(3, "", 1, 2, 3))
	ctx, stop := context.WithCancel(t.Context())
	checkpoint := &memory{}
	err := f.client().FollowEvents(ctx, client.FollowEventsParams{Checkpoint: checkpoint},
		func(_ context.Context, event client.FeedEvent) error {
			if event.Seq == 2 {
				stop()
			}
			return nil
		})
	if !errors.Is(err, context.Canceled) || !slices.Equal(checkpoint.saved, []uint64{1, 2}) {
		t.Errorf("saved %v, ended with %v", checkpoint.saved, err)
	}
}

// TestAFollowerEndsWithItsContext while it waits on a server that is away.
func TestAFollowerEndsWithItsContext(t *testing.T) {
	t.Parallel()
	f := newFake(t, refusal(503, "unavailable", true, ""))
	ctx, stop := context.WithCancel(t.Context())
	f.clock.onSleep = stop
	err := f.client(client.MaxRetries(0)).FollowEvents(ctx, client.FollowEventsParams{},
		func(context.Context, client.FeedEvent) error { return nil })
	if !errors.Is(err, context.Canceled) || !client.IsCode(err, "unavailable") {
		t.Errorf("it ended with %v", err)
	}
}

// TestACheckpointInAFile is a number in a line, is replaced as a whole, and leaves nothing beside it.
func TestACheckpointInAFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "feed.seq")
	checkpoint := client.FileCheckpoint(path)
	if seq, err := checkpoint.Load(t.Context()); seq != 0 || err != nil {
		t.Errorf("a file that is not there holds %d, %v", seq, err)
	}
	for _, seq := range []uint64{12, 1<<64 - 1} {
		if err := checkpoint.Save(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if want := fmt.Sprintf("%d\n", seq); err != nil || string(text) != want {
			t.Errorf("the file holds %q, want %q: %v", text, want, err)
		}
		if got, err := client.FileCheckpoint(path).Load(t.Context()); got != seq || err != nil {
			t.Errorf("it is %d, %v, want %d", got, err, seq)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("beside the file there is %v, %v", entries, err)
	}
	for _, text := range []string{"", "twelve", "-1", "1.5", "12 13"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := checkpoint.Load(t.Context()); err == nil || !strings.Contains(err.Error(), "no checkpoint") {
			t.Errorf("%q is read with %v", text, err)
		}
	}
}

// TestAFileCheckpointThatCannotBeWrittenLeavesTheOldOne, and no other file.
func TestAFileCheckpointThatCannotBeWrittenLeavesTheOldOne(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	taken := filepath.Join(folder, "feed.seq")
	if err := os.Mkdir(taken, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{taken, filepath.Join(folder, "none", "feed.seq")} {
		if err := client.FileCheckpoint(path).Save(t.Context(), 3); err == nil {
			t.Errorf("%s was written", path)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("there is %v, %v", entries, err)
	}
	f := newFake(t, eventPage(1, "", 1))
	err := f.client().FollowEvents(t.Context(), client.FollowEventsParams{Checkpoint: client.FileCheckpoint(taken)},
		func(context.Context, client.FeedEvent) error { return nil })
	if err == nil || len(f.requests()) != 0 {
		t.Errorf("a follower without its checkpoint sent %d requests: %v", len(f.requests()), err)
	}
}
