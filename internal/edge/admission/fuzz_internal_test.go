package admission

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"platen/internal/store"
	"platen/internal/words/problem"
)

// shelf is a store that gives back one record, whatever is asked for.
type shelf struct {
	store.Store

	record store.Record
}

func (s *shelf) Find(context.Context, string, string) (store.Record, error) { return s.record, nil }

func (s *shelf) List(context.Context, string) ([]store.Record, error) {
	return []store.Record{s.record}, nil
}

// FuzzKeptReply: what is kept of an answer is read only as it was written.
// Whatever else a store gives back for it is refused.
func FuzzKeptReply(f *testing.F) {
	now := time.Unix(1_790_000_000, 0)
	d := &Controller{options: Options{Secret: []byte("a secret of thirty-two characters")}}
	i, err := d.intend("net", "a key of twenty and more", sha256.Sum256([]byte("body")))
	if err != nil || i == nil {
		f.Fatalf("the key does not count: %v", err)
	}
	want := Reply{Status: 201, Body: []byte(`{"data":{}}`)}
	good := i.record(want, now)
	f.Add(good.Body)
	for _, body := range [][]byte{
		nil, good.Body[:1], good.Body[:12], good.Body[:28], good.Body[:len(good.Body)-1],
		append(bytes.Clone(good.Body), 0),
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d := &Controller{
			options: d.options,
			store:   &shelf{record: store.Record{Kind: kindReply, Key: i.name, Body: body, EndsAt: good.EndsAt}},
		}
		reply, found, err := d.replay(t.Context(), i, now)
		// Another process may have sealed it, with another nonce.
		if found && err == nil &&
			(!reply.Replayed || reply.Status != want.Status || !bytes.Equal(reply.Body, want.Body)) {
			t.Errorf("%x is read as %+v", body, reply)
		}
		if found != (err == nil) || bytes.Equal(body, good.Body) && !found || err != nil && len(reply.Body) > 0 {
			t.Errorf("%x is read as %+v, %t, %v", body, reply, found, err)
		}
		if _, refusal := errors.AsType[*problem.Problem](err); refusal {
			t.Errorf("%x, which is a fault of the store, is the client's: %v", body, err)
		}
	})
}

// FuzzTickets: a stored place in the queue is read as one that is written as
// it was, in one of the states that there are, or the queue is not opened.
func FuzzTickets(f *testing.F) {
	now := time.Unix(1_790_000_000, 0).UTC()
	for _, s := range []state{waiting, ready, forfeited} {
		t := ticket{
			key: "k", Number: 7, Order: Order{Network: "net", Text: []byte(`{"preset":"starter"}`)}, State: s,
			Since: now,
		}
		f.Add(t.record().Body)
	}
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"state":"lost"}`, `{"number":18446744073709551615,"state":"waiting"}`,
		`{"number":-1}`, `{"state":"ready","since":"never"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		l, err := readQueue(t.Context(), &shelf{record: store.Record{Kind: kindTicket, Key: "k", Body: body}}, now)
		if err != nil {
			return
		}
		read := l.tickets["k"]
		if read == nil || l.next <= read.Number {
			t.Fatalf("%q is read as %+v, and the next number is %d", body, read, l.next)
		}
		if len(l.waiting)+len(l.ready) != 1 && read.State != forfeited ||
			len(l.waiting) == 1 && read.State != waiting || len(l.ready) == 1 && read.State != ready {
			t.Errorf("%q is %q, with %d waiting and %d ready", body, read.State, len(l.waiting), len(l.ready))
		}
		again, err := readQueue(t.Context(),
			&shelf{record: store.Record{Kind: kindTicket, Key: "k", Body: read.record().Body}}, now)
		if err != nil || !bytes.Equal(again.tickets["k"].record().Body, read.record().Body) {
			t.Errorf("%q is written as %q and read as %+v, %v", body, read.record().Body, again.tickets["k"], err)
		}
	})
}
