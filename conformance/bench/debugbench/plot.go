package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

// A plot is lines over one another, with both axes logarithmic.
type plot struct {
	file, Title string
	x, y        string // what the axes have
	lines       []line
	Remark      string // of the page, below it
}

// A line's second coordinates are seconds.
type line struct {
	name   string
	points [][2]float64
}

// Where a plot is in its picture.
const (
	plotWidth, plotHeight             = 640, 400
	plotLeft, plotRight               = 78, 622
	plotTop, plotBottom               = 44, 345
	legendLeft, legendTop, legendLine = 96, 62, 18
)

// colors tell lines apart, also to those who do not see all colors, on light and
// dark paper.
var colors = []string{"#2f81f7", "#d96b00", "#1a9e77", "#cc5da8", "#8a8f98", "#b88b00"}

// An axis turns values into places of the picture.
type axis struct{ low, high, from, to float64 }

// at returns the position of a value.
func (a axis) at(v float64) float64 {
	return a.from + (a.to-a.from)*math.Log(v/a.low)/math.Log(a.high/a.low)
}

// axes have room for all points; the vertical one ends at powers of ten, and has
// room for the legend.
func (p *plot) axes() (x, y axis) {
	x = axis{math.Inf(1), 0, plotLeft, plotRight}
	y = axis{math.Inf(1), 0, plotBottom, plotTop}
	for _, l := range p.lines {
		for _, point := range l.points {
			x.low, x.high = min(x.low, point[0]), max(x.high, point[0])
			y.low, y.high = min(y.low, point[1]), max(y.high, point[1])
		}
	}
	y.low = math.Pow(10, math.Floor(math.Log10(y.low)))
	y.high *= math.Pow(y.high/y.low, .09*float64(len(p.lines)))
	return x, y
}

// draw is the picture, in the color of the page's text.
func (p *plot) draw() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="Arial,Helvetica,sans-serif" font-size="12" fill="currentColor">`+"\n",
		plotWidth, plotHeight, plotWidth, plotHeight)
	b.WriteString("<style>svg{color:#1f2328}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}</style>\n")
	word(&b, plotWidth/2, 24, "middle", p.Title, ` font-size="15"`)
	if x, y := p.axes(); x.high > x.low && y.high > 0 { // there is something to draw
		p.frame(&b, x, y)
		for i, l := range p.lines {
			l.draw(&b, x, y, colors[i%len(colors)])
			p.legend(&b, i)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// frame draws the axes, their ticks and a grid.
func (p *plot) frame(b *strings.Builder, x, y axis) {
	fmt.Fprintf(b, `<path d="M%d %dV%dH%d" fill="none" stroke="currentColor"/>`+"\n", plotLeft, plotTop, plotBottom, plotRight)
	for _, v := range p.sizes() {
		at := x.at(v)
		fmt.Fprintf(b, `<path d="M%.1f %dV%d" stroke="#808080" stroke-opacity=".25"/>`+"\n", at, plotBottom, plotTop)
		word(b, at, plotBottom+18, "middle", amount(v), "")
	}
	for v := y.low; v <= y.high; v *= 10 {
		at := y.at(v)
		fmt.Fprintf(b, `<path d="M%d %.1fH%d" stroke="#808080" stroke-opacity=".25"/>`+"\n", plotLeft, at, plotRight)
		word(b, plotLeft-8, at+4, "end", figures.Duration(v), "")
	}
	word(b, (plotLeft+plotRight)/2, plotBottom+42, "middle", p.x, ` font-size="13"`)
	middle := (plotTop + plotBottom) / 2
	word(b, 18, float64(middle), "middle", p.y, fmt.Sprintf(` font-size="13" transform="rotate(-90 18 %d)"`, middle))
}

// sizes are the first coordinates that there are.
func (p *plot) sizes() []float64 {
	var longest []float64
	for _, l := range p.lines {
		if len(l.points) <= len(longest) {
			continue
		}
		longest = nil
		for _, point := range l.points {
			longest = append(longest, point[0])
		}
	}
	return longest
}

func (p *plot) legend(b *strings.Builder, i int) {
	y := legendTop + legendLine*i
	fmt.Fprintf(b, `<path d="M%d %dh22" stroke="%s" stroke-width="2"/>`+"\n", legendLeft, y-4, colors[i%len(colors)])
	word(b, legendLeft+30, float64(y), "start", p.lines[i].name, "")
}

func (l line) draw(b *strings.Builder, x, y axis, color string) {
	var path strings.Builder
	for i, point := range l.points {
		px, py := x.at(point[0]), y.at(point[1])
		fmt.Fprintf(&path, "%c%.1f %.1f", "ML"[min(i, 1)], px, py)
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px, py, color)
	}
	if path.Len() > 0 {
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", &path, color)
	}
}

// word writes text that holds no markup.
func word(b *strings.Builder, x, y float64, anchor, text, more string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>`+"\n", x, y, anchor, more, text)
}

// amount writes a number with the letter of its thousands.
func amount(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%gM", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%gk", v/1e3)
	default:
		return fmt.Sprintf("%g", v)
	}
}
