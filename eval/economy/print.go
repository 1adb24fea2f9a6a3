package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"platen/internal/publish/economy"
	"platen/internal/words/money"
)

// thousand is the unit of printed amounts, in minor units.
const thousand money.Minor = 100_000

func printReport(w io.Writer, r *economy.Report) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "net worth in thousands: one in ten below, half below, nine in ten below")
	for i := range r.Presets {
		p := &r.Presets[i]
		fmt.Fprintf(w, "\n")
		fmt.Fprintf(t, "%s %d, opening %s\t", p.Name, p.Version, inThousands(p.OpeningMinor))
		for _, day := range bandDays() {
			fmt.Fprintf(t, "day %d\t", day)
		}
		fmt.Fprintf(t, "lead on good, day 60\tskill\ton time\tabove opening\tbankrupt\tfirst\tmedian\tlast\t\n")
		for j := range p.Players {
			printPlayer(t, &p.Players[j], r.Seeds)
		}
		if err := t.Flush(); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	if len(r.Skills) > 0 {
		fmt.Fprintf(w, "\nwhat good play earns more in %s by day %d, on average: %s, and of that\n",
			r.SkillsPreset, r.SkillsDay, inThousands(r.ExtraMinor))
	}
	for _, s := range r.Skills {
		fmt.Fprintf(t, "%s\t%s ± %s\t%d %%\t\n",
			s.Name, inThousands(s.WorthMinor), inThousands(s.ErrorMinor), s.SharePct)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func printPlayer(w io.Writer, p *economy.Player, seeds int) {
	fmt.Fprintf(w, "%s\t", p.Name)
	for _, b := range p.Bands {
		fmt.Fprintf(w, "%s %s %s\t", inThousands(b.Low), inThousands(b.Middle), inThousands(b.High))
	}
	day60, _ := p.On(sampleDay)
	fmt.Fprintf(w, "%s ± %s\t", inThousands(p.LeadMinor), inThousands(p.LeadErrorMinor))
	if p.SkillPct != nil {
		fmt.Fprintf(w, "%d %%", *p.SkillPct)
	}
	fmt.Fprintf(w, "\t%d %%\t", day60.OnTimePct)
	fmt.Fprintf(w, "%d of %d\t", p.AboveOpening, seeds)
	if p.Bankrupt == 0 {
		fmt.Fprintf(w, "none by day %d\t\t\t\t\n", p.Watched)
		return
	}
	fmt.Fprintf(w, "%d by day %d\t%d\t%d\t%d\t\n", p.Bankrupt, p.Watched, p.First, p.Median, p.Last)
}

func inThousands(m money.Minor) string { return fmt.Sprintf("%d", m/thousand) }
