package eval

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"platen/client"
	"platen/cmd/platen/cli"
	"platen/eval/report"
	"platen/internal/publish/economy"
	"platen/internal/words/money"
)

// yardsticks are the players of known skill that a chart shows, from the least to the best.
//
//nolint:gochecknoglobals // read only
var yardsticks = []string{"nothing", "greedy", "planner", "good", "watchful"}

// yardstick tells their names from those of players.
const yardstick = " (yardstick)"

// onceColumn is the head of a column of exactly-once scores.
const onceColumn = "exactly once"

// noted says below a table why it has no values in places, and which exactly-once scores count as 0.
func noted(t *report.Table) {
	var all []string
	if slices.ContainsFunc(t.Rows, func(row []string) bool { return slices.Contains(row, none) }) {
		all = append(all, none+": no value. An interval needs five worlds, and that of a skill some difference "+
			"between them. A skill needs greedy and watchful play in the same worlds, with watchful ahead, a reward a "+
			"published scale for the day. Yardsticks have their net worth alone.")
	}
	if slices.ContainsFunc(t.Head, func(head string) bool { return strings.HasSuffix(head, onceColumn) }) {
		all = append(all, "An exactly-once score needs something that was due. "+
			"A run with too little to judge counts as 0.")
	}
	t.Note = strings.Join(all, " ")
}

// worth adds the result, and net worth by day.
func (p *evalPage) worth() {
	results := report.Table{
		Title: "Mean over the worlds, in XTS", Align: "lr",
		Head: []string{"player", "net worth", "95 % interval", "skill", "95 % interval", "reward", "passed"},
	}
	judged := slices.ContainsFunc(p.players, func(s *side) bool { return s.ExactlyOnce != nil })
	if judged {
		results.Head = slices.Insert(results.Head, 1, onceColumn)
	}
	bars := &report.Bars{
		Title: "Mean net worth at the close of day " + strconv.Itoa(p.players[0].Day) + ", in XTS, with 95 % intervals",
		Unit:  report.Amount, Tick: report.ShortAmount, Groups: []report.Group{{}},
	}
	var text []string
	for i, one := range p.players {
		if one.Counted == 0 {
			text = append(text, one.name+" has no run with a report.")
			continue
		}
		row := []string{
			one.name, report.Amount(float64(one.MeanMinor)), within(one.MeanLowMinor, one.MeanHighMinor), none, none,
			optional(one.Reward, report.Number(2)), fmt.Sprintf("%d of %d", one.passed(), len(one.Runs)),
		}
		if one.Skill != nil {
			row[3] = report.Percent(one.Skill.Value)
			if one.Skill.Low != nil {
				row[4] = report.Percent(*one.Skill.Low) + " to " + report.Percent(*one.Skill.High)
			}
		}
		if judged {
			row = slices.Insert(row, 1, optional(one.ExactlyOnce, cli.Score))
		}
		results.Rows = append(results.Rows, row)
		bar := report.Bar{Name: one.name, Player: i, Value: float64(one.MeanMinor)}
		if one.MeanLowMinor != nil {
			bar.Low, bar.High = new(float64(*one.MeanLowMinor)), new(float64(*one.MeanHighMinor))
		}
		bars.Groups[0].Bars = append(bars.Groups[0].Bars, bar)
		if one.MeanLowMinor == nil {
			text = append(text, fmt.Sprintf("%s: %s, and an interval needs %d.", one.name,
				counted(len(one.seeds()), "world"), fewestWorlds))
		}
		if left := len(one.Runs) - one.Counted; left > 0 {
			text = append(text, fmt.Sprintf("%s: %s without a report, and not in the mean.", one.name,
				counted(left, "run")))
		}
		if one.cut {
			text = append(text, one.name+": the last line of the file was cut, and is left out.")
		}
		if !slices.Equal(one.seeds(), p.players[0].seeds()) {
			text = append(text, fmt.Sprintf("%s played other worlds than %s. Their means do not compare: take the "+
				"worlds that both played, with --against.", one.name, p.players[0].name))
		}
	}
	if len(results.Rows) == 0 {
		p.Add(report.Section{Title: "Result", Text: text})
		return
	}
	bars.Groups = append(bars.Groups, p.known(&results))
	noted(&results)
	text = append(text, "Skill is a scale: greedy play has 0 %, watchful play 100 %, in the same worlds. Over several "+
		"worlds it is a ratio of sums, your leads over greedy play by those of watchful play, and not the mean of the "+
		"worlds' skills. A run passes with a skill of "+report.Percent(p.players[0].PassSkill)+" and no error.")
	p.Add(report.Section{
		Title: "Result", Text: text, Charts: []report.Chart{bars}, Tables: []report.Table{results},
	})
	p.byDay()
}

