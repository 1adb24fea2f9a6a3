// Package ratelimit decides whether a request may pass. Four budgets are kept,
// each a token bucket for each of its callers: one for each key, one for each
// network group, for each network group one for all requests without a key that
// works, and one for all that is not the API. A caller that goes on sending over a limit is shut out for a
// while: a key by a cooldown, a network group by a ban. Refusals of a key count
// for the key alone, so that a program in a loop does not shut out its
// neighbours, and the loopback network is never banned.
//
// The package has no clock: every function is passed the time. Its tables are
// bounded, and they first forget callers whose entry equals that of a new one.
package ratelimit

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"platen/internal/edge/network"
)

// Sizes of the tables: the most callers that are remembered.
const (
	maxKeys   = 1 << 17
	maxGroups = 1 << 15
)

// Options are the budgets and penalties of a gate.
type Options struct {
	// Key, Group and Anonymous are the budgets of a key, of a network group,
	// and of a network group's requests without a key that works (contract:
	// LIMIT.KEY_RATE, LIMIT.IP_RATE, LIMIT.ANONYMOUS_RATE).
	Key, Group, Anonymous Budget
	// Pages is the budget of a network group for all that is not the API (contract:
	// OPEN.RATE.PAGES).
	Pages Budget
	// BlockPages is that of a block of network groups.
	BlockPages Budget
	// Block is the budget of a block of network groups, of which BlockOf finds that
	// of a group, the zero one for none (contract: OPEN.RATE.BLOCK). BlockOf may be
	// nil when the budget is off.
	Block   Budget
	BlockOf func(group netip.Prefix) netip.Prefix
	// Cooldown is the penalty of a key (contract: OPEN.RATE.COOLDOWN), Ban
	// that of a network group (contract: OPEN.RATE.BAN).
	Cooldown, Ban Penalty
}

// Check reports values that cannot be.
func (o *Options) Check() error {
	return errors.Join(o.Key.check("key"), o.Group.check("network group"), o.Anonymous.check("caller without a key"),
		o.Pages.check("network group for pages"), o.Block.check("block of network groups"),
		o.BlockPages.check("block of network groups for pages"),
		o.Cooldown.check("cooldown"), o.Ban.check("ban"))
}

// Caller names a key that works by the system that it opens, and never by the
// key itself. The zero Caller has none.
type Caller struct {
	Sandbox, System string
}

// Name is the name of a budget.
type Name string

// Names of budgets.
const (
	Key       Name = "key"
	Group     Name = "network"
	Anonymous Name = "anonymous"
	Pages     Name = "pages"
	Block     Name = "block"
	// BlockPages is the budget of a block for pages.
	BlockPages Name = "block_pages"
)

// Outcome is the result of a request.
type Outcome string

// Outcomes.
const (
	// Passed requests go on.
	Passed Outcome = "passed"
	// Limited ones found a budget empty.
	Limited Outcome = "limited"
	// Cooling ones came with a key in its cooldown.
	Cooling Outcome = "cooling"
	// Banned ones came from a network group that is shut out.
	Banned Outcome = "banned"
)

// Decision is the decision on one request, with the values that its caller is
// shown.
type Decision struct {
	Outcome Outcome
	// By is the budget that refused.
	By Name
	// Block is the block whose budget refused, such as 2001:db8::/48; "" otherwise.
	Block string
	// Own is the budget of the caller, whichever budget refused, and Remaining
	// the whole tokens that are left of it.
	Own       Name
	Remaining int
	// RetryAt is when the same request may pass, and RetryAfter the whole
	// seconds until then; both are zero for one that passed.
	RetryAt    time.Time
	RetryAfter int
	// Began is set when this request has begun the ban that it was refused by.
	Began bool
}

// Gate keeps the budgets of a server.
type Gate struct {
	options   Options
	keys      *table[Caller]
	groups    *table[netip.Prefix]
	anonymous *table[netip.Prefix]
	pages     *table[netip.Prefix]
	blocks    *table[netip.Prefix]
	// blockPages are those of blocks for pages.
	blockPages *table[netip.Prefix]
}

