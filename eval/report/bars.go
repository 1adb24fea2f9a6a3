package report

import "math"

// Bars is a chart of horizontal bars in groups, each with its name and its value beside it.
type Bars struct {
	Title string
	// Unit writes a value, Tick one on the axis.
	Unit, Tick func(float64) string
	Groups     []Group
}

// Group is some bars under a title, which may be "".
type Group struct {
	Title string
	Bars  []Bar
}

// Bar is a value, with the interval in which it lies, if that is known. Player is as in Series.
type Bar struct {
	Name      string
	Player    int
	Value     float64
	Low, High *float64
}

func (b *Bars) title() string { return b.Title }

// table is nil: the numbers of bars are in tables of their section.
func (*Bars) table() *Table { return nil }

const (
	barHeight, barRow, groupRow = 14, 22, 24
	axisRow                     = 26
)

func (b *Bars) draw(width float64) drawing {
	d := drawing{Width: width}
	low, high, names, values := 0.0, 0.0, 40.0, 30.0
	letter, most := 7.0, 24
	if width != wide {
		most = 15
	}
	for _, g := range b.Groups {
		for _, bar := range g.Bars {
			low, high = min(low, bar.Value), max(high, bar.Value)
			if bar.Low != nil {
				low, high = min(low, *bar.Low), max(high, *bar.High)
			}
			names = max(names, 12+letter*float64(len([]rune(shortened(bar.Name, most)))))
			values = max(values, 14+letter*float64(len([]rune(b.Unit(bar.Value)))))
		}
	}
	x := newScale(low, high, max(2, int((width-names-values)/70)), names, width-values)
	y := 4.0
	top := y
	for i, g := range b.Groups {
		if g.Title != "" {
			if i > 0 {
				y += barRow - barHeight
			}
			d.text("group", "start", 0, y+groupRow-10, shortened(g.Title, int(width/letter)))
			y += groupRow
		}
		for _, bar := range g.Bars {
			b.bar(&d, &x, bar, y, most)
			y += barRow
		}
	}
	var axis drawing
	for _, t := range x.ticks {
		name := "grid"
		if math.Abs(t) < (x.to-x.from)*1e-9 {
			name = "zero"
		}
		axis.line(name, x.at(t), top, x.at(t), y)
		axis.text("tick", "middle", x.at(t), y+16, b.Tick(t))
	}
	d.Shapes = append(axis.Shapes, d.Shapes...)
	d.Height = y + axisRow
	return d
}

func (b *Bars) bar(d *drawing, x *scale, bar Bar, y float64, most int) {
	const middle = barRow / 2
	d.text("name "+class(bar.Player, false), "end", x.start-8, y+middle+4, shortened(bar.Name, most))
	from, to := min(x.at(0), x.at(bar.Value)), max(x.at(0), x.at(bar.Value))
	d.rect("bar "+class(bar.Player, false), from, y+middle-barHeight/2, max(to-from, 1), barHeight)
	if bar.Low != nil {
		const end = 4
		d.line("whisker", x.at(*bar.Low), y+middle, x.at(*bar.High), y+middle)
		d.line("whisker", x.at(*bar.Low), y+middle-end, x.at(*bar.Low), y+middle+end)
		d.line("whisker", x.at(*bar.High), y+middle-end, x.at(*bar.High), y+middle+end)
	}
	d.text("value", "end", d.Width-2, y+middle+4, b.Unit(bar.Value))
}
