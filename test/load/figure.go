package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"text/tabwriter"
)

// figure is one line of the table.
type figure struct {
	name string
	// samples are the runs; their median is the figure.
	samples []float64
	unit    unit
	// least is what must be reached, aim what is hoped for. With smaller set
	// both are the most that is allowed.
	least, aim float64
	smaller    bool
	note       string
}

// unit writes a value.
type unit func(float64) string

func ratio(v float64) string  { return strconv.FormatFloat(v, 'f', 2, 64) + "×" }
func millis(v float64) string { return strconv.FormatFloat(v*1e3, 'f', 2, 64) + " ms" }
func nanos(v float64) string  { return strconv.FormatFloat(v*1e9, 'f', 0, 64) + " ns" }
func kilobytes(v float64) string {
	return strconv.FormatFloat(v/1e3, 'f', 0, 64) + " KB"
}
func megabytes(v float64) string { return strconv.FormatFloat(v/1e6, 'f', 1, 64) + " MB" }
func perSecond(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) + "/s" }

func (f figure) verdict() string {
	measured := median(f.samples)
	reached := func(mark float64) bool {
		if f.smaller {
			return measured <= mark
		}
		return measured >= mark
	}
	switch {
	case reached(f.aim):
		return "aim met"
	case reached(f.least):
		return "met"
	default:
		return "missed"
	}
}

// printTable writes the one table.
func printTable(out io.Writer, figures []figure) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tmeasured\tat least\taim\tverdict\tnote")
	for _, f := range figures {
		least, aim := f.unit(f.least), f.unit(f.aim)
		if f.smaller {
			least, aim = "≤ "+least, "≤ "+aim
		}
		note := f.note
		if low, high := slices.Min(f.samples), slices.Max(f.samples); low != high {
			note = fmt.Sprintf("%s to %s; %s", f.unit(low), f.unit(high), note)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", f.name, f.unit(median(f.samples)), least, aim, f.verdict(), note)
	}
	w.Flush()
}

// median is the value in the middle, of an even count the mean of the two.
func median(samples []float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(samples))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// quotients divides pairwise: the runs that stood next to each other.
func quotients(a, b []float64) []float64 {
	q := make([]float64, len(a))
	for i := range a {
		q[i] = a[i] / b[i]
	}
	return q
}
