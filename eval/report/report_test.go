package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"platen/eval/report"
	"platen/eval/statistic"
)

// hostile acts on a page, a table of Markdown, or a terminal, wherever it is not escaped.
const hostile = "<script>alert(1)</script>\"'><img src=x onerror=y>|`*_\n# \u202eeli\u0007\x9b\xff雪 e\u0301"

func page() *report.Page {
	names := report.Names([]string{"a/" + hostile + ".jsonl", "b.jsonl", "x/c.jsonl", "y/c.jsonl"}, nil)
	p := &report.Page{Title: "Title " + hostile, Verdict: []string{hostile}, Players: names}
	p.Facts = []report.Fact{{Name: hostile, Value: hostile}}
	lines := &report.Lines{Title: hostile, Across: "day", Unit: report.Amount, Tick: report.ShortAmount}
	bars := &report.Bars{Title: hostile, Unit: report.Amount, Tick: report.ShortAmount}
	for i, name := range names {
		lines.Series = append(lines.Series, report.Series{
			Name: name, Player: i, Points: []report.Point{{X: 0, Y: 1e6}, {X: 1, Y: float64(-i) * 1e7}},
		})
		bars.Groups = append(bars.Groups, report.Group{
			Title: hostile, Bars: []report.Bar{{Name: name, Player: i, Value: float64(i) * -1e5}},
		})
	}
	lines.Series = append(lines.Series, report.Series{Name: "none", Player: -1})
	p.Add(report.Section{
		Title: hostile, Text: []string{hostile}, Charts: []report.Chart{lines, bars},
		Tables: []report.Table{{
			Title: hostile, Align: "lr", Head: []string{hostile, "n"}, Rows: [][]string{{hostile, "1"}},
		}},
	})
	p.Add(report.Tries([]report.Repeated{{Name: hostile, Worlds: []statistic.Tries{{All: 3, Passed: 1}}}}))
	p.Add(report.Failures([]report.Failure{{Player: names[0], Text: hostile, At: "seed 1"}}))
	p.Add(report.Usage([]report.Spent{{Name: hostile, Runs: 0}}))
	return p
}

func html(t *testing.T, p *report.Page) string {
	t.Helper()
	var out strings.Builder
	if err := p.HTML(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestThePageIsWellFormedAndNeedsNothingElse(t *testing.T) {
	t.Parallel()
	text := html(t, page())
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, []string{"meta"}, xml.HTMLEntity
	open := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch element := token.(type) {
		case xml.StartElement:
			open++
			switch element.Name.Local {
			case "script", "link", "img", "iframe", "use", "image":
				t.Errorf("the page has an element %s", element.Name.Local)
			}
			for _, a := range element.Attr {
				if a.Name.Local == "src" || a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") {
					t.Errorf("the page has an attribute %s=%q", a.Name.Local, a.Value)
				}
			}
		case xml.EndElement:
			open--
		}
	}
	if open != 0 {
		t.Errorf("%d elements stay open", open)
	}
	if found := regexp.MustCompile(`https?://|@import|url\(|NaN|Inf|ZgotmplZ`).FindString(text); found != "" {
		t.Errorf("the page has %q", found)
	}
}

func TestNamesCannotActOnThePage(t *testing.T) {
	t.Parallel()
	var markdown strings.Builder
	if err := page().Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{html(t, page()), markdown.String()} {
		for _, part := range []string{"<script", "<img"} {
			if strings.Contains(text, part) {
				t.Errorf("it has %s: %.300s", part, text)
			}
		}
		if !strings.Contains(text, "雪") {
			t.Error("a letter of another script is lost")
		}
	}
	for line := range strings.Lines(markdown.String()) {
		columns := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if strings.Contains(line, "script") && columns > 12 {
			t.Errorf("a name makes columns: %s", line)
		}
	}
	for _, name := range page().Players {
		if strings.ContainsAny(name, "\n\u202e\u0007\u009b") || len([]rune(name)) > 52 {
			t.Errorf("%q acts on a terminal, or is long", name)
		}
	}
}

func TestPlayersHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	got := report.Names([]string{"x/run.jsonl", "y/run.jsonl", "b.jsonl", "\u202e.jsonl", "c"}, []string{"one", "one"})
	want := []string{"one", "one (2)", "b", "player 4", "c"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
	files := []string{"x/run.jsonl", "y/run.jsonl"}
	if got := report.Names(files, nil); got[0] != files[0] || got[1] != files[1] {
		t.Errorf("%q, want the folders too", got)
	}
}

// TestALineIsDrawnWhereItsAxisSays reads values back from the drawing.
func TestALineIsDrawnWhereItsAxisSays(t *testing.T) {
	t.Parallel()
	p := &report.Page{}
	p.Add(report.Section{Title: "x", Charts: []report.Chart{&report.Lines{
		Title: "x", Across: "day", Unit: report.Amount, Tick: report.Number(0),
		Series: []report.Series{{Name: "a", Points: []report.Point{{X: 0, Y: -100}, {X: 5, Y: 300}, {X: 10, Y: 50}}}},
	}}})
	text := html(t, p)
	wide, _, _ := strings.Cut(text[strings.Index(text, `<svg class="wide"`):], "</svg>")
	ticks := map[string]string{}
	tick := regexp.MustCompile(`text-anchor="end" x="[0-9.]+" y="([0-9.]+)">([^<]+)<`)
	for _, m := range tick.FindAllStringSubmatch(wide, -1) {
		ticks[m[2]] = m[1]
	}
	path := regexp.MustCompile(`class="line p0" d="M[0-9.]+ ([0-9.]+)L[0-9.]+ ([0-9.]+)L`).FindStringSubmatch(wide)
	if path == nil {
		t.Fatalf("no line in %s", wide)
	}
	for value, at := range map[string]string{"−100": path[1], "300": path[2]} {
		const below = 4 // so far is the foot of a text under its tick
		if math.Abs(number(t, ticks[value])-below-number(t, at)) > 0.15 {
			t.Errorf("%s is drawn at %s, and its tick is at %s", value, at, ticks[value])
		}
	}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	var v float64
	if err := xml.Unmarshal([]byte("<v>"+text+"</v>"), &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}
