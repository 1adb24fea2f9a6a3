package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"platen/client"
)

// TestAFeedThatCannotBeReadIsTriedAgainWithoutAGap: what was handed over is not
// asked for again, and what was not is.
func TestAFeedThatCannotBeReadIsTriedAgainWithoutAGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, want, notes := []string(nil), uint64(3), bytes.Buffer{}
		network := roundTrip(func(r *http.Request) (*http.Response, error) {
			asked = append(asked, r.URL.Query().Get("after_seq"))
			text, status := `{"meta":{},"data":{"items":[{"seq":4,"id":"evt_4"},{"seq":5,"id":"evt_5"}]}}`,
				http.StatusOK
			switch len(asked) {
			case 2:
				return nil, errors.New("connection reset")
			case 3:
				text, status = `{"error":{"code":"unavailable","retryable":true}}`, http.StatusServiceUnavailable
			case 4:
				text, status = "a page of a proxy", http.StatusBadGateway
			case 5:
				text = `{"meta":{},"data":{"items":[{"seq":6,"id":"evt_6"}]}}`
			case 6:
				text, status = `{"error":{"code":"unauthorized"}}`, http.StatusUnauthorized
			}
			return &http.Response{
				StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: r,
			}, nil
		})
		c := connect("http://example.com", client.Keys{Office: "lab_off_x"},
			append(following(&notes), client.HTTPClient(&http.Client{Transport: network}))...)
		err := follow(t.Context(), c, client.FollowEventsParams{After: &want}, func(e client.FeedEvent) error {
			if want++; e.Seq != want || !strings.Contains(string(e.Raw), e.ID) {
				t.Errorf("got %d %s, want number %d", e.Seq, e.Raw, want)
			}
			return nil
		})
		if want != 6 || !client.IsCode(err, client.CodeUnauthorized) {
			t.Errorf("it ended after event %d with %v", want, err)
		}
		if text := notes.String(); strings.Count(text, "Trying again.") != 1 ||
			strings.Count(text, "The feed can be read again.") != 1 {
			t.Errorf("it noted\n%s", text)
		}
		if got := fmt.Sprint(asked); got != "[3 5 5 5 5 6]" {
			t.Errorf("it asked for what is behind %s", got)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestFollowingEndsWithItsContextAndItsHandler: the one is no error, the other is,
// and nothing is handed over after either.
func TestFollowingEndsWithItsContextAndItsHandler(t *testing.T) {
	t.Parallel()
	network := roundTrip(func(r *http.Request) (*http.Response, error) {
		text := `{"meta":{},"data":{"items":[{"seq":1},{"seq":2},{"seq":3}]}}`
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
	})
	c := connect("http://example.com", client.Keys{Office: "lab_off_x"},
		client.HTTPClient(&http.Client{Transport: network}))
	full := errors.New("the disk is full")
	for _, end := range []error{nil, full} {
		ctx, cancel := context.WithCancel(t.Context())
		last := uint64(0)
		err := follow(ctx, c, client.FollowEventsParams{}, func(e client.FeedEvent) error {
			if last = e.Seq; last < 2 {
				return nil
			}
			if end == nil {
				cancel()
			}
			return end
		})
		cancel()
		if !errors.Is(err, end) || last != 2 {
			t.Errorf("it ended after event %d with %v, want %v", last, err, end)
		}
	}
}
