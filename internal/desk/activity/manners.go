package activity

import "platen/internal/words/problem"

// Manners counts how considerate the requests of clients are. It is beside the company like
// the rest of ClientActivity.
type Manners struct {
	// Requests counts those to Head Office, to the Factory and to the feed.
	Requests int64 `json:"requests,omitzero"`
	// Early counts the requests that came before their key had been told to come back.
	Early int64 `json:"early,omitzero"`
	// Attempts counts the writes of business, however they ended, and Done those that were
	// carried out or found that they had been.
	Attempts int64 `json:"attempts,omitzero"`
	Done     int64 `json:"done,omitzero"`
	// Again counts reads that got what the key had read last, though If-None-Match would have
	// saved it.
	Again int64 `json:"again,omitzero"`
}

// maxReads is the number of reads of a sandbox whose tags are remembered.
const maxReads = 32

// Reads remembers the newest reads, to notice one that is repeated. It is kept in memory
// alone.
type Reads struct {
	reads [maxReads]Read
	next  int
}

// Read has the target of a read and the version that came; both are hashes, 0 for none.
type Read struct{ What, Tag uint64 }

// repeats takes a read in, and reports whether it got the version that it had got before.
func (r *Reads) repeats(read Read) bool {
	for i := range r.reads {
		if r.reads[i].What == read.What {
			again := r.reads[i].Tag == read.Tag
			r.reads[i].Tag = read.Tag
			return again
		}
	}
	r.reads[r.next] = read
	r.next = (r.next + 1) % maxReads
	return false
}

// Mind takes a call into the manners of its client.
func (c *ClientActivity) Mind(call *Call, reads *Reads) {
	if !call.Business && !call.FeedRange.Read {
		return
	}
	m := &c.Manners
	m.Requests++
	key := c.key(call)
	if call.Arrived < key.Quiet && call.Arrived >= key.QuietSince {
		m.Early++
	}
	if call.RetryAt > 0 && call.Code != problem.PressBusy {
		key.QuietSince, key.Quiet = call.Answered, max(key.Quiet, call.RetryAt)
	}
	switch {
	case call.Write:
		m.Attempts++
		if call.succeeded() {
			m.Done++
		}
	case call.Status == ok && call.Read != (Read{}) && reads.repeats(call.Read):
		m.Again++
	}
}

const ok = 200