// New returns a gate with full budgets.
func New(o Options) (*Gate, error) {
	if err := o.Check(); err != nil {
		return nil, fmt.Errorf("rate budgets: %w", err)
	}
	if o.BlockOf == nil {
		o.BlockOf = func(netip.Prefix) netip.Prefix { return netip.Prefix{} }
	}
	cooldown := o.Cooldown
	if o.Key.Off() { // nothing can begin it
		cooldown = Penalty{}
	}
	return &Gate{
		options:   o,
		keys:      newTable[Caller](o.Key, cooldown, maxKeys),
		groups:    newTable[netip.Prefix](o.Group, o.Ban, maxGroups),
		anonymous: newTable[netip.Prefix](o.Anonymous, Penalty{}, maxGroups),
		pages:     newTable[netip.Prefix](o.Pages, Penalty{}, maxGroups),
		blocks:    newTable[netip.Prefix](o.Block, Penalty{}, maxGroups),

		blockPages: newTable[netip.Prefix](o.BlockPages, Penalty{}, maxGroups),
	}, nil
}

// Options are those that the gate was made with.
func (g *Gate) Options() Options { return g.options }

// Cooldown returns the penalty of keys.
func (g *Gate) Cooldown() Penalty { return g.options.Cooldown }

// Budget returns one of the gate's budgets.
func (g *Gate) Budget(name Name) Budget {
	switch name {
	case Key:
		return g.options.Key
	case Group:
		return g.options.Group
	case Anonymous:
		return g.options.Anonymous
	case Pages:
		return g.options.Pages
	case Block:
		return g.options.Block
	case BlockPages:
		return g.options.BlockPages
	}
	panic("there is no budget " + string(name))
}

// Admit decides on one request and spends its cost: a token of its network
// group and one of its caller. A request that is refused costs nothing.
func (g *Gate) Admit(at time.Time, group netip.Prefix, caller Caller) Decision {
	now := at.UnixNano()
	own := Own(caller)
	if spent := g.enter(group, now); spent.wait > 0 || spent.shut > 0 {
		return Decision{By: Group, Own: own, Began: spent.began}.Refused(at, cmp.Or(spent.shut, spent.wait),
			spent.shut > 0)
	}
	if d, refused := g.spendBlock(at, group, own); refused {
		g.groups.refuse(group, now, false)
		return d
	}
	var spent state
	if own == Key {
		spent = g.keys.spend(caller, now, 1, false)
	} else {
		spent = g.anonymous.spend(group, now, 1, false)
	}
	if spent.wait == 0 && spent.shut == 0 {
		return Decision{Outcome: Passed, Own: own, Remaining: spent.remaining}
	}
	g.refundBlock(group, now)
	if shut := g.groups.refuse(group, now, own == Anonymous && !network.Loopback(group)); shut > 0 {
		return Decision{By: Group, Own: own, Began: true}.Refused(at, shut, true)
	}
	return Decision{By: own, Own: own}.Refused(at, cmp.Or(spent.shut, spent.wait), spent.shut > 0)
}

// enter spends a token of a network group. The loopback network is never banned: everything on the server's own
// machine is one group.
func (g *Gate) enter(group netip.Prefix, now int64) state {
	return g.groups.spend(group, now, 1, network.Loopback(group))
}

// spendBlock spends a token of the block that a network group is in, and refuses
// when there is none. Its refusals count for no ban: they are those of others
// too.
func (g *Gate) spendBlock(at time.Time, group netip.Prefix, own Name) (d Decision, refused bool) {
	block := g.options.BlockOf(group)
	if !block.IsValid() {
		return Decision{}, false
	}
	spent := g.blocks.spend(block, at.UnixNano(), 1, false)
	if spent.wait == 0 {
		return Decision{}, false
	}
	return Decision{By: Block, Block: block.String(), Own: own}.Refused(at, spent.wait, false), true
}

// Block is the block of a network group whose budget counts, the zero one for
// none.
func (g *Gate) Block(group netip.Prefix) netip.Prefix {
	if g.options.Block.Off() {
		return netip.Prefix{}
	}
	return g.options.BlockOf(group)
}

// refundBlock gives back the token of a block whose request another budget refused.
func (g *Gate) refundBlock(group netip.Prefix, now int64) {
	if block := g.Block(group); block.IsValid() {
		g.blocks.refuse(block, now, false)
	}
}

