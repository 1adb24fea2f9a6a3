package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"platen/client"
)

// Integration is the exactly-once score of a sandbox with the manual bridge, with what lost
// some of it. It is nil where nothing is judged: with the auto bridge, and where players are
// compared.
type Integration struct {
	*client.Integration

	Failures []client.Finding `json:"failures"`
}

// ReadIntegration reads the score, and with failures also the findings that are not exact.
func ReadIntegration(ctx context.Context, c *client.Client, failures bool) (*Integration, error) {
	score, err := c.GetIntegration(ctx)
	if client.IsCode(err, client.CodeNotInEvaluation) || err == nil && score.Bridge != client.BridgeManual {
		return nil, nil //nolint:nilnil // nothing is judged, which is no error
	}
	if err != nil {
		return nil, err //nolint:wrapcheck // the error of a request speaks for itself
	}
	read := &Integration{Integration: score, Failures: []client.Finding{}}
	if !failures {
		return read, nil
	}
	for f, err := range c.IntegrationFindings(ctx, client.ListIntegrationFindingsParams{Limit: 100}) {
		if err != nil {
			return nil, err //nolint:wrapcheck // the same
		}
		if f.Verdict != client.IntegrationVerdictExact {
			read.Failures = append(read.Failures, f)
		}
	}
	return read, nil
}

// Line is the score in a line.
func (i *Integration) Line() string {
	c := i.Counts
	if i.ExactlyOnce == nil {
		return "no score yet"
	}
	parts := []string{}
	for _, part := range []struct {
		n    int64
		name string
	}{
		{c.Late, "late"}, {c.Missed, "missed"}, {c.Doubled, "doubled"}, {c.Wrong, "wrong"},
		{c.Unexpected, "unexpected"}, {c.Repeated, "repeated"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.name))
		}
	}
	line := fmt.Sprintf("%s, %d of %d exact", Score(*i.ExactlyOnce), c.Exact, c.Due)
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	return line
}

// ClientLine says in a line what the program made of the faults that hit it.
func (i *Integration) ClientLine() string {
	if i.Client == nil {
		return "no score yet: no fault has hit a request that is judged"
	}
	parts := []string{
		fmt.Sprintf("%s, recovered %d of %d requests that a fault hit", Score(*i.Client), i.Recovered, i.Hit),
	}
	for _, part := range []struct {
		n    int64
		text string
	}{
		{i.Saved, "saved by a check of the company"}, {i.Abandoned, "abandoned"},
		{i.Hit - i.Recovered - i.Saved - i.Abandoned, "done again"},
	} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.text))
		}
	}
	return strings.Join(parts, "; ")
}

// Score writes a score from 0 to 1 with three decimals and rounds down, as the error of a gate does.
func Score(score float64) string {
	const thousand, inexact = 1000, 1e-9 // of the product: 0.57 times 1000 is a little less than 570
	return strconv.FormatFloat(math.Floor(score*thousand+inexact)/thousand, 'f', 3, 64)
}

// writeKinds writes the counts of each kind; a score that was settled has none.
func writeKinds(out io.Writer, kinds []client.IntegrationKindCount) error {
	if len(kinds) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tscore\tdue\texact\tlate\tmissed\tdoubled\twrong\tunexpected\trepeated\t")
	for _, k := range kinds {
		score := "–"
		if k.ExactlyOnce != nil {
			score = Score(*k.ExactlyOnce)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", k.Kind, score, k.Due, k.Exact, k.Late, k.Missed,
			k.Doubled, k.Wrong, k.Unexpected, k.Repeated)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// WriteIntegration writes the score and its failures, for a person.
func WriteIntegration(out io.Writer, i *Integration) error {
	p := paintFor(out)
	if i == nil {
		fmt.Fprintln(out, "No score: this sandbox has the automatic bridge, or it is an evaluation, "+
			"which the grading key judges.")
		return nil
	}
	fmt.Fprintf(out, "%s %s\n", p.in(bold, "exactly once"), i.Line())
	fmt.Fprintf(out, "%s %s\n", p.in(bold, "your program"), i.ClientLine())
	if i.FailuresPerThousand != nil {
		const perCent = 10 // per thousand
		fmt.Fprintf(out, "failed: %.2f %%", *i.FailuresPerThousand/perCent)
		if i.DaysWithoutFailure != nil {
			fmt.Fprintf(out, ", days without a failure: %d", *i.DaysWithoutFailure)
		}
		fmt.Fprintln(out)
	}
	if err := writeKinds(out, i.Kinds); err != nil {
		return err
	}
	if len(i.Failures) > 0 {
		fmt.Fprintln(out)
	}
	for _, f := range i.Failures {
		fmt.Fprintf(out, "%s  %-10s  %s\n", p.in(faint, string(f.SinceOn)), f.Verdict, f.Message)
	}
	if len(i.Unrecovered) > 0 {
		fmt.Fprintln(out)
	}
	for _, u := range i.Unrecovered {
		fmt.Fprintf(out, "%-9s  %s\n", u.Outcome, u.Message)
	}
	m := i.Manners
	fmt.Fprintf(out, "\nmanners: %d requests, %d before Retry-After, %d writes rejected, "+
		"%d reads of unchanged data", m.Requests, m.Early, m.WritesRefused, m.UnchangedReads)
	if m.TriesPerWrite != nil {
		fmt.Fprintf(out, ", %s tries for each write", strconv.FormatFloat(*m.TriesPerWrite, 'f', 2, 64))
	}
	fmt.Fprintln(out)
	return nil
}
