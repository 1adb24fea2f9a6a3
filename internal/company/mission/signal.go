package mission

// Signals is the set of things that the client's own calls have done. It only
// ever grows.
type Signals uint64

// Signals, one bit each. They are stored: a new one goes to the end.
const (
	ReadAnything Signals = 1 << iota
	ReachedOffice
	ReachedFactory
	AcceptedOrder
	StartedPrintRun
	BilledOrder
	WasPaid
	Restocked
	PaidMatched
	PaidPayrollInTime
	VerifiedWebhook
	// HandledTwice: an event was acknowledged twice, and the feed read past it.
	HandledTwice
	// RepeatedSafely: a response was a replay.
	RepeatedSafely
	// BeganList, WentOnInList and ReachedListEnd are the first, a further and
	// the last page of a list of three or more.
	BeganList
	WentOnInList
	ReachedListEnd
	// HeldAlready: the client was told that nothing has changed.
	HeldAlready
	TookCSV
	WaitedForPress
	BackedOff
	// FollowedOnce and the next two are successive reads of the feed.
	FollowedOnce
	FollowedTwice
	FollowedOn
	// CarriedAcross: an order went through both systems by hand.
	CarriedAcross
	// WroteCleanly and BooksBalance are no steps of missions but achievements.
	WroteCleanly
	BooksBalance
	// RodeOut: a disruption ended, and the company had gone on.
	RodeOut
	// AgentCalled is given by the endpoint for agents.
	AgentCalled
	// GotLostResponse: a response was lost, and got by repeating the write.
	GotLostResponse
	// RepeatedLostRequest: a write was lost, and done when it was repeated.
	RepeatedLostRequest
	// SatOutStorm: a key that a storm turned away was silent as long as it was told.
	SatOutStorm
	// WentOnElsewhere: one system was away, and the client went on in the other.
	WentOnElsewhere
	// StartedOver: a cursor was forgotten, and the list read from its beginning.
	StartedOver
	// WaitedForFirst: the first attempt at a write was at work, and its response came later.
	WaitedForFirst
	// RepeatedLateRequest: a write was to arrive late, and its response was got by repeating it.
	RepeatedLateRequest
	// PaidInParts: an order with several invoices was paid.
	PaidInParts
	// ClosedShort: an order was closed with fewer units than were ordered.
	ClosedShort
)

// OfFailures are the signals of injected faults.
const OfFailures = GotLostResponse | RepeatedLostRequest | SatOutStorm | WentOnElsewhere | StartedOver |
	WaitedForFirst | RepeatedLateRequest
