package api

import (
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"platen/internal/problem"
	"platen/internal/ratelimit"
	"platen/internal/sandbox"
	"platen/internal/wire"
)

// Gate decides whether a request may pass: in memory, or for several nodes.
type Gate interface {
	Admit(at time.Time, group netip.Prefix, caller ratelimit.Caller) ratelimit.Decision
	Enter(at time.Time, group netip.Prefix) ratelimit.Decision
	Browse(at time.Time, group netip.Prefix, tokens int) ratelimit.Decision
	Charge(at time.Time, group netip.Prefix) ratelimit.Decision
	Look(at time.Time, group netip.Prefix, caller ratelimit.Caller) ratelimit.Decision
	Shuts(at time.Time, group netip.Prefix) bool
	Cooldown() ratelimit.Penalty
	Budget(name ratelimit.Name) ratelimit.Budget
}

// maxPrepared bounds the header values that are made in advance.
const maxPrepared = 1000

// display holds the header values of one budget, made once: they are in every
// response.
type display struct {
	name   ratelimit.Name
	budget ratelimit.Budget
	limit  []string
	policy []string
	// left holds the values by the number of tokens that are left, off the
	// values of a budget that is switched off.
	left []decided
	off  *decided
}

// decided holds the header values that depend on the tokens left.
type decided struct{ remaining, rate []string }

func newDisplay(g Gate, name ratelimit.Name) *display {
	budget := g.Budget(name)
	d := &display{name: name, budget: budget, limit: []string{strconv.Itoa(budget.Limit())}}
	policy := `"` + string(name) + `";q=` + strconv.Itoa(budget.Limit()) + `;w=60`
	if !budget.Off() {
		policy += `;platen-burst=` + strconv.Itoa(budget.Burst)
	}
	d.policy = []string{policy}
	if budget.Off() {
		d.off = &decided{remaining: d.limit, rate: []string{d.rateOf(ratelimit.MaxRequests, 0)}}
		return d
	}
	for left := range min(budget.Burst, maxPrepared) + 1 {
		d.left = append(d.left,
			decided{remaining: []string{strconv.Itoa(left)}, rate: []string{d.rateOf(left, d.untilFull(left))}})
	}
	return d
}

// rateOf is a RateLimit header: the tokens left, and in how many seconds there
// are more.
func (d *display) rateOf(left, seconds int) string {
	return `"` + string(d.name) + `";r=` + strconv.Itoa(left) + `;t=` + strconv.Itoa(seconds)
}

// untilFull is the time in seconds in which a bucket fills.
func (d *display) untilFull(left int) int {
	if d.budget.Off() || left >= d.budget.Burst {
		return 0
	}
	missing := d.budget.Whole() / time.Duration(d.budget.Burst) * time.Duration(d.budget.Burst-left)
	return int((missing + time.Second - 1) / time.Second)
}

// show puts the remaining budget of a decision into the headers of a response.
func (d *display) show(h http.Header, decision *ratelimit.Decision) {
	h[wire.HeaderLimit], h[wire.HeaderPolicy] = d.limit, d.policy
	left := d.decided(decision)
	h[wire.HeaderRemaining], h[wire.HeaderRate] = left.remaining, left.rate
}

func (d *display) decided(decision *ratelimit.Decision) *decided {
	left, seconds := decision.Remaining, decision.RetryAfter
	switch {
	case seconds == 0 && d.off != nil:
		return d.off
	case seconds == 0 && left < len(d.left):
		return &d.left[left]
	case seconds == 0:
		seconds = d.untilFull(left)
	}
	return &decided{remaining: []string{strconv.Itoa(left)}, rate: []string{d.rateOf(left, seconds)}}
}

// budgeted names a caller to the gate.
func budgeted(c sandbox.Caller) ratelimit.Caller {
	return ratelimit.Caller{Sandbox: c.SandboxID, System: string(c.System)}
}

// admit spends the cost of a request, and refuses the request when the budget
// is too small. Nothing has been done for the request until it is admitted.
func (x *exchange) admit() error {
	if x.server.peers != nil {
		return x.admitShared()
	}
	x.spent = x.server.gate.Admit(x.now.Time(), x.group, budgeted(x.caller))
	return x.passed()
}

// passed refuses a request whose budgets are used up.
func (x *exchange) passed() error {
	if x.spent.Outcome == ratelimit.Passed {
		return nil
	}
	if x.spent.Began {
		x.server.log.Warn("a network is banned: it went on sending over its limits", "network", x.group.String(),
			"until", x.spent.RetryAt)
	}
	p := refusalOf(&x.spent, x.server.gate.Budget(x.spent.By)).DueTo(settingOf(x.spent.By))
	p.RetryAfter = x.spent.RetryAfter
	return p.RetryingAt(x.spent.RetryAt)
}

// refusalOf is the refusal of a decision (contract: ERR.RATE_LIMITED,
// ERR.COOLDOWN, ERR.BANNED).
func refusalOf(d *ratelimit.Decision, budget ratelimit.Budget) *problem.Problem {
	switch d.Outcome {
	case ratelimit.Banned:
		return problem.New(problem.Banned, "Your network went on sending over its limits and is shut out for a while.")
	case ratelimit.Cooling:
		return problem.New(problem.RateLimited, "This key went on sending over its limit and is in a cooldown.").
			Hinting("The key works again from retry_at. Requests until then fail, but do not move retry_at and count " +
				"for no other limit.")
	case ratelimit.Limited, ratelimit.Passed:
	}
	switch d.By {
	case ratelimit.Group:
		return problem.New(problem.RateLimited, "Your network has spent its budget of %d requests in a minute.",
			budget.PerMinute)
	case ratelimit.Anonymous:
		return problem.New(problem.RateLimited,
			"Your network has spent its budget of %d requests in a minute without a key that works.", budget.PerMinute)
	case ratelimit.Block:
		return problem.New(problem.RateLimited,
			"The networks of your block, %s, have spent their budget of %d requests in a minute.",
			d.Block, budget.PerMinute)
	case ratelimit.BlockPages:
		return problem.New(problem.RateLimited,
			"The networks of your block, %s, have spent their budget of %d pages and files in a minute.",
			d.Block, budget.PerMinute)
	case ratelimit.Pages:
		return problem.New(problem.RateLimited, "Your network has spent its budget of %d pages and files in a minute.",
			budget.PerMinute)
	case ratelimit.Key:
	}
	return problem.New(problem.RateLimited, "This key has spent its budget of %d requests in a minute.",
		budget.PerMinute)
}

// settingOf names the setting of a budget.
func settingOf(budget ratelimit.Name) string {
	switch budget {
	case ratelimit.Key:
		return "key-rate"
	case ratelimit.Anonymous:
		return "anonymous-rate"
	case ratelimit.Block, ratelimit.BlockPages:
		return "block-factor"
	case ratelimit.Pages:
		return "page-rate"
	case ratelimit.Group:
	}
	return "ip-rate"
}

// showBudget puts the caller's remaining budget into the headers. A response
// that is made before anything was spent shows the present budget.
func (x *exchange) showBudget(h http.Header) {
	if x.spent.Outcome == "" {
		x.spent = x.server.gate.Look(x.now.Time(), x.group, budgeted(x.caller))
	}
	if x.watching && x.caller.SandboxID != "" {
		x.server.console.display.show(h, &x.spent)
		return
	}
	name := x.spent.Own
	// The budget that refused is shown, unless it was a ban without a budget.
	if x.spent.Outcome != ratelimit.Passed && !x.server.gate.Budget(x.spent.By).Off() {
		name = x.spent.By
	}
	x.server.displays[name].show(h, &x.spent)
}
