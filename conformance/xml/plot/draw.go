package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// A panel is one of the two charts of the picture.
type panel struct {
	left  float64 // of its axes
	title string
	value func(point) float64
	most  float64 // the upper end of its scale
	step  float64 // between marks of the scale
}

// Measures of the picture in pixels, and of the documents in MB.
const (
	width, height = 960.0, 430.0
	top, bottom   = 40.0, 300.0
	breadth       = 380.0
	largest       = 32.0
)

// draw writes the picture. It is light on dark screens too, as it brings its own
// background.
func draw(out io.Writer, found []*series) error {
	w := &bytes.Buffer{}
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(w, `<rect width="%g" height="%g" fill="#fff"/>`+"\n", width, height)
	panels := []panel{
		{left: 70, title: "seconds of processor time", value: func(p point) float64 { return p.seconds }},
		{left: 550, title: "MB of memory", value: func(p point) float64 { return p.memory }},
	}
	for _, p := range panels {
		p.scale(found)
		p.axes(w)
		for _, s := range found {
			p.line(w, s)
		}
	}
	legend(w, found)
	fmt.Fprintln(w, "</svg>")
	_, err := w.WriteTo(out)
	return err
}

// scale chooses four to ten marks at round numbers.
func (p *panel) scale(found []*series) {
	for _, s := range found {
		for _, at := range s.points {
			p.most = max(p.most, p.value(at))
		}
	}
	p.step = math.Pow(10, math.Floor(math.Log10(p.most)))
	for p.most/p.step < 4 {
		p.step /= 2
	}
	p.most = p.step * math.Ceil(p.most/p.step)
}

func (p *panel) x(size float64) float64  { return p.left + breadth*size/largest }
func (p *panel) y(value float64) float64 { return bottom - (bottom-top)*value/p.most }

func (p *panel) axes(w *bytes.Buffer) {
	fmt.Fprintf(w, `<text x="%g" y="%g" font-weight="bold">%s</text>`+"\n", p.left, top-14, p.title)
	for i := 0.0; i*p.step <= p.most; i++ {
		y := p.y(i * p.step)
		fmt.Fprintf(w, `<path d="M%g %.1fh%g" stroke="#ddd"/><text x="%g" y="%.1f" text-anchor="end">%g</text>`+"\n", p.left, y, breadth, p.left-8, y+4, i*p.step)
	}
	for size := 0.0; size <= largest; size += 8 {
		fmt.Fprintf(w, `<text x="%g" y="%g" text-anchor="middle">%g</text>`+"\n", p.x(size), bottom+20, size)
	}
	fmt.Fprintf(w, `<text x="%g" y="%g" text-anchor="middle">MB of XML</text>`+"\n", p.left+breadth/2, bottom+40)
}

func (p *panel) line(w *bytes.Buffer, s *series) {
	dashes := ""
	if s.dashed {
		dashes = ` stroke-dasharray="6 4"`
	}
	fmt.Fprintf(w, `<g stroke="%s" fill="%s"><polyline fill="none" stroke-width="2"%s points="`, s.colour, s.colour, dashes)
	for _, at := range s.points {
		fmt.Fprintf(w, "%.1f,%.1f ", p.x(at.size), p.y(p.value(at)))
	}
	fmt.Fprint(w, `"/>`)
	for _, at := range s.points {
		fmt.Fprintf(w, `<circle cx="%.1f" cy="%.1f" r="2.5"/>`, p.x(at.size), p.y(p.value(at)))
	}
	fmt.Fprintln(w, "</g>")
}

// legend has two rows of three.
func legend(w *bytes.Buffer, found []*series) {
	for i, s := range found {
		x, y := 70+float64(i%3)*290, bottom+75+float64(i/3)*25
		dashes := ""
		if s.dashed {
			dashes = ` stroke-dasharray="6 4"`
		}
		fmt.Fprintf(w, `<path d="M%g %gh36" stroke="%s" stroke-width="2"%s/><text x="%g" y="%g">%s</text>`+"\n", x, y, s.colour, dashes, x+46, y+4, s.label)
	}
}
