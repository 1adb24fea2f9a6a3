package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"platen/internal/company"
	"platen/internal/company/factory"
	"platen/internal/company/preset"
	"platen/internal/company/sim"
	"platen/internal/moment"
	"platen/internal/problem"
)

const (
	daysLength = 700 * time.Millisecond
	// daysOfLife is how long a company is played: about as long as its first
	// material lasts, since nothing can be bought yet.
	daysOfLife = 15
	// actsPerDay is how often a player acts, every half hour.
	actsPerDay = 16
)

// dayRates are company-days in a second of processor time, by round.
type dayRates struct {
	Idle   []float64 `json:"idle"`
	Greedy []float64 `json:"greedy"`
	// Runs and Shipped are what greedy players do in a life.
	Runs    float64 `json:"runs"`
	Shipped float64 `json:"shipped"`
}

func measureDays(ctx context.Context, b *bench) ([]figure, error) {
	var rates dayRates
	if err := b.once(ctx, &rates, "days"); err != nil {
		return nil, err
	}
	return []figure{
		{name: "company-days per second and core, do nothing", samples: rates.Idle, unit: perSecond, least: 20_000,
			aim: 20_000, note: "of processor time, recorder without encoding"},
		{
			name: "company-days per second and core, greedy", samples: rates.Greedy, unit: perSecond,
			least: 2_000, aim: 2_000,
			note: fmt.Sprintf("acts every half hour of %d days: %.0f print runs, %.0f orders shipped in a life",
				daysOfLife, rates.Runs, rates.Shipped),
		},
	}, nil
}

// runDays plays companies without a registry.
func runDays(_ context.Context, p *parent, _ []string) error {
	presets, err := preset.Builtin()
	if err != nil {
		return fmt.Errorf("read presets: %w", err)
	}
	l := lives{preset: presets["starter"], wall: moment.InstantOf(time.Now())}
	rates := dayRates{}
	for round := range rounds + 1 {
		idle, err := l.rate(false)
		if err != nil {
			return err
		}
		greedy, err := l.rate(true)
		if err != nil {
			return err
		}
		if round > 0 { // the first is to warm up
			rates.Idle, rates.Greedy = append(rates.Idle, idle), append(rates.Greedy, greedy)
		}
	}
	rates.Runs, rates.Shipped = float64(l.runs)/float64(l.greedy), float64(l.shipped)/float64(l.greedy)
	return p.say(rates)
}

// lives plays one company after the other, each with a seed of its own.
type lives struct {
	preset preset.Preset
	wall   moment.Instant
	seed   uint64

	greedy, runs, shipped int
}

// rate returns company-days in a second of processor time. Collecting garbage
// counts, also where another processor does it.
func (l *lives) rate(greedy bool) (float64, error) {
	before, err := cpuTime()
	if err != nil {
		return 0, err
	}
	days := 0
	for began := time.Now(); time.Since(began) < daysLength; days += daysOfLife {
		l.live(greedy)
	}
	after, err := cpuTime()
	return float64(days) / (after - before).Seconds(), err
}

func (l *lives) live(greedy bool) {
	l.seed++
	c := company.New(company.Settings{
		SandboxID: "sbx_0", Preset: l.preset, Bridge: l.preset.Bridge, Seed: l.seed, UID: 1,
	}, sim.Manual, l.wall)
	c.Forget()
	player := newPlayer(c)
	for act := range daysOfLife * actsPerDay {
		if greedy {
			player.act(act%actsPerDay == 0)
		}
		c.Tick(l.wall, int(sim.DayLength)/actsPerDay)
		c.Forget()
	}
	if greedy {
		l.greedy++
		l.runs += player.runs
		l.shipped += player.shipped
	}
}

// player accepts every order, prints first in, first out on any free press,
// and ships what is ready. It looks at nothing twice: ids follow from the seed
// and the order of births, so it knows the next one before it is there, and
// learns from refusals what has happened.
type player struct {
	company       *company.Company
	orders, works identities
	order, work   int
	// waiting are work orders that are not printed yet, printed those that a
	// press has taken and that have not been shipped.
	waiting, printed []string
	// short is set until the next morning for what lacks material.
	short map[string]bool

	runs, shipped int
}

// identities makes the ids of a table, as record.Table.NextID does.
type identities struct {
	prefix string
	base   uint64
}

func newIdentities(seed uint64, prefix string) identities {
	return identities{prefix: prefix, base: sim.Mix(seed ^ sim.Hash(prefix))}
}

func (i identities) nth(ordinal int) string { return sim.ID(i.prefix, sim.Mix(i.base^uint64(ordinal))) }

func newPlayer(c *company.Company) *player {
	seed := c.Settings().Seed
	return &player{
		company: c, orders: newIdentities(seed, "so"), works: newIdentities(seed, "wo"), short: map[string]bool{},
	}
}

// act does all that can be done at the moment.
func (p *player) act(morning bool) {
	p.accept()
	p.ship()
	if morning {
		clear(p.short)
		p.reprint()
	}
	p.print("prs_offset")
	p.print("prs_digital")
}

// accept takes new orders until there is no further one. The bridge orders
// the work of each.
func (p *player) accept() {
	for ; ; p.order++ {
		err := p.company.AcceptSalesOrder(p.orders.nth(p.order))
		if refusal(err) == problem.NotFound {
			return
		}
		if err == nil {
			p.waiting = append(p.waiting, p.works.nth(p.work))
			p.work++
		}
	}
}

func (p *player) ship() {
	kept := p.printed[:0]
	for _, id := range p.printed {
		_, err := p.company.ShipFromFactory(factory.ShipmentInput{WorkOrderID: id})
		switch refusal(err) {
		case "":
			p.shipped++
		case problem.WorkOrderNotReady:
			kept = append(kept, id)
		default: // no customer takes the goods any more
		}
	}
	p.printed = kept
}

// reprint starts a press for what ended short: the rest is being printed or
// finished, and refused.
func (p *player) reprint() {
	for _, id := range p.printed {
		if p.start("prs_offset", id) == problem.PressBusy {
			p.start("prs_digital", id)
		}
	}
}

// print starts a press with the first work order that can be printed.
func (p *player) print(press string) {
	for i := 0; i < len(p.waiting); i++ {
		id := p.waiting[i]
		if p.short[id] {
			continue
		}
		switch p.start(press, id) {
		case "":
			p.printed = append(p.printed, id)
			p.waiting = slices.Delete(p.waiting, i, i+1)
			return
		case problem.InsufficientStock:
			p.short[id] = true
		case problem.InvalidState: // its order has expired, or its goods came from the shelf
			p.printed = append(p.printed, id)
			p.waiting = slices.Delete(p.waiting, i, i+1)
			i--
		default: // the press is busy
			return
		}
	}
}

func (p *player) start(press, id string) problem.Code {
	_, err := p.company.StartPrintRun(factory.PrintRunInput{
		PressID: press, WorkOrderIDs: []string{id}, OversPct: factory.DefaultOversPct,
	})
	if err == nil {
		p.runs++
	}
	return refusal(err)
}

// refusal returns the code of a refusal, "" when there is none.
func refusal(err error) problem.Code {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p.Code
	}
	return ""
}