// known are the yardsticks in the same worlds, as bars, and as rows below the players.
func (p *evalPage) known(to *report.Table) report.Group {
	group := report.Group{Title: "Yardsticks in the same worlds, without faults"}
	one := p.players[slices.IndexFunc(p.players, func(s *side) bool { return s.Counted > 0 })]
	for i, name := range yardsticks {
		for _, b := range one.Baselines {
			if b.Player == name {
				group.Bars = append(group.Bars, report.Bar{Name: name, Player: -1 - i, Value: float64(b.MeanMinor)})
				row := slices.Repeat([]string{none}, len(to.Head))
				row[0] = name + yardstick
				row[slices.Index(to.Head, "net worth")] = report.Amount(float64(b.MeanMinor))
				to.Rows = append(to.Rows, row)
			}
		}
	}
	return group
}

func (s *side) passed() int {
	passed := 0
	for i := range s.Runs {
		if s.Runs[i].passes(s.PassSkill) {
			passed++
		}
	}
	return passed
}

// byDay adds the net worth at the close of each day.
func (p *evalPage) byDay() {
	lines := &report.Lines{
		Title: "Mean net worth at the close of each day, in XTS", Across: "working day",
		Unit: report.Amount, Tick: report.ShortAmount,
	}
	for i, one := range p.players {
		if points := one.byDay(); len(points) > 0 {
			lines.Series = append(lines.Series, report.Series{Name: one.name, Player: i, Points: points})
		}
	}
	var text []string
	if measured := measuredPreset(p.players[0].Preset); measured != nil && !p.players[0].changed() {
		text = append(text, "Yardsticks are medians over 40 worlds of train, published for the "+daysOf(measured)+
			", with straight lines between.")
		for i, name := range yardsticks {
			if known, ok := measured.Player(name); ok {
				lines.Series = append(lines.Series, report.Series{
					Name: name + yardstick, Player: -1 - i,
					Points: bandsUntil(known, measured.OpeningMinor, p.players[0].Day),
				})
			}
		}
	} else {
		text = append(text, "No yardsticks by day are published for these sandboxes.")
	}
	p.Add(report.Section{Title: "Net worth by day", Text: text, Charts: []report.Chart{lines}})
}

// byDay is the mean net worth by day over the runs that have a report. A company that has ended keeps its last.
func (s *side) byDay() []report.Point {
	points, runs := make([]report.Point, s.Day+1), 0.0
	for i := range s.Runs {
		r := s.Runs[i].report
		if r == nil || len(r.NetWorth) == 0 {
			continue
		}
		runs++
		for day := range points {
			points[day].X = float64(day)
			points[day].Y += float64(r.NetWorth[min(day, len(r.NetWorth)-1)].NetWorthMinor)
		}
	}
	if runs == 0 {
		return nil
	}
	for day := range points {
		points[day].Y /= runs
	}
	return points
}

// bandsUntil are the published medians of a player up to a day, between two of them on the line that joins them.
func bandsUntil(known *economy.Player, opening money.Minor, last int) []report.Point {
	points := []report.Point{{X: 0, Y: float64(opening)}}
	for _, b := range known.Bands {
		from, day := points[len(points)-1], float64(b.Day)
		to := report.Point{X: day, Y: float64(b.Middle)}
		if b.Day > last {
			to.X = float64(last)
			to.Y = from.Y + (to.Y-from.Y)*(to.X-from.X)/(day-from.X)
		}
		points = append(points, to)
		if b.Day >= last {
			break
		}
	}
	return points
}

// tries adds pass^k and pass@k, where worlds were played several times.
func (p *evalPage) tries() {
	var players []report.Repeated
	for i, one := range p.players {
		players = append(players, report.Repeated{Name: one.name, Player: i, Worlds: triesOf(one.Runs, one.PassSkill)})
	}
	p.Add(report.Tries(players))
}

// usage adds tokens and cost, where players report them.
func (p *evalPage) usage() {
	var players []report.Spent
	for i, one := range p.players {
		seconds := 0.0
		for j := range one.Runs {
			seconds += one.Runs[j].Seconds
		}
		players = append(players, report.Spent{
			Name: one.name, Player: i, Runs: len(one.Runs), Usage: one.Usage, Seconds: seconds,
		})
	}
	p.Add(report.Usage(players))
}

// compare adds the comparison of two players, world by world, and puts it into the verdict: that of their exactly-once
// scores first, where integrations were judged.
func (p *evalPage) compare(one, other *side) {
	duel := report.Duel{
		One: one.name, Other: other.name, Of: "net worth", Unit: report.Amount, Tick: report.ShortAmount,
	}
	report.Fill(&duel, one.byWorld(worthOfRun), other.byWorld(worthOfRun), cmp.Compare[uint64], worldName)
	section := duel.Section()
	if once := one.byWorld(onceOfRun); len(once) > 0 {
		score := report.Duel{
			One: one.name, Other: other.name, Of: "exactly-once score", Unit: report.Number(3), Tick: report.Number(2),
		}
		report.Fill(&score, once, other.byWorld(onceOfRun), cmp.Compare[uint64], worldName)
		p.Verdict = append(p.Verdict, score.Sentence(""))
	}
	p.Verdict = append(p.Verdict, duel.Sentence(" XTS"))
	p.Add(section)
}

