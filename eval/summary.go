package eval

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"platen/client"
	"platen/internal/cli"
	"platen/internal/economy"
	"platen/internal/money"
)

// Summary compares the runs of an evaluation.
type Summary struct {
	Preset        string `json:"preset"`
	PresetVersion int64  `json:"preset_version"`
	EngineVersion int64  `json:"engine_version"`
	Day           int    `json:"day"`
	// Bridge, Clock and Faults are those that were asked for, nil for what the preset says.
	Bridge *client.Bridge      `json:"bridge,omitempty"`
	Clock  *client.ClockMode   `json:"clock,omitempty"`
	Faults *client.FaultsInput `json:"faults,omitempty"`
	// Split is the set of worlds that the seeds count.
	Split client.Split `json:"split"`
	Runs  []Run        `json:"runs"`
	// MeanMinor and the rest are of the net worth at the close of Day, over the
	// runs that have a report. SpreadMinor is the standard deviation of a sample.
	Counted     int         `json:"counted"`
	MeanMinor   money.Minor `json:"mean_minor"`
	SpreadMinor money.Minor `json:"spread_minor"`
	LowMinor    money.Minor `json:"low_minor"`
	MiddleMinor money.Minor `json:"middle_minor"`
	HighMinor   money.Minor `json:"high_minor"`
	// ExactlyOnce is the mean of the scores of integrations, nil where none is judged.
	ExactlyOnce *float64 `json:"exactly_once,omitempty"`
	// Skill is that over all counted runs, nil where it is not known, and Baselines the
	// players of known skill beside the evaluated one.
	Skill     *Skill       `json:"skill,omitempty"`
	Baselines []Comparison `json:"baselines"`
	// Published are the results of players of known skill with the same preset, none for
	// sandboxes that were asked for with anything but the preset's own.
	Published []Baseline `json:"published"`
}

// Baseline is the result of a published player with the preset, over 40 seeds:
// one company in ten has less than Low, half have less than Middle.
type Baseline struct {
	Player      string      `json:"player"`
	Day         int         `json:"day"`
	LowMinor    money.Minor `json:"low_minor"`
	MiddleMinor money.Minor `json:"middle_minor"`
	HighMinor   money.Minor `json:"high_minor"`
}

func summarize(e *Evaluation, runs []Run) *Summary {
	s := &Summary{
		Preset: e.Preset, Day: e.Day, Bridge: e.Bridge, Clock: e.Clock, Faults: e.Faults, Runs: runs,
		Split: client.SplitTrain, Published: []Baseline{},
	}
	if e.Split != nil {
		s.Split = *e.Split
	}
	if !s.changed() {
		s.Published = published(e.Preset, e.Day)
	}
	var worth []money.Minor
	var counted []*Run
	for i := range runs {
		if r := runs[i].report; r != nil {
			counted = append(counted, &runs[i])
			s.PresetVersion, s.EngineVersion = r.PresetVersion, r.EngineVersion
			worth = append(worth, runs[i].NetWorthMinor)
		}
	}
	if s.Counted = len(worth); s.Counted == 0 {
		return s
	}
	s.ExactlyOnce, s.Skill, s.Baselines = meanScore(runs), overall(counted), compared(counted)
	slices.Sort(worth)
	s.LowMinor, s.MiddleMinor, s.HighMinor = worth[0], worth[len(worth)/2], worth[len(worth)-1]
	sum := 0.0
	for _, w := range worth {
		sum += float64(w)
	}
	mean := sum / float64(len(worth))
	s.MeanMinor = money.Minor(math.Round(mean))
	if len(worth) > 1 {
		squares := 0.0
		for _, w := range worth {
			squares += (float64(w) - mean) * (float64(w) - mean)
		}
		s.SpreadMinor = money.Minor(math.Round(math.Sqrt(squares / float64(len(worth)-1))))
	}
	return s
}

// changed reports whether the sandboxes have something else than their preset says, so that
// published results are of other worlds. Published players move the clock themselves.
func (s *Summary) changed() bool { return s.Bridge != nil || s.hurries() || s.Faults != nil }

// hurries reports whether the clock runs while a program thinks.
func (s *Summary) hurries() bool { return s.Clock != nil && *s.Clock != client.ClockModeManual }

// asked names what the sandboxes have beside their preset.
func (s *Summary) asked() string {
	text := ""
	if s.Bridge != nil {
		text += ", bridge " + string(*s.Bridge)
	}
	if s.Split != client.SplitTrain {
		text += ", split " + string(s.Split)
	}
	if s.hurries() {
		text += ", clock " + string(*s.Clock)
	}
	if s.Faults != nil {
		text += ", faults " + string(*s.Faults.Plan)
	}
	return text
}

// meanScore is the mean of the exactly-once scores, nil without one.
func meanScore(runs []Run) *float64 {
	sum, judged := 0.0, 0
	for i := range runs {
		if score := runs[i].ExactlyOnce; score != nil {
			sum += *score
			judged++
		}
	}
	if judged == 0 {
		return nil
	}
	return new(sum / float64(judged))
}

