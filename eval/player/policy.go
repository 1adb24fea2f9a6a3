package player

import (
	"platen/internal/company/sim"
	"platen/internal/words/event"
	"platen/internal/words/money"
)

// Policy is how a player decides. A player with one of its skills does that
// better than one who takes everything as it comes.
type Policy struct {
	// Name and Text are those of the player in the docs.
	Name, Text string

	// kind says how the player comes to its commands.
	kind kind
	// plans are those among which a foreseeing player chooses.
	plans []Policy
	// terms are the least that orders and lots must earn.
	terms terms

	lots lotChoice
	// choosing declines orders that cannot be made in time or earn too little
	// for the time they take.
	choosing bool
	// stocked promises only what there is paper for.
	stocked bool
	// planning prints what is due first, on the press that suits its length,
	// and the same product twice in a row.
	planning bool
	// ganging prints small orders of one paper together.
	ganging bool
	// overs prints enough above the quantity that few runs end short.
	overs bool
	// foresight buys for the orders at hand, not when the shelf is empty.
	foresight bool
	// rush takes rush orders, and pays for speed when paper is missing for what is due soon.
	rush bool
	// market buys paper there when it is cheap.
	market bool
	// wishes carries the Factory's requisitions to Head Office and orders what they ask for.
	wishes bool
	// matching pays no more than what came, discounts what is billed early.
	matching, discounts bool

	// These are exploits: zeroHours reports every Friday that nobody worked, dismissed are
	// the roles that go on the first morning, thirdOperator that the least skilled operator
	// goes with them, shelf prints for the exchange, marketPaper buys all paper there.
	zeroHours, thirdOperator, shelf, marketPaper bool
	// singly sends the first units of an order in parcels of one, short closes orders with as little as is taken.
	singly, short bool
	dismissed     []event.Role
}

// kind is how a player comes to its commands.
type kind int

// Kinds of players.
const (
	byRules kind = iota
	// idle players send nothing.
	idle
	// atRandom players send anything that could be sent.
	atRandom
	// blind players send what was sent in another world.
	blind
	// foreseeing players know what each of some plans will come to.
	foreseeing
	// ruinous players spend all that there is.
	ruinous
)

// lotChoice is which contract lots a player takes.
type lotChoice int

// Choices of lots.
const (
	noLots lotChoice = iota
	allLots
	fittingLots
)

// terms are the good player's conditions for taking work on. The digital press does a
// quarter of what the other one does, so two presses are little more than one.
type terms struct {
	// orderCapacityPct is the part of the presses' time until the due date that orders may
	// fill, lotCapacityPct what all work may fill for a lot.
	orderCapacityPct, lotCapacityPct int64
	// A job must earn so much for a minute on a press, in minor units: an order when there
	// is work for three days ahead, and in proportion; a lot always.
	orderPerMinute, lotPerMinute money.Minor
	// lookMinutes pass between two looks at the company.
	lookMinutes int64
	// A gang run takes gangMinutes at most, so that the first of it does not wait for the last.
	gangMinutes int64
	// Where horizonDays is set, no run starts that could not be shipped before the game ends, and nothing is
	// bought on the last days, so many of them.
	horizonDays int64
	// Who is stocked counts on a supplier's promise where its truck may be slackDays late.
	slackDays sim.Day
	// wasteSheets are those that a stocked player reckons with for each order beside its own.
	wasteSheets int64
}

func usualTerms() terms {
	return terms{
		orderCapacityPct: 50, lotCapacityPct: 60, orderPerMinute: 1000, lotPerMinute: 1500,
		lookMinutes: LookMinutes, gangMinutes: 300,
	}
}

// Names of the policies.
const (
	nothing    = "nothing"
	random     = "random"
	greedy     = "greedy"
	greedyLots = "greedy+lots"
	planner    = "planner"
	careful    = "careful"
	bridge     = "bridge"
	good       = "good"
	watchful   = "watchful"
	replay     = "blind replay"
	oracle     = "oracle"
)

// Policies are the players that are measured in every preset, those who know least first.
func Policies() []Policy {
	return []Policy{
		Nothing(), Random(), Blind(), Greedy(),
		{
			Name: greedyLots, Text: "The greedy player, who takes every contract lot too.", lots: allLots, rush: true,
			terms: usualTerms(),
		},
		Planner(), Good(), Watchful(), Oracle(),
	}
}

// Nothing is a player who is not there.
func Nothing() Policy {
	return Policy{
		Name: nothing, Text: "Sends nothing at all. Customers turn away, wages and rent are collected.", kind: idle,
	}
}

// Random is a player who understands the bodies of commands and nothing else.
func Random() Policy {
	return Policy{
		Name: random, kind: atRandom,
		Text: "Sends, every hour, a few commands that could be right: which, and about what, is left to chance.",
	}
}

