//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// sandbox makes a sandbox and sets a variable to the key of Head Office:
// sandbox $ORIGIN KEY.
func sandbox(ts *testscript.TestScript, _ bool, args []string) {
	client := &http.Client{Timeout: patience}
	response, err := client.Post(args[0]+"/v1/sandboxes", "application/json",
		strings.NewReader(`{"clock":"manual","seed":1}`))
	ts.Check(err)
	defer response.Body.Close()
	var answer struct {
		Data struct {
			OfficeKey string `json:"office_key"`
		} `json:"data"`
	}
	ts.Check(json.NewDecoder(response.Body).Decode(&answer))
	if answer.Data.OfficeKey == "" {
		ts.Fatalf("%s answers %d without a key", args[0], response.StatusCode)
	}
	ts.Setenv(args[1], answer.Data.OfficeKey)
}

// receiver starts a program that takes webhooks, and sets a variable to its URL:
// receiver HOOK captured. What it gets it keeps in captured/: a line with the id
// of each request in ids, and its headers and body in 1.headers, 1.body and on.
func receiver(ts *testscript.TestScript, _ bool, args []string) {
	folder := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(folder, 0o700))
	var mu sync.Mutex
	var ids bytes.Buffer
	count := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, err := io.ReadAll(r.Body)
		var headers bytes.Buffer
		err = errors.Join(err, r.Header.Write(&headers))
		fmt.Fprintln(&ids, r.Header.Get("Webhook-Id"))
		count++
		for _, file := range []struct {
			name    string
			content []byte
		}{{fmt.Sprint(count, ".body"), body}, {fmt.Sprint(count, ".headers"), headers.Bytes()}, {"ids", ids.Bytes()}} {
			err = errors.Join(err, os.WriteFile(folder+"/"+file.name, file.content, 0o600))
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL+"/hook")
}

// waits until a file has a number of lines, or more: waits listen.log 5.
func waits(ts *testscript.TestScript, _ bool, args []string) {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	text := []byte(nil)
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-look.C {
		var err error
		text, err = os.ReadFile(ts.MkAbs(args[0]))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			ts.Fatalf("%v", err)
		}
		if bytes.Count(text, []byte("\n")) >= want {
			return
		}
	}
	ts.Fatalf("%s does not have %s lines, but is\n%s", args[0], args[1], text)
}

// transport answers without a network.
type transport func(*http.Request) (int, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	status, err := t(r)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Body: http.NoBody}, nil
}

func occurrence(seq uint64, kind string) feedEvent {
	return feedEvent{
		Seq: seq, ID: fmt.Sprint("evt_", seq), Type: kind,
		raw: fmt.Appendf(nil, `{"seq":%d,"id":"evt_%d","data":{}}`, seq, seq),
	}
}

// TestForwardedEventsAreSentAgainAsWebhooksAre, and are where to go on until
// they are settled (contract: DLV.RETRY, DLV.DROP).
func TestForwardedEventsAreSentAgainAsWebhooksAre(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lasts time.Duration
		sent  string
		goOn  uint64
	}{
		{time.Second, "[evt_1 0s evt_3 0s evt_4 0s]", 1},
		{69 * time.Second, "[evt_1 0s evt_3 0s evt_4 0s evt_1 10s evt_3 10s]", 1},
		{80 * time.Second, "[evt_1 0s evt_3 0s evt_4 0s evt_1 10s evt_3 10s evt_1 1m10s evt_3 1m10s]", 1},
		{time.Hour, "[evt_1 0s evt_3 0s evt_4 0s evt_1 10s evt_3 10s evt_1 1m10s evt_3 1m10s evt_1 6m10s]", 5},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			var sent []string
			began := time.Now()
			f := &forwarder{url: "http://example.com/", secret: "whsec_", out: &out, next: 1,
				transport: transport(func(r *http.Request) (int, error) {
					id := strings.Join(r.Header[strings.ToLower("Webhook-Id")], "") // as it is sent
					sent = append(sent, fmt.Sprint(id, " ", time.Since(began)))
					switch {
					case id == "evt_1":
						return http.StatusInternalServerError, nil
					case id == "evt_3" && time.Since(began) < time.Minute:
						return 0, errors.New("connection refused")
					}
					return http.StatusOK, nil
				})}
			ctx, cancel := context.WithTimeout(t.Context(), c.lasts)
			defer cancel()
			events, done := make(chan feedEvent), make(chan error)
			go func() { done <- f.forward(ctx, events, nil) }()
			for i, kind := range []string{
				"office.payment.received", "sandbox.webhook.created", "office.payment.received",
				"office.payment.received",
			} {
				events <- occurrence(uint64(i+1), kind)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
			if fmt.Sprint(sent) != c.sent || f.goOn() != c.goOn {
				t.Errorf("after %v it has sent\n%s, want\n%s\nand would go on at %d, want %d",
					c.lasts, sent, c.sent, f.goOn(), c.goOn)
			}
			last := c.lasts == time.Hour
			if strings.Contains(out.String(), "given up") != last ||
				strings.Contains(out.String(), "at attempt 3") != (c.lasts > 70*time.Second) {
				t.Errorf("after %v it showed\n%s", c.lasts, &out)
			}
		})
	}
}

func TestWhatWasBrokenOffIsWhereToGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		f := &forwarder{url: "http://example.com/", secret: "whsec_", out: &out, next: 7,
			transport: transport(func(r *http.Request) (int, error) {
				<-r.Context().Done()
				return 0, r.Context().Err()
			})}
		ctx, cancel := context.WithCancel(t.Context())
		events, done := make(chan feedEvent), make(chan error)
		go func() { done <- f.forward(ctx, events, nil) }()
		events <- occurrence(7, "office.payment.received")
		synctest.Wait()
		cancel()
		if err := <-done; err != nil || f.goOn() != 7 || out.Len() != 0 {
			t.Errorf("%v, it would go on at %d, and showed %q", err, f.goOn(), &out)
		}
	})
}

// TestAFeedThatCannotBeReadIsTriedAgainWithoutAGap: what was handed over is not
// asked for again, and what was not is.
func TestAFeedThatCannotBeReadIsTriedAgainWithoutAGap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := []string(nil)
		f := newFollower("http://example.com/v1", "lab_off_x", nil, io.Discard)
		f.tape.base = roundTrip(func(r *http.Request) (*http.Response, error) {
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
		events, done := make(chan feedEvent), make(chan error, 1)
		go func() { done <- f.follow(t.Context(), 3, events) }()
		for want := range uint64(3) {
			if e := <-events; e.Seq != want+4 || !strings.Contains(string(e.raw), e.ID) {
				t.Errorf("got %d %s, want number %d", e.Seq, e.raw, want+4)
			}
		}
		if err := <-done; err == nil || exitCode(err) != exitGone {
			t.Errorf("it ended with %v", err)
		}
		if got := fmt.Sprint(asked); got != "[3 5 5 5 5 6]" {
			t.Errorf("it asked for what is behind %s", got)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