// published returns the known results for a preset on a day; there are none for
// presets of one's own, and for other days.
func published(name string, day int) []Baseline {
	known := []Baseline{}
	report, err := economy.Published()
	if err != nil {
		return known
	}
	p, ok := report.Preset(name)
	if !ok {
		return known
	}
	for i := range p.Players {
		if b, ok := p.Players[i].On(day); ok && !p.Players[i].Exploiter {
			known = append(known, Baseline{Player: p.Players[i].Name, Day: day, LowMinor: b.Low,
				MiddleMinor: b.Middle, HighMinor: b.High})
		}
	}
	return known
}

// Failed is the error of the runs that went wrong, with their number.
func (s *Summary) Failed() error {
	failed := 0
	for i := range s.Runs {
		if s.Runs[i].Error != "" {
			failed++
		}
	}
	if failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d runs went wrong", failed, len(s.Runs))
}

// Print writes tables for people.
func (s *Summary) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "seed\tday\tnet worth\tprofit\tskill\ton time\tlate\texpired\tlapsed\twages late\trejected\t"+
		"replayed\tmissions\texactly once\tended\t\tbusiness\tstate\t")
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.report == nil {
			fmt.Fprintf(w, "%d%s%s\t\t\t\n", r.Seed, strings.Repeat("\t", columnsOfRun), r.Error)
			continue
		}
		onTime := "–"
		if r.report.Score.OnTimePct != nil {
			onTime = strconv.FormatFloat(*r.report.Score.OnTimePct, 'f', -1, 64) + " %"
		}
		once := "–"
		if r.ExactlyOnce != nil {
			once = cli.Score(*r.ExactlyOnce)
		}
		ended := string(r.report.Status)
		if !r.report.Invariants.Hold {
			ended += ", BOOKS BROKEN"
		}
		skill := "–"
		if r.Skill != nil {
			skill = ofTheWay(*r.Skill)
		}
		score := &r.report.Score
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t\n",
			r.Seed, r.Day, r.NetWorthMinor, r.ProfitMinor, skill, onTime, r.report.Orders.Late, score.OrdersExpired,
			score.OrdersLapsed, score.PayrollLate, r.report.Writes.Refused, r.report.Writes.Replayed,
			len(r.report.Missions), once, ended, r.Error, r.report.BusinessHash[:12], r.report.StateHash[:12])
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if s.Counted > 0 {
		worlds := "worlds"
		if s.Counted == 1 {
			worlds = "world"
		}
		fmt.Fprintf(out, "\nnet worth at the close of day %d, %d %s of %s (preset version %d, engine %d%s)\n",
			s.Day, s.Counted, worlds, s.Preset, s.PresetVersion, s.EngineVersion, s.asked())
		fmt.Fprintf(out, "mean %s, spread %s, from %s over %s to %s\n",
			s.MeanMinor, s.SpreadMinor, s.LowMinor, s.MiddleMinor, s.HighMinor)
	}
	if s.ExactlyOnce != nil {
		fmt.Fprintf(out, "exactly-once score of the integration, mean %s\n", cli.Score(*s.ExactlyOnce))
	}
	if err := s.printBaselines(out); err != nil {
		return err
	}
	if s.changed() {
		fmt.Fprintf(out, "\nPublished baselines are of the preset as it is, and not shown here.\n")
		return nil
	}
	if len(s.Published) == 0 {
		fmt.Fprintf(out, "\nNo baselines are published for %s on day %d; they are for days 30, 60 and 90 of the "+
			"presets that come with Platen.\n", s.Preset, s.Day)
		return nil
	}
	fmt.Fprintf(out,
		"\npublished for the same day (one company in ten has less, half have less, nine in ten have less)\n")
	w = tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, b := range s.Published {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", b.Player, b.LowMinor, b.MiddleMinor, b.HighMinor)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// columnsOfRun are the columns of a run between its seed and its error.
const columnsOfRun = 15

// printBaselines writes how far the player has gone from greedy to good play, and how it
// stands beside each player of known skill in the same worlds.
func (s *Summary) printBaselines(out io.Writer) error {
	if s.Skill != nil {
		fmt.Fprintf(out, "skill %s of the way from greedy to good play, from %s to %s in 95 of 100 evaluations\n",
			ofTheWay(s.Skill.Value), ofTheWay(s.Skill.Low), ofTheWay(s.Skill.High))
	}
	if len(s.Baselines) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\nplayers of known skill in the same worlds, without faults\n")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "player\tmean\tyou are ahead by\tfrom\tto\t")
	for _, b := range s.Baselines {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", b.Player, b.MeanMinor, b.LeadMinor, b.LowMinor, b.HighMinor)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// ofTheWay writes a skill, of which 1 is good play, in per cent.
func ofTheWay(skill float64) string { return strconv.FormatFloat(skill*100, 'f', 0, 64) + " %" }
