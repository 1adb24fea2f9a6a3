package problem

import (
	"cmp"
	"net/http"
	"slices"
)

// Definition is the fixed part of a code.
type Definition struct {
	Code   Code
	Status int
	// Retryable tells a client that the same request may work later
	// (contract: ENV.ERROR.RETRYABLE).
	Retryable bool
	// Hint is sent when the refusal has none of its own.
	Hint string
	// Meaning says when the code is given, Remedy how a client reacts. They
	// make the code's page in the docs.
	Meaning, Remedy string
}

// Codes.
const (
	InvalidJSON           Code = "invalid_json"
	InvalidParameter      Code = "invalid_parameter"
	InvalidCursor         Code = "invalid_cursor"
	BadRequest            Code = "bad_request"
	KeyInURL              Code = "key_in_url"
	IdempotencyRequired   Code = "idempotency_required"
	IdempotencyKeyInvalid Code = "idempotency_key_invalid"
	Unauthorized          Code = "unauthorized"
	WrongSystem           Code = "wrong_system"
	Banned                Code = "banned"
	OriginRefused         Code = "origin_refused"
	NotFound              Code = "not_found"
	RouteNotFound         Code = "route_not_found"
	TicketNotFound        Code = "ticket_not_found"
	MethodNotAllowed      Code = "method_not_allowed"
	NotAcceptable         Code = "not_acceptable"
	RequestTimeout        Code = "request_timeout"
	RequestInProgress     Code = "request_in_progress"
	PollInProgress        Code = "poll_in_progress"
	InvalidState          Code = "invalid_state"
	DuplicateReference    Code = "duplicate_reference"
	PressBusy             Code = "press_busy"
	PressDown             Code = "press_down"
	NoOperator            Code = "no_operator"
	NoWarehouseWorker     Code = "no_warehouse_worker"
	InsufficientStock     Code = "insufficient_stock"
	WorkOrderNotReady     Code = "work_order_not_ready"
	ExtensionNotYet       Code = "extension_not_yet"
	NoExtensionsLeft      Code = "no_extensions_left"
	TooManyOpen           Code = "too_many_open"
	TicketForfeited       Code = "ticket_forfeited"
	PreconditionFailed    Code = "precondition_failed"
	BodyTooLarge          Code = "body_too_large"
	UnsupportedMediaType  Code = "unsupported_media_type"
	ValidationFailed      Code = "validation_failed"
	InvalidPreset         Code = "invalid_preset"
	IdempotencyKeyReused  Code = "idempotency_key_reused"
	QuantityMismatch      Code = "quantity_mismatch"
	GangMixedPaper        Code = "gang_mixed_paper"
	ReferenceRequired     Code = "reference_required"
	SandboxExpired        Code = "sandbox_expired"
	SandboxBankrupt       Code = "sandbox_bankrupt"
	RateLimited           Code = "rate_limited"
	PowRequired           Code = "pow_required"
	TickRate              Code = "tick_rate"
	IPActiveLimit         Code = "ip_active_limit"
	IPCreateLimit         Code = "ip_create_limit"
	HostRefused           Code = "host_refused"
	HeadersTooLarge       Code = "headers_too_large"
	InternalError         Code = "internal_error"
	QueueFull             Code = "queue_full"
	Unavailable           Code = "unavailable"
	SandboxDamaged        Code = "sandbox_damaged"
)

// All lists every definition, by status and then in the order of teaching.
func All() []Definition { return definitions }

//nolint:gochecknoglobals // the table itself
var definitions = byStatus(general, market, procurement, people, webhook, fork)

func byStatus(groups ...[]Definition) []Definition {
	all := slices.Concat(groups...)
	slices.SortStableFunc(all, func(a, b Definition) int { return cmp.Compare(a.Status, b.Status) })
	return all
}

// Lookup returns the definition of a code. An unknown code is a mistake of the
// program and becomes internal_error.
func Lookup(code Code) Definition {
	for i := range definitions {
		if definitions[i].Code == code {
			return definitions[i]
		}
	}
	return Lookup(InternalError)
}

