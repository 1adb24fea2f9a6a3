package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"platen/internal/economy"
)

// evalSummary is the output of --json.
type evalSummary struct {
	Preset        string   `json:"preset"`
	PresetVersion int      `json:"preset_version"`
	EngineVersion int      `json:"engine_version"`
	Day           int      `json:"day"`
	Runs          []played `json:"runs"`
	// MeanMinor and the rest are of the net worth at the close of Day, over the
	// runs that have a report. SpreadMinor is the standard deviation of a sample.
	Counted     int   `json:"counted"`
	MeanMinor   int64 `json:"mean_minor"`
	SpreadMinor int64 `json:"spread_minor"`
	LowMinor    int64 `json:"low_minor"`
	MiddleMinor int64 `json:"middle_minor"`
	HighMinor   int64 `json:"high_minor"`
	// Published are the results of players of known skill with the same preset.
	Published []baseline `json:"published"`
}

// baseline is the result of a published player with the preset, over 40 seeds:
// one company in ten has less than Low, half have less than Middle.
type baseline struct {
	Player      string `json:"player"`
	Day         int    `json:"day"`
	LowMinor    int64  `json:"low_minor"`
	MiddleMinor int64  `json:"middle_minor"`
	HighMinor   int64  `json:"high_minor"`
}

func summarize(e *evaluation, results []played) evalSummary {
	s := evalSummary{Preset: e.preset, Day: e.day, Runs: results, Published: published(e.preset, e.day)}
	var worth []int64
	for i := range results {
		if r := &results[i].report; r.StateHash != "" {
			s.PresetVersion, s.EngineVersion = r.PresetVersion, r.EngineVersion
			worth = append(worth, results[i].NetWorthMinor)
		}
	}
	if s.Counted = len(worth); s.Counted == 0 {
		return s
	}
	slices.Sort(worth)
	s.LowMinor, s.MiddleMinor, s.HighMinor = worth[0], worth[len(worth)/2], worth[len(worth)-1]
	sum := 0.0
	for _, w := range worth {
		sum += float64(w)
	}
	mean := sum / float64(len(worth))
	s.MeanMinor = int64(math.Round(mean))
	if len(worth) > 1 {
		squares := 0.0
		for _, w := range worth {
			squares += (float64(w) - mean) * (float64(w) - mean)
		}
		s.SpreadMinor = int64(math.Round(math.Sqrt(squares / float64(len(worth)-1))))
	}
	return s
}

// published returns the known results for a preset on a day; there are none for
// presets of one's own, and for other days.
func published(name string, day int) []baseline {
	known := []baseline{}
	report, err := economy.Published()
	if err != nil {
		return known
	}
	p, ok := report.Preset(name)
	if !ok {
		return known
	}
	for i := range p.Players {
		if b, ok := p.Players[i].On(day); ok {
			known = append(known, baseline{Player: p.Players[i].Name, Day: day, LowMinor: int64(b.Low),
				MiddleMinor: int64(b.Middle), HighMinor: int64(b.High)})
		}
	}
	return known
}

// print writes tables for people.
func (s *evalSummary) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "seed\tday\tnet worth\tprofit\ton time\twages late\trejected\treplayed\tmissions\tended\t\tstate\t")
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.report.StateHash == "" {
			fmt.Fprintf(w, "%d\t\t\t\t\t\t\t\t\t%s\t\t\t\n", r.Seed, r.Error)
			continue
		}
		onTime := "–"
		if r.report.Score.OnTimePct != nil {
			onTime = r.report.Score.OnTimePct.String() + " %"
		}
		ended := r.report.Status
		if !r.report.Invariants.Hold {
			ended += ", BOOKS BROKEN"
		}
		trouble := ""
		if r.Error != "" {
			trouble = r.Error
		}
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t\n",
			r.Seed, r.Day, amount(r.NetWorthMinor), amount(r.ProfitMinor), onTime, r.report.Score.PayrollLate,
			r.report.Writes.Refused, r.report.Writes.Replayed, len(r.report.Missions), ended, trouble,
			r.report.StateHash[:12])
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	if s.Counted > 0 {
		fmt.Fprintf(out, "\nnet worth at the close of day %d, %d worlds of %s (preset version %d, engine %d)\n",
			s.Day, s.Counted, s.Preset, s.PresetVersion, s.EngineVersion)
		fmt.Fprintf(out, "mean %s, spread %s, from %s over %s to %s\n",
			amount(s.MeanMinor), amount(s.SpreadMinor), amount(s.LowMinor), amount(s.MiddleMinor), amount(s.HighMinor))
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
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", b.Player, amount(b.LowMinor), amount(b.MiddleMinor), amount(b.HighMinor))
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
