package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// figure is one line of the table.
type figure struct {
	name, value string
	// tests is the same of the tests, "" where the value is about everything.
	tests, note string
	// details are the names behind a count.
	details []string
}

func count(name string, n int, note string, details []string) figure {
	return figure{name: name, value: strconv.Itoa(n), note: note, details: details}
}

// medianFigure is of several counts, which the note lists.
func medianFigure(name string, counts []int, details []string) figure {
	sorted := slices.Sorted(slices.Values(counts))
	return figure{
		name: name, value: formatMedian(counts),
		note: fmt.Sprintf("median of %s", strings.Trim(fmt.Sprint(sorted), "[]")), details: details,
	}
}

func share(name string, part, whole int, note string, details []string) figure {
	return figure{
		name: name, value: fmt.Sprintf("%.1f %%", 100*float64(part)/float64(max(whole, 1))), note: note,
		details: details,
	}
}

// printTable writes the one table, and below it the details if they are wanted.
func printTable(out io.Writer, figures []figure, details bool) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tmeasured\ttests\tnote")
	for _, f := range figures {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.name, f.value, f.tests, f.note)
	}
	w.Flush()
	for _, f := range figures {
		if details && len(f.details) > 0 {
			fmt.Fprintf(out, "\n%s\n  %s\n", f.name, strings.Join(f.details, "\n  "))
		}
	}
}

// tally lists counts, the largest first.
func tally(counts map[string]int) []string {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, counts[name])
	}
	return names
}

func formatMedian(values []int) string { return strconv.FormatFloat(median(values), 'f', -1, 64) }

// median is the value in the middle, of an even count the mean of the two.
func median(values []int) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return float64(sorted[half])
	}
	return float64(sorted[half-1]+sorted[half]) / 2
}
