package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// drawing is a chart as shapes, for the template.
type drawing struct {
	Width, Height float64
	Shapes        []shape
}

// shape is an element of a drawing: a line, a path, a rectangle, a mark or a text, by Kind.
type shape struct {
	Kind, Class, Text, Path, Anchor string
	X, Y, X2, Y2                    float64
}

func (d *drawing) line(class string, x, y, x2, y2 float64) {
	d.Shapes = append(d.Shapes, shape{
		Kind: "line", Class: class, X: tenth(x), Y: tenth(y), X2: tenth(x2), Y2: tenth(y2),
	})
}

func (d *drawing) rect(class string, x, y, width, height float64) {
	d.Shapes = append(d.Shapes, shape{
		Kind: "rect", Class: class, X: tenth(x), Y: tenth(y), X2: tenth(max(width, 0)), Y2: tenth(max(height, 0)),
	})
}

func (d *drawing) text(class, anchor string, x, y float64, text string) {
	d.Shapes = append(d.Shapes, shape{Kind: "text", Class: class, Anchor: anchor, X: tenth(x), Y: tenth(y), Text: text})
}

func (d *drawing) path(class, path string) {
	d.Shapes = append(d.Shapes, shape{Kind: "path", Class: class, Path: path})
}

func tenth(v float64) float64 { return math.Round(v*10) / 10 }

// Series is a line of a chart. Those of players have a mark and a colour of their own, by Player; yardsticks
// are grey, with dashes of their own, and have -1, -2 and so on.
type Series struct {
	Name   string
	Player int
	Faint  bool // dashed: what could be, beside what is
	Points []Point
}

// Point is a value at a place.
type Point struct{ X, Y float64 }

// Lines is a chart of values over days or tries.
type Lines struct {
	Title, Across string
	// Unit writes a value in a table, Tick on the axis.
	Unit, Tick func(float64) string
	Series     []Series
	// Highest is where the axis ends at least.
	Highest float64
}

func (l *Lines) title() string { return l.Title }

// Legend names the lines.
func (l *Lines) Legend() []Series { return l.Series }

const (
	wide, narrow = 760, 350 // widths of drawings
	fontHeight   = 12
	// mostRows is how many places of a chart its table has at most, marksApart how far marks are apart at least.
	mostRows, marksApart = 13, 46
)

func (l *Lines) draw(width float64) drawing {
	labels := 8.0
	if width == wide {
		labels = 150
	}
	d := drawing{Width: width, Height: 320}
	if width != wide {
		d.Height = 250
	}
	low, high, first, last := 0.0, l.Highest, math.Inf(1), math.Inf(-1)
	for _, s := range l.Series {
		for _, p := range s.Points {
			low, high, first, last = min(low, p.Y), max(high, p.Y), min(first, p.X), max(last, p.X)
		}
	}
	y := newScale(low, high, 5, d.Height-38, 14)
	left := 16.0
	for _, t := range y.ticks {
		left = max(left, 12+7*float64(len([]rune(l.Tick(t)))))
	}
	x := scale{from: first, to: max(last, first+1), start: left, end: width - labels}
	for _, t := range y.ticks {
		class := "grid"
		if math.Abs(t) < (y.to-y.from)*1e-9 {
			class = "zero"
		}
		d.line(class, x.start, y.at(t), x.end, y.at(t))
		d.text("tick", "end", x.start-6, y.at(t)+4, l.Tick(t))
	}
	for _, at := range places(first, last, max(2, int((x.end-x.start)/60))) {
		d.line("grid", x.at(at), y.start, x.at(at), y.start+4)
		d.text("tick", "middle", x.at(at), y.start+17, fmt.Sprint(at))
	}
	d.text("tick", "middle", (x.start+x.end)/2, d.Height-4, l.Across)
	for _, s := range slices.Backward(l.Series) {
		l.trace(&d, &s, &x, &y)
	}
	if width == wide {
		l.label(&d, &x, &y)
	}
	return d
}

// trace draws a line with its marks.
func (*Lines) trace(d *drawing, s *Series, x, y *scale) {
	var path strings.Builder
	marked := math.Inf(-1)
	for i, p := range s.Points {
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		fmt.Fprintf(&path, "%s%g %g", verb, tenth(x.at(p.X)), tenth(y.at(p.Y)))
	}
	d.path("line "+class(s.Player, s.Faint), path.String())
	for i, p := range s.Points {
		at := x.at(p.X)
		if s.Player >= 0 && (at-marked >= marksApart || i == len(s.Points)-1) {
			d.path("mark "+class(s.Player, false), mark(s.Player, at, y.at(p.Y)))
			marked = at
		}
	}
}

