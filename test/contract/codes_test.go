package contract

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// codeRow is how the row of an error code begins, behind its id.
var codeRow = regexp.MustCompile("`[A-Z_.]*ERR\\.[A-Z_]+`[ |]+(\\d{3}) `([a-z_]+)`")

// codeRows returns the status of each error code of the contract, those aside
// whose rows are owed.
func codeRows(t testing.TB) map[string]int {
	t.Helper()
	codes, err := readCodeRows()
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

var readCodeRows = sync.OnceValues(func() (map[string]int, error) {
	all, err := contractRows()
	if err != nil {
		return nil, err
	}
	owed, err := owedRows()
	if err != nil {
		return nil, err
	}
	codes := map[string]int{}
	for id, line := range all {
		match := codeRow.FindStringSubmatch(line)
		if match == nil || slices.Contains(owed, id) {
			continue
		}
		if codes[match[2]], err = strconv.Atoi(match[1]); err != nil {
			return nil, fmt.Errorf("%s: %w", id, err)
		}
	}
	return codes, nil
})

// refusals are the error codes that were received.
type refusals struct {
	mu    sync.Mutex // guards codes
	codes map[string]bool
}

// heard is every code that a server of this suite answered with, over its
// socket.
var heard = &refusals{codes: map[string]bool{}}

func (r *refusals) note(code string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.codes[code] = true
}

// missing lists which of some codes no answer had.
func (r *refusals) missing(codes map[string]int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(codes)), func(code string) bool { return r.codes[code] })
}

// whole reports whether this run was asked for every test.
func whole() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

// expectEveryCode fails a run of the whole suite in which no response had some
// error code: the code is promised, and no test shows that it can occur.
func expectEveryCode(t testing.TB) {
	if !whole() {
		return
	}
	for _, code := range heard.missing(codeRows(t)) {
		t.Errorf("no test was answered %s: write one that reaches it over a socket, as a user does", code)
	}
}

// inspectRefusal checks what holds for every refusal, and notes its code.
func (s *service) inspectRefusal(t testing.TB, asked string, status int, header http.Header, envelope object) {
	t.Helper()
	failure, meta := child(t, envelope, "error"), child(t, envelope, "meta")
	code := text(failure, "code")
	heard.note(code)
	if want, known := codeRows(t)[code]; want != status {
		t.Errorf("%s: %d %s; the contract has it %t, with %d", asked, status, code, known, want)
	}
	wants := slices.Contains(retryable, code) || slices.Contains([]int{
		http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable,
	}, status) && code != "sandbox_damaged"
	// Under a manual clock only a tick helps (contract: OPEN.ERR.MANUAL_CLOCK).
	ticked := slices.Contains([]string{
		"press_busy", "press_down", "no_operator", "no_warehouse_worker", "week_not_over",
	}, code) && strings.Contains(text(failure, "hint"), "/sandbox/tick")
	if failure["retryable"] != (wants && !ticked) {
		t.Errorf("%s: %s has retryable %v, want %v", asked, code, failure["retryable"], wants)
	}
	for _, name := range []string{"message", "hint"} {
		if sentence := text(failure, name); !strings.Contains(sentence, " ") ||
			strings.TrimRight(sentence, ".?") == sentence {
			t.Errorf("%s: %s has the %s %q, which is no sentence", asked, code, name, sentence)
		}
	}
	// TestEveryCodeHasItsPage opens them.
	if docs := text(failure, "docs_url"); docs != s.Origin+"/docs/errors/"+code {
		t.Errorf("%s: %s has the docs_url %q at %s", asked, code, docs, s.Origin)
	}
	if details, has := failure["details"]; has {
		if _, ok := details.(map[string]any); !ok {
			t.Errorf("%s: details are %v", asked, details)
		}
	}
	inspectWhen(t, asked+": "+code, header.Get("Retry-After"), failure, meta)
}

