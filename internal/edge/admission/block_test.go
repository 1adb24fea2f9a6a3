package admission_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"platen/internal/edge/admission"
	"platen/internal/words/problem"
)

// blocks makes blocks of the networks of the bench: "a/1" and "a/2" are of the
// block a, and "net" of none.
func blocks(factor int, change func(*admission.Options)) func(*admission.Options) {
	return func(o *admission.Options) {
		o.BlockFactor = factor
		o.BlockOf = func(network string) string {
			block, _, ok := strings.Cut(network, "/")
			if !ok {
				return ""
			}
			return block
		}
		change(o)
	}
}

// wantBlock checks that an error is the limit of a block, and returns it.
func (b *bench) wantBlock(name string, err error, code problem.Code, block string) *problem.Problem {
	b.t.Helper()
	p := b.wantCode(name, err, code)
	if !strings.Contains(p.Message, "block, "+block+",") {
		b.t.Errorf("%s: the message does not name the block %s: %s", name, block, p.Message)
	}
	return p
}

func TestABlockHasAFewTimesTheSandboxesOfANetwork(t *testing.T) {
	t.Parallel()
	b := open(t, blocks(3, func(o *admission.Options) { o.Capacity, o.Queue, o.Active = 100, 100, 2 }))
	var made []string
	for i := range 6 {
		id, _, err := b.create(fmt.Sprintf("a/%d", i))
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, id)
	}
	for range 2 { // the count is that of the store after a start
		_, _, err := b.create("a/9")
		p := b.wantBlock("the seventh", err, problem.IPActiveLimit, "a")
		if !p.RetryAt.Equal(b.Now().Add(lasts)) {
			t.Errorf("retry at %s, want %s", p.RetryAt, b.Now().Add(lasts))
		}
		b.start()
	}
	for _, other := range []string{"b/1", "net"} {
		if _, _, err := b.create(other); err != nil {
			t.Errorf("%s: %v", other, err)
		}
	}
	b.leave(made[0])
	if _, _, err := b.create("a/9"); err != nil {
		t.Errorf("after one was deleted: %v", err)
	}
}

func TestABlockCreatesAFewTimesAsManyInAnHour(t *testing.T) {
	t.Parallel()
	b := open(t, blocks(2, func(o *admission.Options) { o.Hourly, o.Capacity = 2, 100 }))
	begun := b.Now()
	for i := range 4 {
		id, _, err := b.create(fmt.Sprintf("a/%d", i))
		if err != nil {
			t.Fatal(err)
		}
		b.leave(id)
		b.pass(time.Minute)
	}
	for range 2 {
		_, _, err := b.create("a/9")
		p := b.wantBlock("the fifth within the hour", err, problem.IPCreateLimit, "a")
		if !p.RetryAt.Equal(begun.Add(time.Hour)) {
			t.Errorf("retry at %s, want %s", p.RetryAt, begun.Add(time.Hour))
		}
		b.start()
	}
	if _, _, err := b.create("b/1"); err != nil {
		t.Errorf("another block: %v", err)
	}
	b.pass(begun.Add(time.Hour).Sub(b.Now()))
	if _, _, err := b.create("a/9"); err != nil {
		t.Errorf("after an hour: %v", err)
	}
}

func TestABlockHasATenthOfThePlacesAndOfTheQueue(t *testing.T) {
	t.Parallel()
	const places, queue = 200, 120
	b := open(t, blocks(8, func(o *admission.Options) { o.Capacity, o.Queue = places, queue }))
	attack := func() (made, queued int, last error) {
		for i := range 3 * places / 10 {
			id, ticket, err := b.create(fmt.Sprintf("a/%d", i))
			switch {
			case err != nil:
				last = err
			case ticket != "":
				queued++
			case id != "":
				made++
			}
		}
		return made, queued, last
	}
	made, queued, err := attack()
	if b.wantBlock("places", err, problem.IPActiveLimit, "a"); made != places/10 || queued != 0 {
		t.Errorf("a block has %d places and %d tickets, want %d and none", made, queued, places/10)
	}
	// In a full house another block gets a tenth of the queue.
	for i := range places - made {
		if _, ticket, err := b.create("net"); err != nil || ticket != "" {
			t.Fatalf("place %d: %v", i, err)
		}
	}
	queued = 0
	for i := range 2 * queue / 10 {
		if _, ticket, err := b.create(fmt.Sprintf("b/%d", i)); ticket != "" && err == nil {
			queued++
		} else {
			b.wantBlock("the queue", err, problem.IPActiveLimit, "b")
		}
	}
	if queued != queue/10 {
		t.Errorf("a block has %d tickets, want %d", queued, queue/10)
	}
	if _, ticket, err := b.create("net"); err != nil || ticket == "" {
		t.Errorf("another network: %v", err)
	}
}

func TestBlocksAreOffWithAFactorOfZero(t *testing.T) {
	t.Parallel()
	b := open(t, blocks(0, func(o *admission.Options) { o.Capacity, o.Queue, o.Active = 100, 100, 2 }))
	for i := range 100 {
		if _, _, err := b.create(fmt.Sprintf("a/%d", i)); err != nil {
			t.Fatalf("creation %d: %v", i, err)
		}
	}
}
