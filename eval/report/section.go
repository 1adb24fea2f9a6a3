package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"platen/eval/statistic"
	"platen/eval/usage"
)

// Repeated is a player who played worlds several times.
type Repeated struct {
	Name   string
	Player int
	Worlds []statistic.Tries
}

// Tries is a section about repeated tries, empty where each world was played once.
func Tries(players []Repeated) Section {
	s := Section{Title: "Repeated tries"}
	table := Table{
		Title: "Probability that all of k tries of a world pass (pass^k), and that one does (pass@k)", Align: "llr",
		Head: []string{"player", ""},
	}
	lines := &Lines{Title: table.Title, Across: "k", Unit: Percent, Tick: Percent, Highest: 1}
	most := 0
	for _, p := range players {
		all, one := statistic.PassHat(p.Worlds), statistic.PassAny(p.Worlds)
		most = max(most, len(all))
		lines.Series = append(lines.Series,
			Series{Name: p.Name + ", pass^k", Player: p.Player, Points: byK(all)},
			Series{Name: p.Name + ", pass@k", Player: p.Player, Faint: true, Points: byK(one)})
		table.Rows = append(table.Rows, append([]string{p.Name, "pass^k"}, written(all)...),
			append([]string{p.Name, "pass@k"}, written(one)...))
	}
	if most < 2 {
		return Section{}
	}
	for k := range most {
		table.Head = append(table.Head, "k = "+strconv.Itoa(k+1))
	}
	for i := range table.Rows {
		for len(table.Rows[i]) < len(table.Head) {
			table.Rows[i] = append(table.Rows[i], None)
		}
	}
	s.Charts, s.Tables = []Chart{untabled{lines}}, []Table{table}
	return s
}

// untabled is a chart whose numbers are in a table of its section.
type untabled struct{ *Lines }

func (untabled) table() *Table { return nil }

func byK(values []float64) []Point {
	points := make([]Point, len(values))
	for i, v := range values {
		points[i] = Point{X: float64(i + 1), Y: v}
	}
	return points
}

func written(values []float64) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = strconv.FormatFloat(v, 'f', 2, 64)
	}
	return all
}

// Spent has the tokens, the cost and the time of a player.
type Spent struct {
	Name    string
	Player  int
	Runs    int
	Usage   *usage.Usage
	Seconds float64
}

// Usage is a section about tokens, cost and time.
func Usage(players []Spent) Section {
	s := Section{Title: "Tokens, cost and time"}
	t := Table{Title: "For a run on average, and together", Align: "lr", Head: []string{
		"player", "runs", "tokens in", "tokens out", "USD", "seconds", "tokens in all", "USD in all",
	}}
	tokens := &Bars{Title: "Tokens for a run, in and out", Unit: Number(0), Tick: plainShort, Groups: []Group{{}}}
	cost := &Bars{Title: "Cost of a run, in USD", Unit: Number(3), Tick: Number(2), Groups: []Group{{}}}
	for _, p := range players {
		runs := float64(max(p.Runs, 1))
		row := []string{p.Name, strconv.Itoa(p.Runs), None, None, None, Number(1)(p.Seconds / runs), None, None}
		if u := p.Usage; u != nil {
			all := float64(u.InputTokens) + float64(u.OutputTokens)
			row[2], row[3] = Number(0)(float64(u.InputTokens)/runs), Number(0)(float64(u.OutputTokens)/runs)
			row[4], row[6], row[7] = Number(3)(u.CostUSD/runs), Number(0)(all), Number(2)(u.CostUSD)
			bar := Bar{Name: p.Name, Player: p.Player, Value: all / runs}
			tokens.Groups[0].Bars = append(tokens.Groups[0].Bars, bar)
			bar.Value = u.CostUSD / runs
			cost.Groups[0].Bars = append(cost.Groups[0].Bars, bar)
		}
		t.Rows = append(t.Rows, row)
	}
	if len(tokens.Groups[0].Bars) > 0 {
		s.Charts = []Chart{tokens, cost}
	} else {
		s.Text = []string{"No player reported tokens or cost."}
	}
	s.Tables = []Table{t}
	return s
}

// plainShort writes a number for an axis.
func plainShort(v float64) string { return ShortAmount(v * 100) }

// Duel compares two players by the worlds that both played.
type Duel struct {
	One, Other, Of string
	Unit, Tick     func(float64) string

	pairs  statistic.Pairs
	bars   []Bar
	lonely int // worlds that only one of both has a result in
}

// Fill fills in what both came to in each world. Order sorts worlds, and name writes one.
func Fill[W comparable](d *Duel, one, other map[W]float64, order func(a, b W) int, name func(W) string) {
	worlds := make([]W, 0, len(one))
	for w := range one {
		if _, ok := other[w]; ok {
			worlds = append(worlds, w)
		}
	}
	d.lonely = len(one) + len(other) - 2*len(worlds)
	slices.SortFunc(worlds, order)
	differences := make([]float64, len(worlds))
	for i, w := range worlds {
		differences[i] = one[w] - other[w]
		d.bars = append(d.bars, Bar{Name: Clean(name(w)), Value: differences[i]})
	}
	d.pairs = statistic.Compare(differences)
}

