package cli

import (
	"bytes"
	"errors"
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
		"The server asks for a proof of work (20 bits, about 1048576 hashes). Working on it.",
		"All places are taken. Waiting: number 2 in the queue, about 60 s.",
		"All places are taken. Waiting: number 1 in the queue, about 30 s.",
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
	err := Brief(errors.Join(errors.New("gave up after 1 attempts"), rejected))
	if err.Error() != "tick_rate: Too fast. Wait." || !client.IsCode(err, client.CodeTickRate) {
		t.Errorf("got %v", err)
	}
	c := connect("http://127.0.0.1:1", client.Keys{Office: "k"}, client.MaxRetries(0))
	_, err = c.GetCash(t.Context())
	if text := Brief(err).Error(); !strings.HasPrefix(text, `Get "http://127.0.0.1:1/v1/office/cash": dial`) {
		t.Errorf("got %s", text)
	}
	if other := errors.New("other"); !errors.Is(Brief(other), other) {
		t.Errorf("got %v", Brief(other))
	}
}
