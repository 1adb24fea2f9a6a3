package api

import (
	"fmt"
	"net/netip"
	"strconv"
	"time"

	"platen/internal/api/message"
	"platen/internal/edge/network"
	"platen/internal/edge/ratelimit"
	"platen/internal/words/problem"
)

// Gate decides whether a request may pass.
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

// of returns the values that show the remaining budget of a decision.
func (d *display) of(decision *ratelimit.Decision) message.Budget {
	var shown *decided
	left, seconds := decision.Remaining, decision.RetryAfter
	switch {
	case seconds == 0 && d.off != nil:
		shown = d.off
	case seconds == 0 && left < len(d.left):
		shown = &d.left[left]
	default:
		if seconds == 0 {
			seconds = d.untilFull(left)
		}
		shown = &decided{remaining: []string{strconv.Itoa(left)}, rate: []string{d.rateOf(left, seconds)}}
	}
	return message.Budget{Limit: d.limit, Policy: d.policy, Remaining: shown.remaining, Rate: shown.rate}
}

// budget is the layer in which a request is paid for, before its own endpoint, within a layer, serves it. Nothing has
// been done for a request until then, and only then is it told what the door has found.
func (s *Server) budget(within message.Layer) message.Handler {
	next := within.Around(func(r *message.Request) *message.Response { return r.Endpoint(r) })
	return func(r *message.Request) *message.Response {
		if r.OwnBudget {
			return next(r)
		}
		spent, err := s.pay(r)
		switch {
		case err != nil:
		case s.stopping.Load():
			err = message.Stopping()
		default:
			err = r.Refusal
		}
		var out *message.Response
		if err != nil {
			out = s.refuse(r, err)
		} else {
			out = next(r)
		}
		if !out.Relayed {
			s.show(r, out, spent)
		}
		return out
	}
}

// refuse is the response to a request that failed before it reached its endpoint.
func (s *Server) refuse(r *message.Request, err error) *message.Response {
	out := s.errors.Response(r, r.At, err)
	s.show(r, out, ratelimit.Decision{})
	return out
}

// pay spends the cost of a request, or refuses it. A decision without an outcome was taken elsewhere.
func (s *Server) pay(r *message.Request) (spent ratelimit.Decision, err error) {
	if r.Pays != nil {
		spent = r.Pays(r.At.Time())
	} else {
		spent = s.gate.Admit(r.At.Time(), r.Network,
			ratelimit.Caller{Sandbox: r.Caller.SandboxID, System: string(r.Caller.System)})
	}
	if spent.Outcome != ratelimit.Passed && spent.Outcome != "" {
		err = s.passed(r, &spent)
	}
	return spent, err
}

// passed refuses a request whose budgets are used up.
func (s *Server) passed(r *message.Request, spent *ratelimit.Decision) error {
	if spent.Outcome == ratelimit.Passed {
		return nil
	}
	if spent.Began {
		s.log.Warn("a network is banned: it went on sending over its limits", "network", r.Network.String(),
			"until", spent.RetryAt)
	}
	p := refusalOf(spent, s.gate.Budget(spent.By)).DueTo(settingOf(spent.By))
	p.RetryAfter = spent.RetryAfter
	return p.RetryingAt(spent.RetryAt)
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

// show puts the caller's remaining budget into a response, and what is announced of its operation. A response that
// is made before anything was spent shows the present budget.
func (s *Server) show(r *message.Request, out *message.Response, spent ratelimit.Decision) {
	out.Budget, out.Spent = s.remaining(r, &spent), spent
	if a := s.announcements[r.Operation]; a != nil {
		a.announce(out)
	}
}

func (s *Server) remaining(r *message.Request, spent *ratelimit.Decision) message.Budget {
	if spent.Outcome == "" {
		*spent = s.gate.Look(r.At.Time(), r.Network,
			ratelimit.Caller{Sandbox: r.Caller.SandboxID, System: string(r.Caller.System)})
	}
	name := spent.Own
	// The budget that refused is shown, unless it was a ban without a budget.
	if spent.Outcome != ratelimit.Passed && !s.gate.Budget(spent.By).Off() {
		name = spent.By
	}
	return s.displays[name].of(spent)
}

// limit takes the budgets of the options.
func (s *Server) limit(o Options) error {
	var err error
	if s.gate = o.Gate; s.gate == nil {
		open, err := ratelimit.New(ratelimit.Options{})
		if err != nil {
			return fmt.Errorf("switch the budgets off: %w", err)
		}
		s.gate = open
	}
	if s.network = o.Network; s.network == nil {
		if s.network, err = network.New(
			network.Options{IPv4Bits: network.IPv4Bits, IPv6Bits: network.IPv6Bits}); err != nil {
			return fmt.Errorf("make rules for networks: %w", err)
		}
	}
	s.displays = map[ratelimit.Name]*display{}
	for _, name := range []ratelimit.Name{ratelimit.Key, ratelimit.Anonymous, ratelimit.Group, ratelimit.Pages,
		ratelimit.Block, ratelimit.BlockPages} {
		s.displays[name] = newDisplay(s.gate, name)
	}
	return nil
}
