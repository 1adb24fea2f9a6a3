package eval

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"platen/cmd/platen/cli"
	"platen/internal/publish/economy"
	"platen/internal/words/money"
)

// none is shown where a run has no value.
const none = "–"

// Print writes the verdict in three lines, and tables below it, for people, 80 columns wide. All that
// they leave out is in the JSON.
func (s *Summary) Print(out io.Writer) error {
	s.printVerdict(out)
	if err := s.printRuns(out); err != nil {
		return err
	}
	if s.Counted > 0 {
		fmt.Fprintf(out, "\nNet worth at the close of day %d, %s of %s:\n", s.Day, counted(s.Counted, "run"), s.Preset)
		fmt.Fprintf(out, "  mean %s XTS, %s\n", grouped(s.MeanMinor), between(s.MeanLowMinor, s.MeanHighMinor))
		if left := len(s.Runs) - s.Counted; left > 0 {
			fmt.Fprintf(out, "  without a report, and not in the mean: %s\n", counted(left, "run"))
		}
		fmt.Fprintf(out, "  min %s · median %s · max %s\n", grouped(s.LowMinor), grouped(s.MiddleMinor),
			grouped(s.HighMinor))
		fmt.Fprintf(out, "  preset version %d, engine %d%s\n", s.PresetVersion, s.EngineVersion, s.asked())
	}
	if s.ExactlyOnce != nil {
		fmt.Fprintf(out, "Exactly-once score: %s on average\n", cli.Score(*s.ExactlyOnce))
	}
	if s.Client != nil {
		fmt.Fprintf(out, "Of the requests that a fault hit, the program recovered itself: %s\n", cli.Score(*s.Client))
	}
	if s.Skill != nil {
		within := s.Skill.NoInterval
		if within == "" {
			within = "95 % interval " + percent(*s.Skill.Low) + " to " + percent(*s.Skill.High)
		}
		fmt.Fprintf(out, "Skill (greedy play 0 %%, watchful 100 %%): %s,\n  %s\n", percent(s.Skill.Value), within)
	}
	if s.Reward != nil {
		fmt.Fprintf(out, "Reward for training: %.2f; 1 is %s XTS more than an idle company\n", *s.Reward,
			grouped(*s.RewardScaleMinor))
	}
	if len(s.PassHat) > 0 {
		fmt.Fprintf(out, "Probability that k tries of a world all reach a skill of %s:\n  %s\n",
			percent(s.PassSkill), passes(s.PassHat))
	}
	if u := s.Usage; u != nil {
		fmt.Fprintf(out, "Usage: %d tokens in, %d out, %.2f USD\n", u.InputTokens, u.OutputTokens, u.CostUSD)
	}
	if s.FreshSecret != "" {
		fmt.Fprintf(out, "\nThese worlds were drawn for this evaluation. To play them again:\n"+
			"  --split test --secret-file <(echo %s)\n", s.FreshSecret)
	}
	if err := s.printBaselines(out); err != nil {
		return err
	}
	return s.printPublished(out)
}

// printVerdict writes the result, how many runs passed, and the next better player.
func (s *Summary) printVerdict(out io.Writer) {
	passed := 0
	for i := range s.Runs {
		if s.Runs[i].passes(s.PassSkill) {
			passed++
		}
	}
	result := "none, because no run has a report"
	if s.Counted > 0 {
		result = fmt.Sprintf("%s XTS at the close of day %d of %s", grouped(s.MeanMinor), s.Day, s.Preset)
	}
	if s.Skill != nil {
		result += ", skill " + percent(s.Skill.Value)
	}
	fmt.Fprintf(out, "Result: %s\nPassed: %d of %s. A run passes with a skill of %s (--pass).\n", result, passed,
		counted(len(s.Runs), "run"), percent(s.PassSkill))
	var next *Comparison
	for i := range s.Baselines {
		if b := &s.Baselines[i]; b.LeadMinor < 0 && (next == nil || b.LeadMinor > next.LeadMinor) {
			next = b
		}
	}
	switch {
	case next != nil:
		fmt.Fprintf(out, "Next better player: %s with %s XTS, %s more than yours\n\n", next.Player,
			grouped(next.MeanMinor), grouped(-next.LeadMinor))
	case len(s.Baselines) > 0:
		fmt.Fprint(out, "Next better player: none of those measured in the same worlds\n\n")
	default:
		fmt.Fprint(out, "Next better player: unknown, none was measured in the same worlds\n\n")
	}
}

// grouped writes an amount with separators between its thousands.
func grouped(m money.Minor) string {
	amount, _, _ := strings.Cut(m.String(), " ")
	whole, hundredths, _ := strings.Cut(amount, ".")
	digits := strings.TrimPrefix(whole, "-")
	const thousand = 3
	for at := len(digits) - thousand; at > 0; at -= thousand {
		digits = digits[:at] + "," + digits[at:]
	}
	return strings.Repeat("-", strings.Count(whole, "-")) + digits + "." + hundredths
}

// between writes where the mean of all worlds is, which a few worlds cannot say.
func between(low, high *money.Minor) string {
	if low == nil {
		return tooFewWorlds
	}
	return "95 % interval " + grouped(*low) + " to " + grouped(*high)
}

