package race

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// A Plot is a drawing of rectangles, lines and texts, as SVG or PNG. Coordinates are
// pixels from the top left.
type Plot struct {
	Title         string // also the description for screen readers
	Width, Height int
	shapes        []shape
}

// A shape is one of rect, line, polygon and label.
type shape any

type rect struct {
	x, y, w, h float64
	fill       color.RGBA
	hint       string // shown by a browser when pointed at
}

type line struct {
	points [][2]float64
	stroke color.RGBA
	width  float64
}

type polygon struct {
	points [][2]float64
	fill   color.RGBA
}

type label struct {
	x, y   float64 // of the baseline
	text   string
	size   float64 // pixels
	anchor anchor
	fill   color.RGBA
}

// An anchor says which point of a text is at its x.
type anchor int

const (
	atStart anchor = iota
	atMiddle
	atEnd
)

var anchors = []string{"start", "middle", "end"}

func (p *Plot) add(s shape) { p.shapes = append(p.shapes, s) }

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder never fails
	return b.String()
}

// SVG returns the plot as an SVG file that refers to nothing outside.
func (p *Plot) SVG() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img" font-family="Go,Helvetica,Arial,sans-serif">`+"\n",
		p.Width, p.Height, p.Width, p.Height)
	fmt.Fprintf(&b, "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n", escape(p.Title))
	for _, s := range p.shapes {
		writeSVG(&b, s)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

func writeSVG(b *bytes.Buffer, s shape) {
	switch s := s.(type) {
	case rect:
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s"`, s.x, s.y, s.w, s.h, hex(s.fill))
		if s.hint == "" {
			b.WriteString("/>\n")
			return
		}
		fmt.Fprintf(b, "><title>%s</title></rect>\n", escape(s.hint))
	case line:
		fmt.Fprintf(b, `<polyline fill="none" stroke="%s" stroke-width="%.1f" points="%s"/>`+"\n", hex(s.stroke), s.width, pointsText(s.points))
	case polygon:
		fmt.Fprintf(b, `<polygon fill="%s" points="%s"/>`+"\n", hex(s.fill), pointsText(s.points))
	case label:
		fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="%.0f" text-anchor="%s" fill="%s">%s</text>`+"\n",
			s.x, s.y, s.size, anchors[s.anchor], hex(s.fill), escape(s.text))
	}
}

func pointsText(points [][2]float64) string {
	var b strings.Builder
	for i, at := range points {
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%.1f,%.1f", at[0], at[1])
	}
	return b.String()
}

// PNG returns the plot as a PNG file, at twice the size for sharp text.
func (p *Plot) PNG() ([]byte, error) {
	const scale = 2
	img := image.NewRGBA(image.Rect(0, 0, p.Width*scale, p.Height*scale))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	for _, s := range p.shapes {
		if err := paint(img, s, scale); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

func paint(img *image.RGBA, s shape, scale float64) error {
	switch s := s.(type) {
	case rect:
		fillPath(img, s.fill, [][2]float64{{s.x, s.y}, {s.x + s.w, s.y}, {s.x + s.w, s.y + s.h}, {s.x, s.y + s.h}}, scale)
	case line:
		for i := 1; i < len(s.points); i++ {
			fillPath(img, s.stroke, segment(s.points[i-1], s.points[i], s.width), scale)
		}
	case polygon:
		fillPath(img, s.fill, s.points, scale)
	case label:
		return paintLabel(img, s, scale)
	}
	return nil
}

// fillPath fills a polygon.
func fillPath(img *image.RGBA, fill color.RGBA, points [][2]float64, scale float64) {
	size := img.Bounds().Size()
	r := vector.NewRasterizer(size.X, size.Y)
	for i, at := range points {
		x, y := float32(at[0]*scale), float32(at[1]*scale)
		if i == 0 {
			r.MoveTo(x, y)
		} else {
			r.LineTo(x, y)
		}
	}
	r.ClosePath()
	r.Draw(img, img.Bounds(), image.NewUniform(fill), image.Point{})
}

// goFont is the Go font, parsed once.
var goFont = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

func paintLabel(img *image.RGBA, s label, scale float64) error {
	parsed, err := goFont()
	if err != nil {
		return err
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: s.size * scale, DPI: 72})
	if err != nil {
		return err
	}
	defer func() { _ = face.Close() }() // it never fails
	d := font.Drawer{Dst: img, Src: image.NewUniform(s.fill), Face: face}
	width := d.MeasureString(s.text)
	x := fixed.Int26_6(s.x * scale * 64)
	switch s.anchor {
	case atMiddle:
		x -= width / 2
	case atEnd:
		x -= width
	case atStart:
	}
	d.Dot = fixed.Point26_6{X: x, Y: fixed.Int26_6(s.y * scale * 64)}
	d.DrawString(s.text)
	return nil
}