// Blind is a player who knows one game by heart.
func Blind() Policy {
	return Policy{
		Name: replay, kind: blind,
		Text: "Sends what the good player sent in another world, about the records of the same numbers here.",
	}
}

// Greedy is a player who takes everything as it comes.
func Greedy() Policy {
	return Policy{
		Name: greedy,
		Text: "Accepts every order, prints the oldest on any press that is free, refills from the mill at the " +
			"reorder point, and pays what is billed on the last day.",
		rush: true, terms: usualTerms(),
	}
}

// Planner is good play without lots and without the market.
func Planner() Policy {
	p := Good()
	p.Name, p.Text = planner, "Plans its presses and its purchases, and leaves lots and the market alone."
	p.lots, p.market = noLots, false
	return p
}

// Careful is a planner who promises only what there is or will be paper for. It keeps its word where paper is short,
// and is measured in no preset.
func Careful() Policy {
	p := Planner()
	p.Name, p.Text, p.stocked = careful, "Plans, and promises only what there is or will be paper for.", true
	p.market, p.terms.orderPerMinute = true, 500
	p.terms.lookMinutes, p.terms.horizonDays = 30, 3
	p.terms.slackDays, p.terms.wasteSheets = 2, 250
	return p
}

// Bridge is a careful player who carries the Factory's requisitions too: across a manual bridge it owes nothing. It is
// measured in no preset.
func Bridge() Policy {
	p := Careful()
	p.Name, p.Text, p.wishes = bridge, "Careful, and carries every record across a manual bridge.", true
	p.terms.lookMinutes = LookMinutes
	return p
}

// Good is a player who has all the skills that Levers lists.
func Good() Policy {
	return Policy{
		Name: good, Text: "Has all the skills below.", lots: fittingLots, choosing: true, planning: true, ganging: true,
		overs: true, foresight: true, rush: true, market: true, matching: true, discounts: true, terms: usualTerms(),
	}
}

// Watchful is the good player who notices at once that something has happened, and knows when the game ends.
// Of those who know no more than a client does, it comes to the most.
func Watchful() Policy {
	p := Good()
	p.Name = watchful
	p.Text = "Good, but looks every ten minutes, prints gangs of up to 480 minutes in place of 300, and knows the " +
		"last day: starts no run that could not be shipped by then, and buys nothing on the last three days."
	p.terms.lookMinutes, p.terms.gangMinutes, p.terms.horizonDays = 10, 480, 3
	return p
}

// Oracle is a player who knows what each of some plans will come to, and follows the best.
func Oracle() Policy {
	p := Policy{
		Name: oracle, kind: foreseeing,
		Text: "Knows what good play, watchful play and three variations of it will come to in this world by the day, " +
			"and follows the best.",
		plans: []Policy{Good(), Watchful()},
	}
	vary := func(change func(*Policy)) {
		plan := Watchful()
		change(&plan)
		p.plans = append(p.plans, plan)
	}
	vary(func(p *Policy) { p.stocked = true })
	vary(func(p *Policy) { p.terms.lotPerMinute = 900 })
	vary(func(p *Policy) { p.terms.lotPerMinute = 3000 })
	return p
}

// Lever is a skill that can be taken away from the good player.
type Lever struct {
	Name, Text string
	without    func(*Policy)
}

// Levers are the skills of the good player.
func Levers() []Lever {
	return []Lever{
		{"lots", "Contract lots, when there is room for them", func(p *Policy) { p.lots = noLots }},
		{"choosing", "Declining what cannot be made in time", func(p *Policy) { p.choosing = false }},
		{"planning", "What is due first, on the press that suits it", func(p *Policy) { p.planning = false }},
		{"ganging", "Small orders of one paper in one run", func(p *Policy) { p.ganging = false }},
		{"overs", "A few more overs, fewer short runs", func(p *Policy) { p.overs = false }},
		{"foresight", "Buying for the orders at hand", func(p *Policy) { p.foresight = false }},
		{"rush", "Rush orders, and paper at once when it is missing", func(p *Policy) { p.rush = false }},
		{"market", "Paper from the market on the days when it is cheap", func(p *Policy) { p.market = false }},
		{"paying", "Matched amounts and early discounts", func(p *Policy) { p.matching, p.discounts = false, false }},
	}
}

// GoodWithout is the good player without one skill.
func GoodWithout(l Lever) Policy {
	p := Good()
	p.Name = "good without " + l.Name
	l.without(&p)
	return p
}

// Fragile reports whether the company of such a player may end: it is worth watching for
// longer than the bands tell.
func (p *Policy) Fragile() bool { return p.kind == idle || p.lots == allLots }
