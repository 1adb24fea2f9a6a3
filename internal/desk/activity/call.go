package activity

import (
	"platen/internal/company/fault"
	"platen/internal/desk/injection"
	"platen/internal/words/moment"
	"platen/internal/words/problem"
)

// Call is one request of a client, once its response is ready. It holds nothing
// that the client has sent but the name of a press, and hashes.
type Call struct {
	// Factory is set for the key of the Factory, and not for that of Head
	// Office, Agent for a tool call of an agent.
	Factory, Agent bool
	// Arrived is when the request came, Answered when its response was ready.
	Arrived, Answered moment.Instant
	Status            int
	// Code and RetryAt are those of a refusal; a RetryAt of 0 is none.
	Code    problem.Code
	RetryAt moment.Instant
	// Write is set when the call asked for a change, Business when its operation
	// is one of Head Office or of the Factory.
	Write, Business bool
	// Replayed is set when the response was a stored one.
	Replayed bool
	CSV      bool
	// Key is a hash of a write and its Idempotency-Key, 0 for a write without one, and where
	// no faults are injected.
	Key uint64
	// Exposed is set when a fault could have been injected in the call. Fault is the one
	// that decided how the call ended, "" for none, and Away the system that was away
	// meanwhile, "" for none.
	Exposed bool
	Fault   fault.Kind
	Away    injection.System
	// Late is set for a request that arrived late, and that no client waits for any more.
	Late bool
	// Injected are the kinds of all faults that the call met.
	Injected []fault.Kind
	// Made is the decision that the write carried out, nil for none, and where no faults are injected.
	Made *Decision
	// Intent says what a write carries, nil for one that carries nothing, and where no faults are injected.
	Intent *Intended
	// Names reports whether the response names a record by its id, nil for one that names none.
	Names func(id string) bool
	// Press is the one that the call wanted to start, "" for none.
	Press string
	// Page and FeedRange are the parts read of a list and of the feed. A page
	// of the feed may be both.
	Page      Page
	FeedRange FeedRange
	// Read identifies the resource and state that the call has read; zero for a write.
	Read Read
}

// Page is the page of a list in the response.
type Page struct {
	// List tells lists apart, with their filters and limits; 0 is no page.
	List uint64
	// Query tells lists apart by their filters alone. It is set for a forgotten cursor, too.
	Query uint64
	// First is set for a page that was not asked for by cursor. From is where
	// a later one begins, Next where the one after this begins unless it is
	// the Last.
	First, Last bool
	From, Next  uint64
	// Ledger is the part read of the ledger.
	Ledger LedgerCursor
}

// LedgerCursor is the state of the ledger and the feed when something was read.
type LedgerCursor struct {
	// Ledger is the version of the ledger, Whole set when a page was one of
	// all its entries.
	Ledger uint64
	Whole  bool
	// Sequence is the number of the newest event.
	Sequence uint64
}

// FeedRange is the part read of the feed.
type FeedRange struct {
	// Read is set when events were requested and returned, be it none.
	Read bool
	// Chosen tells which events were asked for, 0 for all.
	Chosen uint64
	// After is the number of the event before the first, Last of the newest in
	// the response, which is After when there was none.
	After, Last uint64
	Events      int64
}

const (
	tooManyRequests = 429
	notModified     = 304
)

func (c *Call) succeeded() bool { return c.Status/100 == 2 }

// got reports whether the client has a response that says that the call succeeded.
func (c *Call) got() bool { return c.succeeded() && c.Fault != fault.ResponseLost }

// refused reports whether a request was refused for its content, and not only
// told to wait.
func (c *Call) refused() bool {
	return c.Status/100 == 4 && c.Status != tooManyRequests && c.Code != problem.PressBusy
}