// label writes the name of each line at its end, and moves names that would cover each other apart.
func (l *Lines) label(d *drawing, x, y *scale) {
	type label struct {
		s  *Series
		at float64
	}
	var all []label
	for i := range l.Series {
		if s := &l.Series[i]; len(s.Points) > 0 {
			all = append(all, label{s, y.at(s.Points[len(s.Points)-1].Y)})
		}
	}
	slices.SortStableFunc(all, func(a, b label) int { return int(math.Copysign(1, a.at-b.at)) })
	const apart = fontHeight + 2
	for i := range all {
		if i > 0 {
			all[i].at = max(all[i].at, all[i-1].at+apart)
		}
	}
	lowest := y.start + fontHeight/2
	for i := range slices.Backward(all) {
		all[i].at = min(all[i].at, lowest)
		lowest = all[i].at - apart
	}
	for _, a := range all {
		end := y.at(a.s.Points[len(a.s.Points)-1].Y)
		d.line("lead", x.end+5, end, x.end+13, a.at)
		d.text("name "+class(a.s.Player, false), "start", x.end+16, a.at+4, shortened(a.s.Name, 20))
	}
}

// table has the values at some of the places.
func (l *Lines) table() *Table {
	t := &Table{Title: l.Title, Align: "r", Head: []string{l.Across}}
	values, last := map[float64][]string{}, math.Inf(-1)
	for i, s := range l.Series {
		t.Head = append(t.Head, s.Name)
		for _, p := range s.Points {
			if values[p.X] == nil {
				values[p.X] = slices.Repeat([]string{None}, len(l.Series))
			}
			values[p.X][i] = l.Unit(p.Y)
			last = max(last, p.X)
		}
	}
	var all []float64
	for at := range values {
		all = append(all, at)
	}
	slices.Sort(all)
	if len(all) > mostRows {
		some := places(all[0], last, mostRows-2)
		all = slices.DeleteFunc(all, func(at float64) bool { return at != last && !slices.Contains(some, at) })
	}
	for _, at := range all {
		t.Rows = append(t.Rows, append([]string{fmt.Sprint(at)}, values[at]...))
	}
	return t
}

// None is shown where there is no value.
const None = "–"

// places are whole numbers at round distances, about so many.
func places(first, last float64, most int) []float64 {
	step := 1.0
	for _, s := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} {
		if step = s; (last-first)/s <= float64(most) {
			break
		}
	}
	var all []float64
	for at := math.Ceil(first/step) * step; at <= last; at += step {
		all = append(all, at)
	}
	return all
}

// colours and shapes are how many of each players have; together they tell 42 players apart. dashes are those of
// yardsticks.
const colours, shapes, dashes = 7, 6, 5

// class is the class of a player's colour, or of a yardstick.
func class(player int, faint bool) string {
	name := fmt.Sprintf("yardstick y%d", (-1-player)%dashes)
	if player >= 0 {
		name = fmt.Sprintf("p%d", player%colours)
	}
	if faint {
		name += " faint"
	}
	return name
}

// mark is the outline of a player's mark around a place.
func mark(player int, x, y float64) string {
	const r = 4.5
	x, y = tenth(x), tenth(y)
	switch player % shapes {
	case 1:
		return fmt.Sprintf("M%g %gh8v8h-8z", x-4, y-4)
	case 2:
		return fmt.Sprintf("M%g %gl5 9h-10z", x, y-5.5)
	case 3:
		return fmt.Sprintf("M%g %gl5.5 5.5l-5.5 5.5l-5.5 -5.5z", x, y-5.5)
	case 4:
		return fmt.Sprintf("M%g %gl5 -9h-10z", x, y+5.5)
	case 5:
		return fmt.Sprintf("M%g %gh3v-3h3v3h3v3h-3v3h-3v-3h-3z", x-4.5, y-1.5)
	default:
		return fmt.Sprintf("M%g %ga%[3]g %[3]g 0 1 0 %[4]g 0a%[3]g %[3]g 0 1 0 %[5]g 0z", x-r, y, r, 2*r, -2*r)
	}
}
