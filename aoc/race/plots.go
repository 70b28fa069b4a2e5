package race

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"unicode/utf8"
)

// palette distinguishes eight models for most kinds of color vision (Okabe and Ito);
// further models repeat it.
var palette = []color.RGBA{
	{0x00, 0x72, 0xb2, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}, {0xd5, 0x5e, 0x00, 0xff},
	{0xcc, 0x79, 0xa7, 0xff}, {0x56, 0xb4, 0xe9, 0xff}, {0x99, 0x8a, 0x1f, 0xff}, {0x55, 0x55, 0x55, 0xff},
}

var (
	ink   = color.RGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
	empty = color.RGBA{0xf3, 0xf3, 0xf3, 0xff}
)

const (
	margin   = 20.0
	textSize = 13.0
	rowStep  = 20.0
	maxLabel = 24 // characters of a model's name
)

// colors returns a color for each model, in the order of the standings.
func (r *Race) colors() map[string]color.RGBA {
	all := map[string]color.RGBA{}
	for i, s := range r.Standings {
		all[s.Model] = palette[i%len(palette)]
	}
	return all
}

// puzzles returns the puzzles in order.
func (r *Race) puzzles() []Puzzle {
	var all []Puzzle
	for group := range byPuzzle(r.Results) {
		all = append(all, group[0].Puzzle)
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

// Bars returns bars of the medians, a group per puzzle. Each group has a scale of its
// own, so that one slow puzzle does not flatten the others.
func (r *Race) Bars() *Plot {
	const left, right, barWidth = 190.0, 110.0, 420.0
	rows := 0
	for group := range byPuzzle(r.Results) {
		rows += len(group) + 2
	}
	p := newPlot("Median time to solve, by puzzle", left+barWidth+right, 60+float64(rows)*rowStep)
	colors, y := r.colors(), 60.0
	for group := range byPuzzle(r.Results) {
		p.add(label{x: margin, y: y + 4, text: group[0].Puzzle.String(), size: textSize + 1, fill: ink})
		y += rowStep
		longest := slices.MaxFunc(group, func(a, b Result) int { return int(min(max(a.Median-b.Median, -1), 1)) }).Median
		for _, result := range group {
			p.add(label{x: left - 8, y: y + 4, text: shorten(result.Model), size: textSize, anchor: atEnd, fill: ink})
			width := max(barWidth*float64(result.Median)/float64(max(longest, 1)), 1)
			text := Duration(result.Median)
			if result.Rank == 0 {
				width, text = 0, "not solved"
			}
			p.add(rect{left, y - 8, width, 14, colors[result.Model], fmt.Sprintf("%s: %s", result.Model, text)})
			p.add(label{x: left + width + 6, y: y + 4, text: text, size: textSize, fill: ink})
			y += rowStep
		}
		y += rowStep
	}
	return p
}

// Cumulative returns the sum of the medians over the puzzles, a line per model. A
// line ends at the first puzzle that its model has not solved.
func (r *Race) Cumulative() *Plot {
	const left, width, height, right = 80.0, 560.0, 320.0, 220.0
	p := newPlot("Cumulative time, lower is better", left+width+right, height+110)
	puzzles := r.puzzles()
	lines, longest := r.sums(puzzles)
	x := func(i int) float64 { return left + width*float64(i)/float64(max(len(puzzles), 1)) }
	y := func(ms int64) float64 { return 50 + height*(1-float64(ms)/float64(max(longest, 1))) }
	for i := range 5 {
		ms := longest * int64(i) / 4
		p.add(line{[][2]float64{{left, y(ms)}, {left + width, y(ms)}}, faint, 1})
		p.add(label{x: left - 8, y: y(ms) + 4, text: Duration(ms), size: 11, anchor: atEnd, fill: ink})
	}
	for i, puzzle := range puzzles {
		if step := max(len(puzzles)/12, 1); i%step == 0 {
			p.add(label{x: x(i + 1), y: 50 + height + 18, text: fmt.Sprintf("%d.%d", puzzle.Day, puzzle.Part), size: 11, anchor: atMiddle, fill: ink})
		}
	}
	p.add(label{x: left + width/2, y: 50 + height + 38, text: "day.part", size: 11, anchor: atMiddle, fill: ink})
	colors := r.colors()
	for row, s := range r.Standings {
		points := [][2]float64{{x(0), y(0)}}
		for i, ms := range lines[s.Model] {
			points = append(points, [2]float64{x(i + 1), y(ms)})
		}
		p.add(line{points, colors[s.Model], 2.5})
		at := 60 + float64(row)*rowStep
		p.add(rect{left + width + 20, at - 9, 12, 12, colors[s.Model], ""})
		p.add(label{x: left + width + 38, y: at + 2, text: shorten(s.Model), size: textSize, fill: ink})
	}
	p.Height = max(p.Height, int(80+float64(len(r.Standings))*rowStep))
	return p
}

// sums returns the running sums of each model's medians, and the largest.
func (r *Race) sums(puzzles []Puzzle) (map[string][]int64, int64) {
	medians := map[string]map[Puzzle]int64{}
	for _, result := range r.Results {
		if result.Rank > 0 {
			if medians[result.Model] == nil {
				medians[result.Model] = map[Puzzle]int64{}
			}
			medians[result.Model][result.Puzzle] = result.Median
		}
	}
	all, longest := map[string][]int64{}, int64(0)
	for _, s := range r.Standings {
		sum := int64(0)
		for _, puzzle := range puzzles {
			ms, ok := medians[s.Model][puzzle]
			if !ok {
				break
			}
			sum += ms
			all[s.Model] = append(all[s.Model], sum)
			longest = max(longest, sum)
		}
	}
	return all, longest
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