func worldName(seed uint64) string { return "seed " + strconv.FormatUint(seed, 10) }

// verdicts are the ways in which an obligation costs points, and how much of one it costs.
//
//nolint:gochecknoglobals // read only
var verdicts = []struct {
	name  string
	cost  float64
	count func(*client.IntegrationKindCount) int64
}{
	{"missed", 1, func(c *client.IntegrationKindCount) int64 { return c.Missed }},
	{"doubled", 1, func(c *client.IntegrationKindCount) int64 { return c.Doubled }},
	{"wrong", 1, func(c *client.IntegrationKindCount) int64 { return c.Wrong }},
	{"late", 0.5, func(c *client.IntegrationKindCount) int64 { return c.Late }},
	{"unexpected", 1, func(c *client.IntegrationKindCount) int64 { return c.Unexpected }},
	{"repeated", 1, func(c *client.IntegrationKindCount) int64 { return c.Repeated }},
}

// lost adds where points were lost: the parts of the exactly-once score, and what became of orders.
func (p *evalPage) lost() {
	section := report.Section{Title: "Where points were lost"}
	carried := report.Table{
		Title: "Obligations of the integration, all runs", Align: "llr",
		Head: []string{"player", "kind", "due", "exact"},
	}
	bars := &report.Bars{
		Title: "Points of the exactly-once score that were lost, by reason, as a part of all", Unit: report.Tenths,
		Tick: report.Tenths,
	}
	for _, v := range verdicts {
		carried.Head = append(carried.Head, v.name)
		bars.Groups = append(bars.Groups, report.Group{Title: v.name})
	}
	for i, one := range p.players {
		kinds, all := one.kinds()
		if all.Due+all.Unexpected+all.Repeated == 0 {
			continue
		}
		for j, v := range verdicts {
			bars.Groups[j].Bars = append(bars.Groups[j].Bars, report.Bar{
				Name: one.name, Player: i,
				Value: v.cost * float64(v.count(all)) / float64(all.Due+all.Unexpected+all.Repeated),
			})
		}
		for _, k := range append([]*client.IntegrationKindCount{all}, kinds...) {
			row := []string{one.name, string(k.Kind), fmt.Sprint(k.Due), fmt.Sprint(k.Exact)}
			for _, v := range verdicts {
				row = append(row, fmt.Sprint(v.count(k)))
			}
			carried.Rows = append(carried.Rows, row)
		}
	}
	if len(carried.Rows) > 0 {
		bars.Groups = slices.DeleteFunc(bars.Groups, func(g report.Group) bool {
			return !slices.ContainsFunc(g.Bars, func(b report.Bar) bool { return b.Value > 0 })
		})
		if len(bars.Groups) > 0 {
			section.Charts = append(section.Charts, bars)
		}
		section.Tables = append(section.Tables, carried)
	}
	if faults := p.faults(); len(faults.Rows) > 0 {
		section.Tables = append(section.Tables, faults)
	}
	section.Tables = append(section.Tables, p.orders())
	p.Add(section)
}

// kinds adds the counts of all runs up, by kind and together.
func (s *side) kinds() (kinds []*client.IntegrationKindCount, all *client.IntegrationKindCount) {
	all = &client.IntegrationKindCount{Kind: "all"}
	by := map[client.IntegrationKind]*client.IntegrationKindCount{}
	for i := range s.Runs {
		if s.Runs[i].Integration == nil || s.Runs[i].Integration.Integration == nil {
			continue
		}
		for _, k := range s.Runs[i].Integration.Kinds {
			if by[k.Kind] == nil {
				by[k.Kind] = &client.IntegrationKindCount{Kind: k.Kind}
				kinds = append(kinds, by[k.Kind])
			}
			for _, to := range []*client.IntegrationKindCount{all, by[k.Kind]} {
				to.Due, to.Exact = to.Due+k.Due, to.Exact+k.Exact
				to.Late, to.Missed = to.Late+k.Late, to.Missed+k.Missed
				to.Doubled, to.Wrong = to.Doubled+k.Doubled, to.Wrong+k.Wrong
				to.Unexpected, to.Repeated = to.Unexpected+k.Unexpected, to.Repeated+k.Repeated
			}
		}
	}
	kinds = slices.DeleteFunc(kinds, func(k *client.IntegrationKindCount) bool {
		return k.Due+k.Unexpected+k.Repeated == 0
	})
	return kinds, all
}

