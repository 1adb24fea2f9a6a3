package admission_test

import (
	"crypto/sha256"
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"platen/internal/edge/admission"
	"platen/internal/store/storetest"
	"platen/internal/words/problem"
)

const difficulty = 6

func demanding(o *admission.Options) { o.Difficulty, o.Capacity = difficulty, 100 }

func proven(proof ...string) func(*admission.Request) {
	return func(r *admission.Request) { r.Proof = proof }
}

// task asks for a creation without a proof, and returns the challenge.
func (b *bench) task() string {
	b.t.Helper()
	_, _, err := b.create("net")
	details, ok := b.wantCode("without a proof", err, problem.PowRequired).Details.(admission.PowDetails)
	if !ok || details.Challenge == "" || details.Difficulty != difficulty || details.Reason != "" {
		b.t.Fatalf("the task is %+v", details)
	}
	return details.Challenge
}

// solve finds the first nonce whose hash has at least so many zeros, or with
// enough false the first that has fewer.
func solve(challenge string, zeros int, enough bool) string {
	for nonce := 0; ; nonce++ {
		text := strconv.Itoa(nonce)
		sum := sha256.Sum256([]byte(challenge + text))
		n := bits.LeadingZeros64(uint64(sum[0])<<56 | uint64(sum[1])<<48 | uint64(sum[2])<<40 | uint64(sum[3])<<32)
		if (n >= zeros) == enough {
			return challenge + "." + text
		}
	}
}

func TestEachCreationTakesAProofOfWork(t *testing.T) {
	t.Parallel()
	b := open(t, demanding)
	for range 3 {
		if made, _, err := b.create("net", proven(solve(b.task(), difficulty, true))); err != nil || made == "" {
			t.Fatalf("with a proof: %q, %v", made, err)
		}
	}
}

func TestABadProofIsRefusedWithItsReason(t *testing.T) {
	t.Parallel()
	b := open(t, demanding)
	challenge := b.task()
	good := solve(challenge, difficulty, true)
	digit := byte('A')
	if challenge[40] == digit {
		digit = 'B'
	}
	forged := challenge[:40] + string(digit) + challenge[41:]
	for _, proof := range [][]string{
		{""}, {"."}, {challenge}, {challenge + "."}, {good + "x"}, {good + "."},
		{"x" + good}, {good, good}, {strings.ToUpper(good)}, {challenge + ".-1"}, {challenge + ".0x1"},
		{challenge + "." + strings.Repeat("1", 1000)}, {challenge + ". 1"}, {challenge + ".١"},
		{solve(challenge, difficulty, false)}, {solve(forged, difficulty, true)},
		{solve("", difficulty, true)}, {"\x00\xff.1"},
	} {
		_, _, err := b.create("net", proven(proof...))
		b.wantReason(err, "wrong")
	}
	b.pass(5*time.Minute - time.Second)
	if _, _, err := b.create("net", proven(good)); err != nil {
		t.Fatalf("after all these refusals, at the last moment: %v", err)
	}
	late := solve(b.task(), difficulty, true)
	b.pass(5 * time.Minute)
	_, _, err := b.create("net", proven(late))
	b.wantReason(err, "stale")
	b.change = func(o *admission.Options) { o.Difficulty = difficulty + 1 }
	early := solve(b.task(), difficulty, true)
	b.start()
	_, _, err = b.create("net", proven(early))
	b.wantReason(err, "stale")
}

func (b *bench) wantReason(err error, want string) {
	b.t.Helper()
	details, ok := b.wantCode(want, err, problem.PowRequired).Details.(admission.PowDetails)
	if !ok || details.Reason != want || details.Challenge == "" {
		b.t.Fatalf("want %s, the task is %+v", want, details)
	}
}

// A used proof stays used: after a restart, when the clock steps back, and when
// the outcome of the creation is unknown.
func TestAProofIsGoodForOneCreation(t *testing.T) {
	t.Parallel()
	b := open(t, demanding)
	proof := solve(b.task(), difficulty, true)
	if _, _, err := b.create("net", proven(proof)); err != nil {
		t.Fatal(err)
	}
	again := func() {
		t.Helper()
		_, _, err := b.create("net", proven(proof))
		b.wantReason(err, "used")
	}
	again()
	b.start()
	again()
	b.pass(6 * time.Minute)
	b.controller.Maintain(t.Context())
	b.pass(-4 * time.Minute)
	again()

	proof = solve(b.task(), difficulty, true)
	b.fails(storetest.NotApplied)
	if _, _, err := b.create("net", proven(proof)); err == nil {
		t.Fatal("no fault")
	}
	b.fails(storetest.AppliedButFailed)
	if _, _, err := b.create("net", proven(proof)); err == nil {
		t.Fatal("no fault")
	}
	again()
	b.pass(time.Hour)
	b.controller.Maintain(t.Context())
	if records, err := b.inner.List(t.Context(), "proof"); err != nil || len(records) != 0 {
		t.Errorf("%d proofs are kept for ever, %v", len(records), err)
	}
}

func TestOneOfManyUsesOneProof(t *testing.T) {
	t.Parallel()
	b := open(t, demanding)
	proof := solve(b.task(), difficulty, true)
	var clients sync.WaitGroup
	for range 20 {
		clients.Go(func() {
			if _, _, err := b.create("net", proven(proof)); err != nil && code(err) != problem.PowRequired {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	if n, err := b.inner.Count(t.Context()); n != 1 || err != nil {
		t.Errorf("one proof made %d sandboxes, %v", n, err)
	}
}

// A refusal uses no proof up, and a creation that is refused in any case asks
// for none.
func TestARefusedCreationLeavesTheProofGood(t *testing.T) {
	t.Parallel()
	b := open(t, func(o *admission.Options) { o.Difficulty, o.Capacity, o.Queue, o.Active = difficulty, 1, 1, 1 })
	proof := solve(b.task(), difficulty, true)
	made, _, err := b.create("net", proven(proof))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = b.create("net")
	b.wantCode("a network that has enough is not asked to work", err, problem.IPActiveLimit)
	other := solve(taskOf(t, b, "other"), difficulty, true)
	if _, ticket, err := b.create("other", proven(other)); err != nil || ticket == "" {
		t.Fatalf("a ticket: %v", err)
	}
	third := solve(proofless(b), difficulty, true)
	_, _, err = b.create("third", proven(third))
	b.wantCode("a full queue", err, problem.QueueFull)
	b.leave(made)
	if _, ticket, err := b.create("third", proven(third)); err != nil || ticket == "" {
		t.Errorf("the proof that was not used: %v", err)
	}
	_, _, err = b.create("fourth", proven(other))
	b.wantCode("the proof of a ticket, with a full queue", err, problem.QueueFull)
}

// taskOf is a challenge for another network.
func taskOf(t *testing.T, b *bench, network string) string {
	t.Helper()
	_, _, err := b.create(network)
	details, ok := b.wantCode("without a proof", err, problem.PowRequired).Details.(admission.PowDetails)
	if !ok {
		t.Fatal("no task")
	}
	return details.Challenge
}

// proofless is a challenge of a controller with room, signed with the same secret.
func proofless(b *bench) string {
	b.t.Helper()
	other := open(b.t, demanding)
	return other.task()
}