// Lead writes how much more one came to in a world than the other.
func Lead[W comparable](one, other map[W]float64, world W, write func(float64) string) string {
	a, ok := one[world]
	b, ok2 := other[world]
	if !ok || !ok2 {
		return None
	}
	return write(a - b)
}

// Sentence says who is better, and whether that is more than luck.
func (d *Duel) Sentence(unit string) string {
	p := &d.pairs
	var luck string
	lead, behind, in := d.One, d.Other, p.Ahead
	if p.Mean < 0 {
		lead, behind, in = d.Other, d.One, p.Behind
	}
	switch {
	case p.Worlds == 0:
		return fmt.Sprintf("%s and %s: no world in common, so %s does not compare.", d.One, d.Other, d.Of)
	case p.Worlds < statistic.FewestPairs:
		return fmt.Sprintf("%s and %s: too few worlds to compare %s: %d in common, %d are needed.", d.One, d.Other,
			d.Of, p.Worlds, statistic.FewestPairs)
	case p.Level == p.Worlds:
		return fmt.Sprintf("No difference: %s of %s and %s is the same in all %d worlds.", d.Of, d.One, d.Other,
			p.Worlds)
	case p.Proven():
		luck = "The difference is more than luck"
	default:
		luck = "The difference may be luck"
	}
	if p.Low != nil {
		low, high := *p.Low, *p.High
		if p.Mean < 0 {
			low, high = -high, -low
		}
		luck = fmt.Sprintf("95 %% interval %s to %s. %s", d.Unit(low), d.Unit(high), luck)
	}
	return fmt.Sprintf("%s leads %s in %s by %s%s on average, and is ahead in %d of %d worlds. %s (p = %s).", lead,
		behind, d.Of, d.Unit(math.Abs(p.Mean)), unit, in, p.Worlds, luck, probability(p.Luck))
}

func probability(p float64) string {
	const least = 0.001
	if p < least {
		return "less than 0.001"
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// Section shows the difference in each world.
func (d *Duel) Section() Section {
	s := Section{Title: d.One + " against " + d.Other}
	if len(d.bars) == 0 {
		return s
	}
	s.Text = []string{fmt.Sprintf("Differences of %s, world by world: right of 0 %s is ahead, left of it %s.", d.Of,
		d.One, d.Other)}
	const mostBars = 40
	if len(d.bars) <= mostBars {
		for i := range d.bars {
			d.bars[i].Player = 0
			if d.bars[i].Value < 0 {
				d.bars[i].Player = 1
			}
		}
		s.Charts = []Chart{&Bars{Title: "Lead of " + d.One + " in each world", Unit: d.Unit, Tick: d.Tick,
			Groups: []Group{{Bars: d.bars}}}}
	} else {
		sorted := make([]Point, len(d.bars))
		slices.SortFunc(d.bars, func(a, b Bar) int { return cmp.Compare(a.Value, b.Value) })
		for i, b := range d.bars {
			sorted[i] = Point{X: float64(i + 1), Y: b.Value}
		}
		s.Charts = []Chart{&Lines{Title: "Lead of " + d.One + ", the worlds sorted by it", Across: "worlds",
			Unit: d.Unit, Tick: d.Tick, Series: []Series{{Name: d.One, Points: sorted}}}}
	}
	if d.lonely > 0 {
		s.Text = append(s.Text, fmt.Sprintf("%d worlds have a result of one player alone, and do not count.", d.lonely))
	}
	if d.pairs.Worlds >= statistic.FewestPairs {
		s.Text = append(s.Text, "p is the probability of such a lead, of either, between equal players: if in each "+
			"world chance alone decided which result is whose. Below 0.05 the lead counts as more than luck; five "+
			"worlds cannot show that, six can.")
	}
	return s
}

// Failure is an error of a run.
type Failure struct{ Player, Text, At string }

// Failures is a section about errors, those with the same text together.
func Failures(all []Failure) Section {
	type key struct{ player, text string }
	at, order := map[key][]string{}, []key{}
	for _, f := range all {
		k := key{f.Player, Clean(f.Text)}
		if at[k] == nil {
			order = append(order, k)
		}
		at[k] = append(at[k], f.At)
	}
	slices.SortStableFunc(order, func(a, b key) int { return len(at[b]) - len(at[a]) })
	t := Table{
		Title: "Errors, with the runs that had them", Align: "lrl", Head: []string{"player", "runs", "error", "where"},
	}
	const most = 50
	for _, k := range order[:min(len(order), most)] {
		places := at[k]
		where := strings.Join(places[:min(len(places), 5)], ", ")
		if len(places) > 5 {
			where += ", …"
		}
		t.Rows = append(t.Rows, []string{k.player, strconv.Itoa(len(places)), k.text, where})
	}
	if len(t.Rows) == 0 {
		return Section{}
	}
	return Section{Title: "Runs that failed", Tables: []Table{t}}
}
