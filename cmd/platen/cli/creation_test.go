package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"platen/client"
)

// TestProgressIsReportedOnce for each place in the queue and each proof of work; a
// repeated request is none.
func TestProgressIsReportedOnce(t *testing.T) {
	t.Parallel()
	var notes bytes.Buffer
	report := progress(&notes)
	for _, w := range []client.Wait{
		{Err: errors.New("connection reset")},
		{Difficulty: 20, Err: &client.Error{Code: client.CodePowRequired}},
		{Ticket: &client.QueueTicket{Position: 2, EtaS: 60}},
		{Ticket: &client.QueueTicket{Position: 2, EtaS: 60}},
		{Err: &client.Error{Code: client.CodeRateLimited}},
		{Ticket: &client.QueueTicket{Position: 1, EtaS: 30}},
	} {
		report(w)
	}
	want := []string{
		"The server requires a proof of work (20 bits, about 1048576 hashes). Computing it.",
		"The server is full. Waiting: number 2 in the queue, about 60 s.",
		"The server is full. Waiting: number 1 in the queue, about 30 s.",
	}
	if got := notes.String(); got != strings.Join(want, "\n")+"\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestErrorsAreBrief(t *testing.T) {
	t.Parallel()
	rejected := &client.Error{
		Operation: "advance_time", Status: 429, Code: client.CodeTickRate, Message: "Too fast.", Hint: "Wait.",
	}
	err := Brief(fmt.Errorf("gave up after 2 attempts: %w", rejected))
	if err.Error() != "gave up after 2 attempts: tick_rate: Too fast. Wait." ||
		!client.IsCode(err, client.CodeTickRate) {
		t.Errorf("got %v", err)
	}
	c := connect("http://127.0.0.1:1", client.Keys{Office: "k"}, client.MaxRetries(0))
	_, err = c.GetCash(t.Context())
	if text := Brief(err).Error(); !strings.HasPrefix(text, "nothing listens at http://127.0.0.1:1. Start one") {
		t.Errorf("got %s", text)
	}
	if err := Brief(fmt.Errorf("platen: get_cash: %w", client.ErrNoKey)); !errors.Is(err, client.ErrNoKey) ||
		strings.Contains(err.Error(), "platen: ") {
		t.Errorf("got %v", err)
	}
	if other := errors.New("other"); !errors.Is(Brief(other), other) {
		t.Errorf("got %v", Brief(other))
	}
}

// TestDetailsSayWhatTheMessageLeavesOut, and repeat nothing of it.
func TestDetailsSayWhatTheMessageLeavesOut(t *testing.T) {
	t.Parallel()
	for details, want := range map[string]string{
		`{"allowed":["manual","starter"]}`:               "allowed: manual, starter",
		`{"status":"on_hold","allowed":["in_progress"]}`: "",
		`{"fields":[{"field":"a","message":"a is bad."},{"field":"b","message":"b is bad."}]}`: "fields: a is bad.|" +
			"fields: b is bad.",
		`{"needed":{"sheets":1190,"plates":null},"has":114}`: "has: 114|needed: sheets 1190",
		`null`: "", `[1]`: "",
	} {
		err := &client.Error{Message: "It is on hold; this needs it to be in progress.", Details: []byte(details)}
		if got := strings.Join(Details(fmt.Errorf("try: %w", err)), "|"); got != want {
			t.Errorf("%s: %q, want %q", details, got, want)
		}
	}
	if got := Details(errors.New("another")); got != nil {
		t.Errorf("got %v", got)
	}
}