// Charge spends a token of a network group's anonymous budget, if there is one,
// for a request that is processed in any case.
func (g *Gate) Charge(at time.Time, group netip.Prefix) Decision {
	return Decision{
		Outcome: Passed, Own: Anonymous, Remaining: g.anonymous.spend(group, at.UnixNano(), 1, false).remaining,
	}
}

// Enter spends a token of a network group alone: for a request of a known
// caller, to which no other budget applies.
func (g *Gate) Enter(at time.Time, group netip.Prefix) Decision {
	now := at.UnixNano()
	spent := g.enter(group, now)
	if spent.wait > 0 || spent.shut > 0 {
		return Decision{By: Group, Own: Group, Began: spent.began}.Refused(at, cmp.Or(spent.shut, spent.wait),
			spent.shut > 0)
	}
	if d, refused := g.spendBlock(at, group, Group); refused {
		g.groups.refuse(group, now, false)
		return d
	}
	return Decision{Outcome: Passed, Own: Group, Remaining: spent.remaining}
}

// Browse decides on a request for a page, and spends tokens of the budgets for pages of its
// network group and of the block. Its refusals count for no ban. The loopback network
// has no limit.
func (g *Gate) Browse(at time.Time, group netip.Prefix, tokens int) Decision {
	now := at.UnixNano()
	if shut := g.groups.shut(group, now); shut > 0 {
		return Decision{By: Group, Own: Pages}.Refused(at, shut, true)
	}
	if g.options.Pages.Off() || network.Loopback(group) {
		return Decision{Outcome: Passed, Own: Pages, Remaining: MaxRequests}
	}
	spent := g.pages.spend(group, now, tokens, false)
	if spent.wait > 0 {
		return Decision{By: Pages, Own: Pages}.Refused(at, spent.wait, false)
	}
	if block := g.options.BlockOf(group); block.IsValid() {
		if all := g.blockPages.spend(block, now, tokens, false); all.wait > 0 {
			g.pages.refund(group, now, tokens)
			return Decision{By: BlockPages, Block: block.String(), Own: Pages}.Refused(at, all.wait, false)
		}
	}
	return Decision{Outcome: Passed, Own: Pages, Remaining: spent.remaining}
}

// Look returns a caller's remaining budget, and spends nothing.
func (g *Gate) Look(at time.Time, group netip.Prefix, caller Caller) Decision {
	own := Own(caller)
	return Decision{Outcome: Passed, Own: own, Remaining: g.remaining(own, group, caller, at.UnixNano())}
}

// Shuts reports whether a network group is banned at a moment.
func (g *Gate) Shuts(at time.Time, group netip.Prefix) bool {
	return g.groups.shut(group, at.UnixNano()) > 0
}

// Lift ends all bans, and returns how many there were.
func (g *Gate) Lift(at time.Time) int { return g.groups.lift(at.UnixNano()) }

// Size is the number of callers that the gate remembers.
func (g *Gate) Size() int {
	return g.keys.size() + g.groups.size() + g.anonymous.size() + g.pages.size() +
		g.blocks.size() + g.blockPages.size()
}

// Own is the budget that a caller has.
func Own(caller Caller) Name {
	if caller == (Caller{}) {
		return Anonymous
	}
	return Key
}

func (g *Gate) remaining(own Name, group netip.Prefix, caller Caller, now int64) int {
	if own == Key {
		return g.keys.remaining(caller, now)
	}
	return g.anonymous.remaining(group, now)
}

// Refused completes a decision against a request: how long to wait, and whether
// that is because of a penalty. A lack of tokens asks for whole seconds, so that
// the header and the moment say the same; a penalty ends for all its requests at
// one moment.
func (d Decision) Refused(at time.Time, wait time.Duration, shut bool) Decision {
	d.RetryAfter = int((wait + time.Second - 1) / time.Second)
	switch {
	case !shut:
		d.Outcome, d.RetryAt = Limited, at.Add(time.Duration(d.RetryAfter)*time.Second)
	case d.By == Group:
		d.Outcome, d.RetryAt = Banned, at.Add(wait)
	default:
		d.Outcome, d.RetryAt = Cooling, at.Add(wait)
	}
	return d
}