// inspectWhen checks that Retry-After, in whole seconds, and retry_at are the
// same moment wherever a refusal has both; 429 always has.
func inspectWhen(t testing.TB, where, after string, failure, meta object) {
	t.Helper()
	seconds, err := strconv.Atoi(after)
	if after != "" && (err != nil || seconds < 1) {
		t.Errorf("%s has Retry-After %q", where, after)
	}
	if failure["retry_at"] == nil || after == "" {
		return
	}
	at, errAt := time.Parse(time.RFC3339Nano, text(failure, "retry_at"))
	now, errNow := time.Parse(time.RFC3339Nano, text(meta, "server_time"))
	if apart := at.Sub(now.Add(time.Duration(seconds) * time.Second)).Abs(); errAt != nil || errNow != nil ||
		apart >= time.Second {
		t.Errorf("%s has retry_at %v and Retry-After %s at %v", where, failure["retry_at"], after, meta["server_time"])
	}
}

func TestEveryCodeHasItsPage(t *testing.T) {
	t.Parallel()
	rows(t, "ENV.ERROR.DOCS_URL")
	for code := range codeRows(t) {
		if status := shared.page(t, "/docs/errors/"+code); status != http.StatusOK {
			t.Errorf("the page about %s is answered %d", code, status)
		}
	}
}

// TestTheChecksOfEveryRefusalCanFail holds refusals that break a rule against
// the checks that every refusal goes through.
func TestTheChecksOfEveryRefusalCanFail(t *testing.T) {
	t.Parallel()
	const now = "2026-09-07T08:00:00.000000Z"
	for name, c := range map[string]struct {
		change object
		after  string
		status int
		bad    bool
	}{
		"as it is":       {nil, "1", 429, false},
		"no Retry-After": {nil, "", 429, false},
		"another status": {nil, "1", 409, true},
		"an unknown code": {object{"code": "tock_rate", "docs_url": shared.Origin + "/docs/errors/tock_rate"},
			"1", 429, true},
		"not to be retried":    {object{"retryable": false}, "1", 429, true},
		"another moment":       {object{"retry_at": "2026-09-07T08:00:02.500000Z"}, "1", 429, true},
		"no moment":            {object{"retry_at": "soon"}, "1", 429, true},
		"at once":              {nil, "0", 429, true},
		"in words":             {nil, "an hour", 429, true},
		"no hint":              {object{"hint": ""}, "1", 429, true},
		"no sentence":          {object{"message": "ticked"}, "1", 429, true},
		"a page elsewhere":     {object{"docs_url": shared.Origin + "/docs"}, "1", 429, true},
		"details with members": {object{"details": object{"minutes": 1}}, "1", 429, false},
		"details as a text":    {object{"details": "none"}, "1", 429, true},
	} {
		failure := object{
			"code": "tick_rate", "message": "It was ticked.", "hint": "Wait a while.", "retryable": true,
			"retry_at": "2026-09-07T08:00:00.500000Z", "docs_url": shared.Origin + "/docs/errors/tick_rate",
		}
		maps.Copy(failure, c.change)
		listener, header := &ear{}, http.Header{}
		if c.after != "" {
			header.Set("Retry-After", c.after)
		}
		shared.inspectRefusal(listener, name, c.status, header,
			object{"error": failure, "meta": object{"server_time": now}})
		if (listener.heard > 0) != c.bad {
			t.Errorf("%s: %d complaints", name, listener.heard)
		}
	}
}

func TestACodeThatNobodyHeardIsFound(t *testing.T) {
	t.Parallel()
	codes := codeRows(t)
	if codes["tick_rate"] != http.StatusTooManyRequests || codes["ticket_not_found"] != http.StatusNotFound ||
		codes["press_busy"] != http.StatusConflict {
		t.Errorf("the contract's codes are %v", codes)
	}
	some := &refusals{codes: map[string]bool{"tick_rate": true, "banned": true, "tock_rate": true}}
	if got, want := some.missing(map[string]int{"tick_rate": 429, "queue_full": 503, "not_found": 404}),
		[]string{"not_found", "queue_full"}; !slices.Equal(got, want) {
		t.Errorf("missing are %v, want %v", got, want)
	}
}