// passes writes estimates of pass^k.
func passes(hat []float64) string {
	all := make([]string, len(hat))
	for i, p := range hat {
		all[i] = fmt.Sprintf("pass^%d %.2f", i+1, p)
	}
	return strings.Join(all, " · ")
}

func counted(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return strconv.Itoa(n) + " " + of + "s"
}

// percent writes a share of 1, such as a skill, of which 1 is watchful play.
func percent(share float64) string {
	return strconv.FormatFloat(math.Round(share*100)+0, 'f', 0, 64) + " %" // +0 makes 0 of -0
}

// printRuns writes a line for each run, and under the table why runs failed.
func (s *Summary) printRuns(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, s.column()+"\tday\tnet worth\tprofit\tskill\ton time\texactly once\tended\t")
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.report == nil {
			fmt.Fprintf(w, "%s%s%s\t\n", s.name(r), strings.Repeat("\t"+none, 6), "\tno report")
			continue
		}
		onTime, once, skill, ended := none, none, none, string(r.report.Status)
		if share := r.report.Score.OnTimePct; share != nil {
			onTime = percent(*share / 100)
		}
		if r.ExactlyOnce != nil {
			once = cli.Score(*r.ExactlyOnce)
		}
		if r.Skill != nil {
			skill = percent(*r.Skill)
		}
		if !r.report.Invariants.Hold {
			ended = "BOOKS BROKEN"
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t\n",
			s.name(r), r.Day, grouped(r.NetWorthMinor), grouped(r.ProfitMinor), skill, onTime, once, ended)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	for i := range s.Runs {
		if r := &s.Runs[i]; r.TooLittleToJudge {
			fmt.Fprintf(out, "seed %s: too little to judge, counts as 0: %d were due, %d in good play\n",
				s.name(r), r.Integration.Counts.Due, r.carefulDue())
		} else if r.Integration != nil && r.ExactlyOnce == nil && r.report != nil {
			fmt.Fprintf(out, "seed %s: nothing was due, so its exactly-once score does not count\n", s.name(r))
		}
		if r := &s.Runs[i]; r.Error != "" {
			fmt.Fprintf(out, "seed %s failed: %s\n", s.name(r), r.Error)
		}
	}
	return nil
}

// column is the title of the column of names.
func (s *Summary) column() string {
	if s.Tries > 1 {
		return "seed/try"
	}
	return "seed"
}

// name is the seed of a run, and its try where there are several.
func (s *Summary) name(r *Run) string {
	if s.Tries > 1 {
		return fmt.Sprintf("%d/%d", r.Seed, r.Try)
	}
	return strconv.FormatUint(r.Seed, 10)
}

// printBaselines writes how the player compares with those of known skill in the same worlds.
func (s *Summary) printBaselines(out io.Writer) error {
	if len(s.Baselines) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\nPlayers of known skill in the same worlds, without faults, in XTS:\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	few := s.Baselines[0].LowMinor == nil
	head := "player\tmean\tyour lead\t"
	if !few {
		head += "95 % from\tto\t"
	}
	fmt.Fprintln(w, head)
	for _, b := range s.Baselines {
		row := b.Player + "\t" + grouped(b.MeanMinor) + "\t" + grouped(b.LeadMinor) + "\t"
		if !few {
			row += grouped(*b.LowMinor) + "\t" + grouped(*b.HighMinor) + "\t"
		}
		fmt.Fprintln(w, row)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if few {
		fmt.Fprintf(out, "No 95 %% intervals: they need %d worlds or more.\n", fewestWorlds)
	}
	fmt.Fprintln(out)
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, b := range s.Baselines {
		fmt.Fprintf(w, "%s\t%s\n", b.Player, habits[b.Player])
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// habits say in a line how the players of known skill play.
//
//nolint:gochecknoglobals // read only
var habits = map[string]string{
	"nothing":      "sends nothing",
	"random":       "sends valid commands at random",
	"blind replay": "repeats the commands of a good game in another world",
	"greedy":       "accepts every order, prints the oldest first",
	"greedy+lots":  "greedy, and takes every contract lot",
	"planner":      "plans presses and purchases; no lots, no market",
	"good":         "has all skills, looks at the company once an hour",
	"watchful":     "good, but looks every ten minutes",
	"oracle":       "knows the results of five plans, and follows the best",
}

// daysOf names the days for which the results of a preset are published.
func daysOf(p *economy.Preset) string {
	var days []string
	for _, b := range p.Players[0].Bands {
		days = append(days, strconv.Itoa(b.Day))
	}
	last := len(days) - 1
	return "days " + strings.Join(days[:last], ", ") + " and " + days[last]
}

// printPublished writes the published results, or the days that have some.
func (s *Summary) printPublished(out io.Writer) error {
	switch {
	case s.changed():
		fmt.Fprintf(out, "\nPublished baselines are of the preset without changes, and not shown here.\n")
		return nil
	case len(s.Published) == 0:
		if p := measuredPreset(s.Preset); p != nil {
			fmt.Fprintf(out, "\nMedians over 40 worlds of train are published too, for the %s\nof %s; "+
				"none for day %d.\n", daysOf(p), s.Preset, s.Day)
		}
		return nil
	}
	fmt.Fprintf(out, "\nPublished results for this day in XTS: 10th percentile, median, 90th percentile\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, b := range s.Published {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", b.Player, grouped(b.LowMinor), grouped(b.MiddleMinor),
			grouped(b.HighMinor))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
