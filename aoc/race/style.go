package race

import "image/color"

// A style distinguishes a model in a plot by color, marker and dashes.
type style struct {
	fill   color.RGBA
	marker [][2]float64 // a polygon around 0, 0
	dash   [2]float64   // lengths of strokes and gaps; 0 for a whole line
}

// palette has ten colors that most kinds of color vision distinguish: those of Okabe
// and Ito, of which black is gray and yellow darker, and two more.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xd5, 0x5e, 0x00, 0xff}, {0xcc, 0x79, 0xa7, 0xff},
	{0x56, 0xb4, 0xe9, 0xff}, {0x99, 0x8a, 0x1f, 0xff}, {0x55, 0x55, 0x55, 0xff}, {0x6a, 0x3d, 0x9a, 0xff}, {0x8c, 0x2d, 0x04, 0xff},
}

// markers are a square, a diamond, a triangle, one upside down, and a hexagon.
var markers = [][][2]float64{
	{{-4, -4}, {4, -4}, {4, 4}, {-4, 4}},
	{{0, -6}, {6, 0}, {0, 6}, {-6, 0}},
	{{0, -6}, {5.5, 4}, {-5.5, 4}},
	{{0, 6}, {5.5, -4}, {-5.5, -4}},
	{{-5, 0}, {-2.5, -4.5}, {2.5, -4.5}, {5, 0}, {2.5, 4.5}, {-2.5, 4.5}},
}

var dashes = [][2]float64{{}, {9, 5}, {3, 4}}

// styleOf returns the style of the i-th model: ten differ by color, and thirty by color
// and dashes.
func styleOf(i int) style {
	return style{
		fill: palette[i%len(palette)], marker: markers[i%len(markers)],
		dash: dashes[(i/len(markers)+i/len(palette))%len(dashes)],
	}
}

// mark returns the style's marker at a point.
func (s style) mark(x, y float64) polygon {
	m := polygon{fill: s.fill}
	for _, at := range s.marker {
		m.points = append(m.points, [2]float64{x + at[0], y + at[1]})
	}
	return m
}

// stroke adds a line in the style.
func (p *Plot) stroke(points [][2]float64, s style, width float64) {
	if s.dash[0] == 0 {
		p.add(line{points, s.fill, width})
		return
	}
	for _, piece := range cut(points, s.dash) {
		p.add(line{piece, s.fill, width})
	}
}