// faults is a table of the requests that a fault hit.
func (p *evalPage) faults() report.Table {
	t := report.Table{
		Title: "Judged requests that a fault hit, all runs", Align: "lr",
		Head: []string{"player", "hit", "recovered", "saved by a check", "abandoned", "done again"},
	}
	for _, one := range p.players {
		var hit, recovered, saved, abandoned int64
		for i := range one.Runs {
			if score := one.Runs[i].Integration; score != nil && score.Integration != nil {
				hit, recovered = hit+score.Hit, recovered+score.Recovered
				saved, abandoned = saved+score.Saved, abandoned+score.Abandoned
			}
		}
		if hit > 0 {
			t.Rows = append(t.Rows, []string{
				one.name, fmt.Sprint(hit), fmt.Sprint(recovered), fmt.Sprint(saved), fmt.Sprint(abandoned),
				fmt.Sprint(hit - recovered - saved - abandoned),
			})
		}
	}
	return t
}

// orders is a table of what became of orders, payrolls and writes, for a run on average.
func (p *evalPage) orders() report.Table {
	t := report.Table{
		Title: "What became of orders and writes, for a run on average", Align: "lr", Head: []string{"player"},
	}
	for _, c := range orderCounts {
		t.Head = append(t.Head, c.name)
	}
	for _, one := range p.players {
		if one.Counted == 0 {
			continue
		}
		row := []string{one.name}
		for _, c := range orderCounts {
			sum := 0.0
			for i := range one.Runs {
				if r := one.Runs[i].report; r != nil {
					sum += float64(c.of(r))
				}
			}
			row = append(row, strconv.FormatFloat(math.Round(sum/float64(one.Counted)*10)/10, 'f', 1, 64))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

//nolint:gochecknoglobals // read only
var orderCounts = []struct {
	name string
	of   func(*client.Report) int64
}{
	{"on time", func(r *client.Report) int64 { return r.Orders.OnTime }},
	{"late", func(r *client.Report) int64 { return r.Orders.Late }},
	{"expired", func(r *client.Report) int64 { return r.Orders.Expired }},
	{"lapsed", func(r *client.Report) int64 { return r.Orders.Lapsed }},
	{"lots expired", func(r *client.Report) int64 { return r.Score.LotsExpired }},
	{"late payrolls", func(r *client.Report) int64 { return r.Score.PayrollLate }},
	{"rejected writes", func(r *client.Report) int64 { return r.Writes.Refused }},
}

// worlds adds the table of worlds.
func (p *evalPage) worlds(against bool) {
	t := report.Table{
		Title: "Net worth in each world, in XTS, the mean of its tries", Align: "r", Head: []string{"seed"},
	}
	var seeds []uint64
	for _, one := range p.players {
		t.Head = append(t.Head, one.name, "skill")
		seeds = append(seeds, one.seeds()...)
	}
	slices.Sort(seeds)
	var worths, skills []map[uint64]float64
	once := make([]map[uint64]float64, len(p.players))
	for i, one := range p.players {
		worths = append(worths, one.byWorld(worthOfRun))
		skills = append(skills, one.byWorld(func(r *Run) (float64, bool) {
			if r.Skill == nil {
				return 0, false
			}
			return *r.Skill, true
		}))
		once[i] = one.byWorld(onceOfRun)
		if len(once[i]) > 0 {
			t.Head = append(t.Head, one.name+", "+onceColumn)
		}
	}
	if against {
		t.Head = append(t.Head, "lead of "+p.players[0].name)
	}
	cell := func(of map[uint64]float64, seed uint64, write func(float64) string) string {
		if v, ok := of[seed]; ok {
			return write(v)
		}
		return none
	}
	for _, seed := range slices.Compact(seeds) {
		row := []string{strconv.FormatUint(seed, 10)}
		for i := range p.players {
			row = append(row, cell(worths[i], seed, report.Amount), cell(skills[i], seed, report.Percent))
		}
		for i := range p.players {
			if len(once[i]) > 0 {
				row = append(row, cell(once[i], seed, cli.Score))
			}
		}
		if against {
			row = append(row, report.Lead(worths[0], worths[1], seed, report.Amount))
		}
		t.Rows = append(t.Rows, row)
	}
	noted(&t)
	p.Add(report.Section{Title: "World by world", Tables: []report.Table{t}})
}

// failures adds the errors of runs, those with the same text together.
func (p *evalPage) failures() {
	var all []report.Failure
	for _, one := range p.players {
		for i := range one.Runs {
			if r := &one.Runs[i]; r.Error != "" {
				all = append(all, report.Failure{Player: one.name, Text: r.Error, At: "seed " + one.Summary.name(r)})
			}
		}
	}
	p.Add(report.Failures(all))
}