var general = []Definition{ //nolint:gochecknoglobals // the table itself
	{
		Code: InvalidJSON, Status: http.StatusBadRequest,
		Hint:    "Send one JSON object, with each field once.",
		Meaning: "The body is empty, is not JSON, or names a field twice.",
		Remedy: "Build the body with a JSON library. " +
			"The message shows where parsing stopped.",
	},
	{
		Code: InvalidParameter, Status: http.StatusBadRequest,
		Hint: "details.parameter names the parameter.",
		Meaning: "A query parameter or header has an invalid value, is repeated, or is not " +
			"known on this route.",
		Remedy: "Correct the value. An unknown parameter is rejected, because a filter that is silently ignored " +
			"looks like a wrong result.",
	},
	{
		Code: InvalidCursor, Status: http.StatusBadRequest,
		Hint:    "Pass data.next_cursor back unchanged, on the same route with the same filters.",
		Meaning: "The cursor is not from this service, or belongs to another route or other filters.",
		Remedy:  "Begin the list again without a cursor.",
	},
	{
		Code: BadRequest, Status: http.StatusBadRequest,
		Hint:    "Check the request line and the headers.",
		Meaning: "The request is not well-formed HTTP, or its path has //, /../ or a trailing slash.",
		Remedy:  "Use an HTTP library, and paths without empty or dot segments.",
	},
	{
		Code: KeyInURL, Status: http.StatusBadRequest,
		Hint: "Send keys in the header Authorization: Bearer <key>, never in a path or a query string. " +
			"The other key of the sandbox still works.",
		Meaning: "The path or the query string holds a key. Addresses end up in logs and histories, so the key was " +
			"revoked at once.",
		Remedy: "Create a new sandbox, and send its keys in the Authorization header.",
	},
	{
		Code: IdempotencyRequired, Status: http.StatusBadRequest,
		Hint: "Send Idempotency-Key, named for the step and its record (accept-SO-1001), and the same one on " +
			"every retry.",
		Meaning: "The route creates or pays something and requires an Idempotency-Key header.",
		Remedy: "Name one key for each intended effect, after the step and its record (accept-SO-1001), and send it " +
			"with every retry of that intention.",
	},
	{
		Code: IdempotencyKeyInvalid, Status: http.StatusBadRequest,
		Hint: "Use 1 to 64 printable ASCII characters.",
		Meaning: "The Idempotency-Key is empty, longer than 64 characters, repeated, or has characters that " +
			"cannot be printed.",
		Remedy: "Name the key for the step and its record, such as accept-SO-1001.",
	},
	{
		Code: Unauthorized, Status: http.StatusUnauthorized,
		Hint: "Send Authorization: Bearer <key> with a key from the response of POST /v1/sandboxes.",
		Meaning: "No key was sent, or the key is unknown, revoked, or of a sandbox that has been deleted. " +
			"A browser's preflight gets this too: there is no CORS.",
		Remedy: "Create a sandbox and use its keys. Keys end with their sandbox.",
	},
	{
		Code: WrongSystem, Status: http.StatusForbidden,
		Hint: "Head Office routes require the lab_off_ key, Factory routes the lab_fac_ key.",
		Meaning: "The key does not open this route. Each key opens one system; a " +
			"grading key judges and does not play.",
		Remedy: "Send the key with the prefix that the hint names.",
	},
	{
		Code: Banned, Status: http.StatusForbidden, Retryable: true,
		Hint: "Stop sending until retry_at.",
		Meaning: "Your network kept sending after it was told to slow down, and is banned for a while. " +
			"Its keys are not touched.",
		Remedy: "Wait until retry_at, and let your client honour Retry-After from then on.",
	},
	{
		Code: OriginRefused, Status: http.StatusForbidden,
		Hint: "Send the request from a program, or from the pages of this server.",
		Meaning: "A browser sent the request for a page of another site. Pages of other sites may not create, extend " +
			"or delete sandboxes.",
		Remedy: "Send it from your own program. Only browsers send Origin and Sec-Fetch-Site; a " +
			"program needs neither.",
	},
	{
		Code: NotFound, Status: http.StatusNotFound,
		Hint:    "details.resource and details.id name the missing record.",
		Meaning: "The sandbox has no record with this id.",
		Remedy:  "Check the id against the list of the resource. Ids are valid in one sandbox only.",
	},
	{
		Code: RouteNotFound, Status: http.StatusNotFound,
		Hint:    "Every route is listed in /openapi.json.",
		Meaning: "No route has this path.",
		Remedy:  "Check the path, its /v1 prefix included.",
	},
	{
		Code: TicketNotFound, Status: http.StatusNotFound,
		Hint:    "Ask for a sandbox again with POST /v1/sandboxes.",
		Meaning: "The ticket does not exist, its sandbox has been claimed, or it was forfeited a while ago.",
		Remedy: "Poll exactly the path in data.poll. A claimed ticket is used up: " +
			"the keys were in the response that claimed it.",
	},
	{
		Code: MethodNotAllowed, Status: http.StatusMethodNotAllowed,
		Hint:    "The Allow header lists the methods of this path.",
		Meaning: "The path exists, but not with this method.",
		Remedy:  "Use a method from the Allow header.",
	},
	{
		Code: NotAcceptable, Status: http.StatusNotAcceptable,
		Hint:    "Accept application/json, or text/csv on lists.",
		Meaning: "The Accept header excludes every format of this route.",
		Remedy:  "Send Accept: application/json, or leave the header out.",
	},
	{
		Code: RequestTimeout, Status: http.StatusRequestTimeout, Retryable: true,
		Hint:    "Send the whole request without long pauses.",
		Meaning: "The request did not arrive in time.",
		Remedy:  "Send it again. With an Idempotency-Key nothing happens twice.",
	},
	{
		Code: RequestInProgress, Status: http.StatusConflict, Retryable: true,
		Hint:    "Repeat in a second with the same Idempotency-Key.",
		Meaning: "The first request with this Idempotency-Key is still running.",
		Remedy:  "Wait a moment and repeat: the response is then that of the first request.",
	},
	{
		Code: PollInProgress, Status: http.StatusConflict, Retryable: true,
		Hint:    "Wait until one of the polls has returned.",
		Meaning: "Two polls with this key are waiting already.",
		Remedy: "One poll at a time is enough: begin the next when the last has returned, from the seq " +
			"of its last event.",
	},
	{
		Code: InvalidState, Status: http.StatusConflict,
		Hint: "details.status is the present status, details.allowed lists those that this request needs. It is " +
			"empty if no status would do.",
		Meaning: "The record exists, but its status does not allow this.",
		Remedy:  "Read the record again before you decide. Waiting does not help.",
	},
	{
		Code: DuplicateReference, Status: http.StatusConflict,
		Hint:    "details names the record that already carries this reference.",
		Meaning: "Another record of this kind has the same reference, so this would do the same work twice.",
		Remedy: "Use the record that exists. If the first response was lost, repeat the request with its own " +
			"Idempotency-Key.",
	},
	{
		Code: PressBusy, Status: http.StatusConflict, Retryable: true,
		Hint:    "The press is free again at retry_at.",
		Meaning: "A print run occupies the press. A press cannot queue work.",
		Remedy: "With a clock that runs, wait until retry_at. With a manual clock, waiting does not help and " +
			"retryable is false: move the clock with POST /sandbox/tick or platen tick. Or use the other press, or " +
			"put several small orders into one run with work_order_ids.",
	},
	{
		Code: PressDown, Status: http.StatusConflict, Retryable: true,
		Hint: "The press takes a run again at retry_at.",
		Meaning: "The press is out of order: it has a fault, or there is no power. " +
			"A run on it waits and continues afterwards.",
		Remedy: "Use the other press, or wait until retry_at; with a manual clock, move it with " +
			"POST /sandbox/tick or platen tick. GET /sandbox lists the disruptions that run, and until when.",
	},
	{
		Code: NoOperator, Status: http.StatusConflict, Retryable: true,
		Hint:    "Leave operator_badge_no out to take any free operator.",
		Meaning: "Each running press needs an operator, and none is free (or the named one is not).",
		Remedy: "Wait for a run to end, or name another operator. If no operator of the press is at work, wait for " +
			"the next working day, or hire.",
	},
	{
		Code: NoWarehouseWorker, Status: http.StatusConflict, Retryable: true,
		Hint: "From the next working day on the crew lends a hand. retry_at says when that begins.",
		Meaning: "No warehouse worker is at work today. Trucks that came today and goods that became ready today " +
			"wait for the next working day.",
		Remedy: "Send the same request again after retry_at. A second warehouse worker stands in for one who is ill.",
	},
	{
		Code: InsufficientStock, Status: http.StatusConflict,
		Hint:    "details.shortages lists the needed and the available quantity of each material.",
		Meaning: "The material on hand does not cover this.",
		Remedy:  "Print less, choose the other press, or restock first.",
	},
	{
		Code: WorkOrderNotReady, Status: http.StatusConflict,
		Hint:    "Wait for the event factory.work_order.ready.",
		Meaning: "The goods are not printed and finished yet, so they cannot be shipped.",
		Remedy:  "Start or finish the print run, then ship after factory.work_order.ready.",
	},
	{
		Code: ExtensionNotYet, Status: http.StatusConflict, Retryable: true,
		Hint:    "The event sandbox.expiring comes five minutes before the end.",
		Meaning: "It is too early to extend the sandbox.",
		Remedy:  "Wait until retry_at. You lose nothing: an extension adds to the end, whenever you request it.",
	},
	{
		Code: NoExtensionsLeft, Status: http.StatusConflict,
		Hint:    "Create another sandbox when this one ends.",
		Meaning: "The sandbox has no extensions left.",
		Remedy: "Finish before expires_at, or continue in a new sandbox. " +
			"The same preset and seed begin the same company.",
	},
	{
		Code: TooManyOpen, Status: http.StatusConflict,
		Hint:    "Finish some of the open ones first.",
		Meaning: "The sandbox has reached its limit of open records of this kind.",
		Remedy:  "Finish open records, or use a fresh sandbox.",
	},
	{
		Code: TicketForfeited, Status: http.StatusGone,
		Hint:    "Ask for a sandbox again with POST /v1/sandboxes, and poll every few seconds.",
		Meaning: "The ticket was ready but not claimed in time, so the next client in the queue got the sandbox.",
		Remedy:  "Join the queue again. Poll every three to ten seconds, so that you claim a ready ticket in time.",
	},
	{
		Code: PreconditionFailed, Status: http.StatusPreconditionFailed,
		Hint: "details.etag has the present ETag. Read the record again, and decide with its new state.",
		Meaning: "If-Match names another version of the record: it changed after you read it. Nothing was done, and " +
			"the Idempotency-Key is free.",
		Remedy: "Get the record, decide again with what it says now, and send the write with the new ETag. " +
			"Never send the write again without If-Match: that overwrites what the other program did.",
	},
	{
		Code: BodyTooLarge, Status: http.StatusRequestEntityTooLarge,
		Hint:    "A body has at most 16,384 bytes.",
		Meaning: "The body is larger than 16,384 bytes. The connection may be closed.",
		Remedy:  "Send less at once.",
	},
	{
		Code: UnsupportedMediaType, Status: http.StatusUnsupportedMediaType,
		Hint:    "Send Content-Type: application/json.",
		Meaning: "The request has a body that is not declared as JSON.",
		Remedy:  "Set the header Content-Type: application/json.",
	},
	{
		Code: ValidationFailed, Status: http.StatusUnprocessableEntity,
		Hint:    "details.fields names every bad field with its rule.",
		Meaning: "The body is JSON, but fields are missing, unknown, of the wrong type or out of range.",
		Remedy:  "Correct all the fields that details.fields lists; it lists all of them at once.",
	},
	{
		Code: InvalidPreset, Status: http.StatusUnprocessableEntity,
		Hint:    "details.allowed lists the presets of this server.",
		Meaning: "This server has no preset of that name.",
		Remedy:  "Use one of details.allowed, or leave preset out for starter.",
	},
	{
		Code: IdempotencyKeyReused, Status: http.StatusUnprocessableEntity,
		Hint:    "Use a new key for a new request.",
		Meaning: "The Idempotency-Key was used before for a different method, path, query or body.",
		Remedy:  "Use one key per intended effect. Create a new key for a changed request.",
	},
	{
		Code: QuantityMismatch, Status: http.StatusUnprocessableEntity,
		Hint:    "details.quantity is the one that fits.",
		Meaning: "The quantity is more than can be shipped or billed, or less than the customer takes.",
		Remedy:  "Leave quantity out, or send details.quantity.",
	},
	{
		Code: GangMixedPaper, Status: http.StatusUnprocessableEntity,
		Hint:    "All work orders of one run need the same paper; details.papers lists theirs.",
		Meaning: "The work orders of a gang run share one make-ready and so one paper.",
		Remedy:  "Group work orders by paper_sku of their products.",
	},
	{
		Code: ReferenceRequired, Status: http.StatusUnprocessableEntity,
		Hint:    "Put the sales order's id into reference.",
		Meaning: "Custom goods belong to one order, and the shipment needs its reference.",
		Remedy:  "Send reference with the id or number of the sales order.",
	},
	{
		Code: SandboxExpired, Status: http.StatusLocked,
		Hint:    "The sandbox can be read until it is deleted. Create another to go on.",
		Meaning: "The sandbox has expired. It is read-only until it is deleted.",
		Remedy:  "Read the records that you still need, then create a new sandbox.",
	},
	{
		Code: SandboxBankrupt, Status: http.StatusLocked,
		Hint: "The sandbox can be read until it is deleted. Create another to try again.",
		Meaning: "The company went bankrupt: at a day's close its cash was below the overdraft, or negative for too " +
			"many closes in a row. Its clock has stopped and it is read-only.",
		Remedy: "Read the ledger and the feed to find the cause, then create a new sandbox.",
	},
	{
		Code: RateLimited, Status: http.StatusTooManyRequests, Retryable: true,
		Hint: "Wait for Retry-After seconds, then repeat with the same Idempotency-Key.",
		Meaning: "You exceeded a rate limit: that of the key, of your network, or of requests without a valid key. " +
			"A key that keeps sending enters a short cooldown. " +
			"Nothing was done, and no key is lost.",
		Remedy: "Wait until retry_at, which is the moment that Retry-After names, and send the same request again. " +
			"X-RateLimit-Remaining shows how many requests are left.",
	},
	{
		Code: PowRequired, Status: http.StatusPreconditionRequired,
		Hint: "Find a decimal nonce for which SHA-256 of the challenge followed by the nonce begins with " +
			"details.difficulty zero bits, and send Sim-PoW: <challenge>.<nonce>.",
		Meaning: "This server requires a proof of work with each creation, and none was sent, or one that is wrong, " +
			"too old or used. details.reason says which.",
		Remedy: "Solve details.challenge within five minutes and repeat the request with the header Sim-PoW. " +
			"Each proof is good for one creation.",
	},
	{
		Code: TickRate, Status: http.StatusTooManyRequests, Retryable: true,
		Hint: "Wait for Retry-After seconds, then repeat with the same Idempotency-Key; one tick may advance up " +
			"to 480 minutes.",
		Meaning: "The clock was moved just before, and the minimum time between two manual ticks is not " +
			"over.",
		Remedy: "Wait for Retry-After and repeat with the same Idempotency-Key, or move the clock by more minutes at " +
			"a time.",
	},
	{
		Code: IPActiveLimit, Status: http.StatusTooManyRequests, Retryable: true,
		Hint: "Use the sandboxes you have, delete one with DELETE /sandbox and its key, or wait until the first " +
			"of them is deleted, at retry_at.",
		Meaning: "Your network has reached its limit of sandboxes, waiting tickets included.",
		Remedy: "Delete a sandbox that you no longer need with DELETE /sandbox, share one, or wait: " +
			"it stops counting once it is deleted, some time after it expires.",
	},
	{
		Code: IPCreateLimit, Status: http.StatusTooManyRequests, Retryable: true,
		Hint:    "Wait until retry_at.",
		Meaning: "Your network has reached its limit of new sandboxes per hour.",
		Remedy:  "Extend and reuse a sandbox. A ticket in the queue counts as a creation.",
	},
	{
		Code: HostRefused, Status: http.StatusMisdirectedRequest,
		Hint: "Use the address that this server prints when it starts, or tell it its name with --public-url.",
		Meaning: "The Host header names neither the public address of this server nor this machine. " +
			"A page of another site could have had its name lead here.",
		Remedy: "Use the server's public address. Addresses of numbers and localhost always work; without a " +
			"--public-url, names without a dot and those in .local, .internal, .test or .svc do too, unless the " +
			"server listens on this machine alone. Behind a proxy, set --public-url or let the proxy send the " +
			"public name.",
	},
	{
		Code: HeadersTooLarge, Status: http.StatusRequestHeaderFieldsTooLarge,
		Hint:    "Send fewer or shorter headers.",
		Meaning: "The headers are too large.",
		Remedy:  "Send fewer or shorter headers; the limit is 64 KiB.",
	},
	{
		Code: InternalError, Status: http.StatusInternalServerError, Retryable: true,
		Hint:    "Repeat with the same Idempotency-Key. If it persists, report the request_id.",
		Meaning: "Something went wrong on the server. The request may have taken effect.",
		Remedy:  "Repeat with the same Idempotency-Key: if it took effect, the response is the original one.",
	},
	{
		Code: SandboxDamaged, Status: http.StatusInternalServerError,
		Hint:    "Create a new sandbox. Repeating the request does not help.",
		Meaning: "The stored data of the sandbox is damaged: a disk or a program changed it.",
		Remedy: "Create a new sandbox. The operator finds what is damaged with platen doctor --database, and " +
			"can restore a backup.",
	},
	{
		Code: QueueFull, Status: http.StatusServiceUnavailable, Retryable: true,
		Hint:    "Try again after Retry-After.",
		Meaning: "The server is full.",
		Remedy:  "Wait for Retry-After seconds and try again.",
	},
	{
		Code: Unavailable, Status: http.StatusServiceUnavailable, Retryable: true,
		Hint: "Repeat after Retry-After with the same Idempotency-Key.",
		Meaning: "The server is stopping, its storage takes nothing at the moment, or requests at work take all of " +
			"its memory.",
		Remedy: "Repeat after Retry-After with the same Idempotency-Key.",
	},
}
