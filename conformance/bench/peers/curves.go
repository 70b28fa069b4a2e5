package main

import (
	stdbytes "bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A plot is lines over one another, in a file beside the page.
type plot struct {
	File, Title string
	X, Y        string // what the axes have, with units
	LogX, LogY  bool
	Lines       []line
	Remark      string // of the page, below it
}

type line struct {
	Name   string
	Points [][2]float64
}

// plot keeps a plot.
func (b *bench) plot(p plot) { b.report.Plots = append(b.report.Plots, p) }

// ink is the color of what is neither paper nor a line. No plot has it: it is
// replaced by that of the page, light or dark.
var ink = color.RGBA{1, 2, 3, 255}

// inkText is the ink color as SVG files spell it.
const inkText = "#010203"

// style makes a plot readable on light and dark pages.
const style = `<style>svg{color:#1f2328}@media(prefers-color-scheme:dark){svg{color:#e6edf3}}</style>`

// colors tell lines apart, also to those who do not see all colors, on light and
// dark paper.
var colors = []color.RGBA{
	{0x2f, 0x81, 0xf7, 255},
	{0xd9, 0x6b, 0x00, 255},
	{0x1a, 0x9e, 0x77, 255},
	{0xcc, 0x5d, 0xa8, 255},
	{0x8a, 0x8f, 0x98, 255},
	{0xb8, 0x8b, 0x00, 255},
}

const (
	plotWidth  = 6.6 * vg.Inch
	plotHeight = 3.9 * vg.Inch
)

// save draws a plot into a folder.
func (p *plot) save(folder string) error {
	g := gonum.New()
	p.dress(g)
	for i, l := range p.Lines {
		if err := addLine(g, l, i); err != nil {
			return fmt.Errorf("%s: %s: %w", p.File, l.Name, err)
		}
	}
	canvas := vgsvg.New(plotWidth, plotHeight)
	g.Draw(draw.New(canvas))
	var b stdbytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, prefix+p.File), []byte(themed(b.String())), 0o644)
}

// themed gives a drawing the colors of the page it is on.
func themed(svg string) string {
	svg = strings.ReplaceAll(svg, inkText, "currentColor")
	svg = strings.ReplaceAll(svg, "font-family:Liberation Sans;", "font-family:Liberation Sans,Arial,Helvetica,sans-serif;")
	end := strings.Index(svg, "<svg")
	end += strings.IndexByte(svg[end:], '>') + 1
	return svg[:end] + style + svg[end:]
}

// dress sets titles, scales and fonts.
func (p *plot) dress(g *gonum.Plot) {
	g.BackgroundColor = nil
	g.Title.Text, g.X.Label.Text, g.Y.Label.Text = p.Title, p.X, p.Y
	g.Title.TextStyle.Font.Size, g.Title.Padding = 13, 8
	g.Title.TextStyle.Color = ink
	for _, axis := range []*gonum.Axis{&g.X, &g.Y} {
		axis.Color, axis.Label.TextStyle.Color = ink, ink
		axis.Tick.Color, axis.Tick.Label.Color = ink, ink
		axis.Label.TextStyle.Font.Size, axis.Tick.Label.Font.Size = 11, 10
		axis.Label.Padding = 4
	}
	for _, text := range []*font.Font{
		&g.Title.TextStyle.Font, &g.X.Label.TextStyle.Font, &g.Y.Label.TextStyle.Font,
		&g.X.Tick.Label.Font, &g.Y.Tick.Label.Font, &g.Legend.TextStyle.Font,
	} {
		text.Variant = "Sans"
	}
	g.Legend.TextStyle.Color, g.Legend.TextStyle.Font.Size = ink, 10
	g.Legend.Top, g.Legend.Left, g.Legend.Padding, g.Legend.XOffs = true, true, 2, 10
	p.scale(g)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = gridColor, gridColor
	g.Add(grid)
}

var gridColor = color.NRGBA{0x80, 0x80, 0x80, 0x40}

// scale sets the scales, with room for the legend above.
func (p *plot) scale(g *gonum.Plot) {
	g.X.Tick.Marker, g.Y.Tick.Marker = plain{}, plain{}
	if p.LogX {
		g.X.Scale, g.X.Tick.Marker = gonum.LogScale{}, powers{}
	}
	if p.LogY {
		g.Y.Scale, g.Y.Tick.Marker = gonum.LogScale{}, powers{}
	}
	low, high := p.bounds()
	if g.Y.Min, g.Y.Max = 0, high*(1+p.headroom()); p.LogY {
		g.Y.Min = math.Pow(10, math.Floor(math.Log10(low)))
		g.Y.Max = high * math.Pow(high/g.Y.Min, p.headroom())
	}
}

// headroom is the part of the height of the lines that the legend takes.
func (p *plot) headroom() float64 { return .06 + .065*float64(len(p.Lines)) }

// bounds are the least and the greatest of what is measured.
func (p *plot) bounds() (low, high float64) {
	low = math.Inf(1)
	for _, l := range p.Lines {
		for _, at := range l.Points {
			low, high = min(low, at[1]), max(high, at[1])
		}
	}
	return low, high
}

func addLine(g *gonum.Plot, l line, i int) error {
	var points plotter.XYs
	for _, at := range l.Points {
		points = append(points, plotter.XY{X: at[0], Y: at[1]})
	}
	curve, dots, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	c := colors[i%len(colors)]
	curve.Color, curve.Width = c, 1.8
	dots.Color, dots.Radius, dots.Shape = c, 2.6, draw.CircleGlyph{}
	g.Add(curve, dots)
	g.Legend.Add(l.Name, curve, dots)
	return nil
}

// plain are ticks with numbers as people write them.
type plain struct{}

// Ticks implements [gonum.Ticker].
func (plain) Ticks(low, high float64) []gonum.Tick {
	ticks := gonum.DefaultTicks{}.Ticks(low, high)
	for i := range ticks {
		if ticks[i].Label != "" {
			ticks[i].Label = short(ticks[i].Value)
		}
	}
	return ticks
}

// powers are ticks at powers of ten, and numbers at two and five times these
// where there are few.
type powers struct{}

// Ticks implements [gonum.Ticker].
func (powers) Ticks(low, high float64) []gonum.Tick {
	var ticks []gonum.Tick
	few := high/low < 300
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high*1.0001; power *= 10 {
		for k := 1.0; k < 10; k++ {
			tick := gonum.Tick{Value: k * power}
			if k == 1 || few && (k == 2 || k == 5) {
				tick.Label = short(tick.Value)
			}
			if tick.Value >= low*.9999 && tick.Value <= high*1.0001 {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
}

// short writes a number with the letter of its thousands.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.3gM", v/1e6)
	case v >= 1e3:
		return fmt.Sprintf("%.3gk", v/1e3)
	default:
		return fmt.Sprintf("%.3g", v)
	}
}
