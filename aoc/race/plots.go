package race

import (
	"fmt"
	"image/color"
	"math"
	"unicode/utf8"
)

var (
	ink   = color.RGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
	empty = color.RGBA{0xf3, 0xf3, 0xf3, 0xff}
)

const (
	pictureWidth, pictureHeight = 1200.0, 675.0 // 16 to 9, as people post pictures

	margin   = 20.0
	textSize = 13.0
	rowStep  = 20.0
	maxLabel = 24 // characters of a model's name
)

// puzzles returns the puzzles in order.
func (r *Race) puzzles() []Puzzle {
	var all []Puzzle
	for group := range byPuzzle(r.Results) {
		all = append(all, group[0].Puzzle)
	}
	return all
}

// days returns the days of the puzzles, as puzzles without a part, in order.
func (r *Race) days() []Puzzle {
	var all []Puzzle
	for _, p := range r.puzzles() {
		p.Part = 0
		if n := len(all); n == 0 || all[n-1] != p {
			all = append(all, p)
		}
	}
	return all
}

func shorten(name string) string {
	if utf8.RuneCountInString(name) <= maxLabel {
		return name
	}
	return string([]rune(name)[:maxLabel-1]) + "…"
}

func newPlot(title string, width, height float64) *Plot {
	p := &Plot{Title: title, Width: int(width), Height: int(height)}
	p.add(label{x: margin, y: margin + 8, text: title, size: 18, fill: ink})
	return p
}

// Heat returns a grid of models and puzzles. The darker a cell, the slower the model
// was beside the fastest one, on a logarithmic scale; gray cells are not solved.
func (r *Race) Heat() *Plot {
	const left, cellW, cellH = 190.0, 46.0, 26.0
	puzzles := r.puzzles()
	p := newPlot("Times beside the fastest model", left+cellW*float64(len(puzzles))+2*margin, 110+cellH*float64(len(r.Standings)))
	p.Width = max(p.Width, 420)
	column, row := map[Puzzle]int{}, map[string]int{}
	for i, puzzle := range puzzles {
		column[puzzle] = i
		p.add(label{x: left + cellW*(float64(i)+0.5), y: 62, text: fmt.Sprintf("%d.%d", puzzle.Day, puzzle.Part), size: 11, anchor: atMiddle, fill: ink})
	}
	for i, s := range r.Standings {
		row[s.Model] = i
		y := 70 + cellH*float64(i)
		p.add(label{x: left - 8, y: y + 17, text: shorten(s.Model), size: textSize, anchor: atEnd, fill: ink})
		p.add(rect{left, y, cellW * float64(len(puzzles)), cellH - 2, empty, ""})
	}
	for group := range byPuzzle(r.Results) {
		fastest := group[0].Median
		for _, result := range group {
			if result.Rank > 0 {
				p.heatCell(result, fastest, left+cellW*float64(column[result.Puzzle]), 70+cellH*float64(row[result.Model]), cellW, cellH)
			}
		}
	}
	p.add(label{x: margin, y: float64(p.Height) - 14, text: "1.0 is the fastest; columns are day.part", size: 11, fill: ink})
	return p
}

func (p *Plot) heatCell(result Result, fastest int64, x, y, w, h float64) {
	ratio := float64(max(result.Median, 1)) / float64(max(fastest, 1))
	shade := min(math.Log(ratio)/math.Log(32), 1) // 32 times as slow is the darkest
	text, dark := ink, shade > 0.5
	if dark {
		text = color.RGBA{0xff, 0xff, 0xff, 0xff}
	}
	p.add(rect{x + 1, y, w - 2, h - 2, blend(shade), fmt.Sprintf("%s, %s: %s", result.Model, result.Puzzle, Duration(result.Median))})
	p.add(label{x: x + w/2, y: y + 16, text: ratioText(ratio), size: 11, anchor: atMiddle, fill: text})
}

func ratioText(ratio float64) string {
	if ratio >= 10 {
		return fmt.Sprintf("%.0f", min(ratio, 9999))
	}
	return fmt.Sprintf("%.1f", ratio)
}

// blend returns a blue between light and dark.
func blend(shade float64) color.RGBA {
	mix := func(from, to float64) uint8 { return uint8(from + (to-from)*max(shade, 0)) }
	return color.RGBA{mix(0xe3, 0x08), mix(0xee, 0x30), mix(0xf9, 0x6b), 0xff}
}

// segment returns the rectangle that a line of some width covers.
func segment(a, b [2]float64, width float64) [][2]float64 {
	dx, dy := b[0]-a[0], b[1]-a[1]
	length := math.Hypot(dx, dy)
	if length == 0 {
		return nil
	}
	nx, ny := -dy/length*width/2, dx/length*width/2
	return [][2]float64{{a[0] + nx, a[1] + ny}, {b[0] + nx, b[1] + ny}, {b[0] - nx, b[1] - ny}, {a[0] - nx, a[1] - ny}}
}
