package ratelimit

import (
	"hash/maphash"
	"sync"
	"time"
)

const (
	// shards keep callers of different names from waiting for each other.
	shards = 64
	// sampled is the number of places that are looked at for a free one.
	sampled = 4
)

// table holds the state of many callers under one budget and one penalty. It is
// bounded: an entry that equals that of a new caller is dropped when others
// come, and when all places are taken, one that nearly does.
type table[K comparable] struct {
	budget  Budget
	pace    pace
	penalty Penalty
	// idle is set where nothing has to be known of anybody.
	idle bool
	// most is the number of places of one shard.
	most   int
	seed   maphash.Seed
	shards [shards]shard[K]
}

type shard[K comparable] struct {
	// mu guards the map and all that is in it.
	mu     sync.Mutex
	places map[K]*entry
}

// entry is the state of one caller, as it is stored.
type entry struct {
	bucket   bucket
	refusals refusals
	// until is the end of the caller's penalty in nanoseconds since 1970.
	until int64
}

// state is the state of a caller, as it is shown.
type state struct {
	remaining int
	// wait is the time until there is a token; 0 when one was spent.
	wait time.Duration
	// shut is the rest of a penalty; 0 for none.
	shut time.Duration
	// began is set when this refusal has begun the penalty.
	began bool
}

func newTable[K comparable](b Budget, p Penalty, most int) *table[K] {
	t := &table[K]{
		budget: b, pace: pace{int64(b.Whole()), int64(b.Interval())}, penalty: p, idle: b.Off() && p.Off(),
		most: (most + shards - 1) / shards, seed: maphash.MakeSeed(),
	}
	for i := range t.shards {
		t.shards[i].places = map[K]*entry{}
	}
	return t
}

func (t *table[K]) shard(key K) *shard[K] {
	return &t.shards[maphash.Comparable(t.seed, key)%shards]
}

// place finds the place of a caller, or makes one. The shard is locked.
func (t *table[K]) place(s *shard[K], key K, now int64) *entry {
	p := s.places[key]
	if p == nil {
		t.makeRoom(s, now)
		p = &entry{}
		s.places[key] = p
	}
	// A clock that was set back does not make a penalty longer than it is.
	p.until = min(p.until, now+int64(t.penalty.Lasts))
	return p
}

// makeRoom looks at a few places and frees those that equal a new entry, or, in
// a full shard, the one of them that is nearest to it. So each newcomer pays
// for itself, and no request goes through the whole table.
func (t *table[K]) makeRoom(s *shard[K], now int64) {
	looked := 0
	var least *entry
	var leastKey K
	for key, p := range s.places {
		if looked == sampled {
			break
		}
		looked++
		if p.silent(now, t.penalty) {
			delete(s.places, key)
		} else if least == nil || max(p.until, int64(p.bucket)) < max(least.until, int64(least.bucket)) {
			least, leastKey = p, key
		}
	}
	if len(s.places) >= t.most {
		delete(s.places, leastKey)
	}
}

// silent reports whether a place is as good as none.
func (p *entry) silent(now int64, penalty Penalty) bool {
	return int64(p.bucket) <= now && p.until <= now && p.refusals.over(now, penalty)
}

// spend takes some tokens of a caller, as many as the budget has at once at most, unless there are none or the caller
// is shut out. A lack of tokens is noted and may begin a penalty, unless the caller is spared those.
func (t *table[K]) spend(key K, now int64, tokens int, spared bool) state {
	if t.idle {
		return state{remaining: MaxRequests}
	}
	s := t.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := t.place(s, key, now)
	if p.until > now && !spared {
		return state{shut: time.Duration(p.until - now)}
	}
	if t.budget.Off() {
		return state{remaining: MaxRequests}
	}
	wait := p.bucket.spend(now, t.pace, min(tokens, t.budget.Burst))
	if wait > 0 && !spared {
		shut := t.noteRefusal(p, now)
		return state{wait: wait, shut: shut, began: shut > 0}
	}
	if wait > 0 {
		return state{wait: wait}
	}
	return state{remaining: p.bucket.remaining(now, t.pace)}
}

// refuse takes back a spending of a caller that another budget refused, and
// notes that refusal where it counts. It returns how long the caller is shut
// out for it.
func (t *table[K]) refuse(key K, now int64, counts bool) time.Duration {
	if t.idle {
		return 0
	}
	s := t.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := t.place(s, key, now)
	if !t.budget.Off() {
		p.bucket.refund(t.pace, 1)
	}
	if !counts {
		return 0
	}
	return t.noteRefusal(p, now)
}

// refund takes back a spending of some tokens that another budget refused.
func (t *table[K]) refund(key K, now int64, tokens int) {
	s := t.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := t.place(s, key, now); !t.budget.Off() {
		p.bucket.refund(t.pace, min(tokens, t.budget.Burst))
	}
}

// lift ends all penalties and forgets the refusals noted for further ones. It
// returns the number of penalties it has ended.
func (t *table[K]) lift(now int64) int {
	lifted := 0
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		for _, p := range s.places {
			if p.until > now {
				lifted++
			}
			p.until, p.refusals = 0, refusals{}
		}
		s.mu.Unlock()
	}
	return lifted
}

func (t *table[K]) noteRefusal(p *entry, now int64) time.Duration {
	if t.penalty.Off() || !p.refusals.note(now, t.penalty) {
		return 0
	}
	p.until = now + int64(t.penalty.Lasts)
	return t.penalty.Lasts
}

// remaining is the number of tokens of a caller. It changes nothing.
func (t *table[K]) remaining(key K, now int64) int {
	if t.budget.Off() {
		return MaxRequests
	}
	s := t.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.places[key]
	switch {
	case p == nil:
		return t.budget.Burst
	case p.until > now && p.until <= now+int64(t.penalty.Lasts):
		return 0
	}
	return p.bucket.remaining(now, t.pace)
}

// shut is the rest of a caller's penalty; 0 for none.
func (t *table[K]) shut(key K, now int64) time.Duration {
	if t.penalty.Off() {
		return 0
	}
	s := t.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.places[key]
	if p == nil {
		return 0
	}
	return time.Duration(max(0, min(p.until-now, int64(t.penalty.Lasts))))
}

// size is the number of places taken.
func (t *table[K]) size() int {
	n := 0
	for i := range t.shards {
		s := &t.shards[i]
		s.mu.Lock()
		n += len(s.places)
		s.mu.Unlock()
	}
	return n
}
