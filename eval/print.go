package eval

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"platen/internal/cli"
)

// none is shown where a run has no value.
const none = "–"

// Print writes tables for people, 80 columns wide. All that they leave out is in the JSON.
func (s *Summary) Print(out io.Writer) error {
	if err := s.printRuns(out); err != nil {
		return err
	}
	if s.Counted > 0 {
		fmt.Fprintf(out, "\nNet worth at the close of day %d, %s of %s:\n", s.Day, counted(s.Counted, "run"), s.Preset)
		fmt.Fprintf(out, "  mean %s%s\n", s.MeanMinor,
			interval(s.MeanLowMinor == s.MeanHighMinor, s.MeanLowMinor.String(), s.MeanHighMinor.String()))
		fmt.Fprintf(out, "  min %s · median %s · max %s\n", s.LowMinor, s.MiddleMinor, s.HighMinor)
		fmt.Fprintf(out, "  preset version %d, engine %d%s\n", s.PresetVersion, s.EngineVersion, s.asked())
	}
	if s.ExactlyOnce != nil {
		fmt.Fprintf(out, "Exactly-once score: %s on average\n", cli.Score(*s.ExactlyOnce))
	}
	if s.Skill != nil {
		fmt.Fprintf(out, "Skill (greedy play 0 %%, watchful 100 %%): %s%s\n", percent(s.Skill.Value),
			interval(s.Skill.Low == s.Skill.High, percent(s.Skill.Low), percent(s.Skill.High)))
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
			"  --split test with PLATEN_EVALUATION_SECRET=%s\n", s.FreshSecret)
	}
	if err := s.printBaselines(out); err != nil {
		return err
	}
	return s.printPublished(out)
}

// interval writes where the mean of all worlds is, which a single world cannot say.
func interval(single bool, low, high string) string {
	if single {
		return ", of a single world"
	}
	return ", 95 % interval " + low + " to " + high
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

// percent writes a skill, of which 1 is watchful play.
func percent(skill float64) string { return strconv.FormatFloat(skill*100, 'f', 0, 64) + " %" }

// printRuns writes a line for each run, and under the table why runs failed.
func (s *Summary) printRuns(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "run\tday\tnet worth\tprofit\tskill\ton time\texactly once\tended\t")
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.report == nil {
			fmt.Fprintf(w, "%s%s%s\t\n", s.name(r), strings.Repeat("\t"+none, 6), "\tno report")
			continue
		}
		onTime, once, skill, ended := none, none, none, string(r.report.Status)
		if share := r.report.Score.OnTimePct; share != nil {
			onTime = strconv.FormatFloat(*share, 'f', -1, 64) + " %"
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
			s.name(r), r.Day, r.NetWorthMinor, r.ProfitMinor, skill, onTime, once, ended)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	for i := range s.Runs {
		if r := &s.Runs[i]; r.TooLittleToJudge {
			fmt.Fprintf(out, "run %s: too little to judge: %d obligations were due\n", s.name(r),
				r.Integration.Counts.Due)
		}
		if r := &s.Runs[i]; r.Error != "" {
			fmt.Fprintf(out, "run %s failed: %s\n", s.name(r), r.Error)
		}
	}
	return nil
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
	fmt.Fprintf(out, "\nPlayers of known skill in the same worlds, without faults:\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "player\tmean\tyour lead\t95 % from\tto\t")
	for _, b := range s.Baselines {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", b.Player, b.MeanMinor, b.LeadMinor, b.LowMinor, b.HighMinor)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// printPublished writes the published results, or why there are none.
func (s *Summary) printPublished(out io.Writer) error {
	switch {
	case s.changed():
		fmt.Fprintf(out, "\nPublished baselines are of the preset without changes, and not shown here.\n")
		return nil
	case len(s.Published) == 0:
		fmt.Fprintf(out, "\nNo baselines are published for %s on day %d. They are for days 30, 60 and 90\n"+
			"of the presets that come with Platen.\n", s.Preset, s.Day)
		return nil
	}
	fmt.Fprintf(out, "\nPublished results for this day: 10th percentile, median, 90th percentile\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, b := range s.Published {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t\n", b.Player, b.LowMinor, b.MiddleMinor, b.HighMinor)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
