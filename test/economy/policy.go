package main

import "platen/internal/event"

// policy is how a player decides. Each member is one skill: what a player who
// has it does better than one who takes everything as it comes.
type policy struct {
	// name and text are what the docs say of the player.
	name, text string
	// idle players do nothing at all.
	idle bool
	lots lotChoice
	// choosing declines orders that cannot be made in time or earn too little
	// for the time they take.
	choosing bool
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
	// matching pays no more than what came, discounts what is billed early.
	matching, discounts bool

	// These are exploits: zeroHours reports every Friday that nobody worked, dismissed are
	// the roles that go on the first morning, shelf prints for the exchange, marketPaper
	// buys all paper there.
	zeroHours, shelf, marketPaper, thirdOperator bool
	dismissed                                    []event.Role
}

// lotChoice is which contract lots a player takes.
type lotChoice int

// Choices of lots.
const (
	noLots lotChoice = iota
	allLots
	fittingLots
)

// Names of the policies.
const (
	nothing    = "nothing"
	greedy     = "greedy"
	greedyLots = "greedy+lots"
	planner    = "planner"
	good       = "good"
)

// policies are the players that are measured in every preset.
func policies() []policy {
	return []policy{
		{name: nothing, text: "Sends nothing at all. Customers turn away, wages and rent are collected.", idle: true},
		greedyPolicy(),
		plannerPolicy(),
		{name: greedyLots, text: "The greedy player, who takes every contract lot too.", lots: allLots, rush: true},
		goodPolicy(),
	}
}

func greedyPolicy() policy {
	return policy{
		name: greedy,
		text: "Accepts every order, prints the oldest on any press that is free, refills from the mill at the " +
			"reorder point, and pays what is billed on the last day.",
		rush: true,
	}
}

// plannerPolicy is good play without lots and without the market.
func plannerPolicy() policy {
	p := goodPolicy()
	p.name, p.text = planner, "Plans its presses and its purchases, and leaves lots and the market alone."
	p.lots, p.market = noLots, false
	return p
}

func goodPolicy() policy {
	return policy{
		name: good, text: "Has all the skills below.", lots: fittingLots, choosing: true, planning: true, ganging: true,
		overs: true, foresight: true, rush: true, market: true, matching: true, discounts: true,
	}
}

// lever is a skill that can be taken away from the good player.
type lever struct {
	name, text string
	without    func(*policy)
}

func levers() []lever {
	return []lever{
		{"lots", "Contract lots, when there is room for them", func(p *policy) { p.lots = noLots }},
		{"choosing", "Declining what cannot be made in time", func(p *policy) { p.choosing = false }},
		{"planning", "What is due first, on the press that suits it", func(p *policy) { p.planning = false }},
		{"ganging", "Small orders of one paper in one run", func(p *policy) { p.ganging = false }},
		{"overs", "A few more overs, fewer short runs", func(p *policy) { p.overs = false }},
		{"foresight", "Buying for the orders at hand", func(p *policy) { p.foresight = false }},
		{"rush", "Rush orders, and paper at once when it is missing", func(p *policy) { p.rush = false }},
		{"market", "Paper from the market when it is cheap", func(p *policy) { p.market = false }},
		{"paying", "Matched amounts and early discounts", func(p *policy) { p.matching, p.discounts = false, false }},
	}
}
