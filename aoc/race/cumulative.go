package race

import "strconv"

// maxLines is the number of models that a picture shows, best first.
const maxLines = 10

// shown returns the standings that a picture has room for.
func (r *Race) shown() []Standing { return r.Standings[:min(len(r.Standings), maxLines)] }

// A starPoint is a solved part: the time that the model has spent on all solved parts
// so far, and their number.
type starPoint struct {
	ms    int64
	stars int
}

// climbs returns the parts that a model has solved in the order of the puzzles, in
// pieces: a part that it tried and failed ends a piece.
func (r *Race) climbs(model string) (pieces [][]starPoint) {
	at := starPoint{}
	piece := []starPoint{at}
	for _, result := range r.Results {
		switch {
		case result.Model != model:
		case result.Rank == 0:
			if len(piece) > 1 {
				pieces = append(pieces, piece)
			}
			piece = nil
		default:
			at = starPoint{plus(at.ms, result.Median), at.stars + 1}
			piece = append(piece, at)
		}
	}
	if len(piece) > 1 || len(piece) == 1 && piece[0].stars > 0 {
		pieces = append(pieces, piece)
	}
	return pieces
}

// Cumulative returns the stars of each model over the time that it has spent on them, a
// line per model. A line has a gap at a part that its model has tried and failed.
func (r *Race) Cumulative() *Plot {
	const left, top, right, bottom = 60.0, 60.0, 250.0, 70.0
	width, height := pictureWidth-left-right, pictureHeight-top-bottom
	p := newPlot("Stars over "+r.timeName()+", up and left is better", pictureWidth, pictureHeight)
	lines := make([][][]starPoint, len(r.shown()))
	var all, lasts []int64
	stars := 1
	for i, s := range r.shown() {
		lines[i] = r.climbs(s.Model)
		for _, piece := range lines[i] {
			for _, at := range piece {
				all = append(all, max(at.ms, 1))
				stars = max(stars, at.stars)
			}
		}
		if s.Solved > 0 {
			lasts = append(lasts, max(s.Total, 1))
		}
	}
	axis := newTimeAxis(withoutStart(all), lasts, farOffLine)
	x := func(ms int64) float64 { return left + width*axis.at(ms) }
	step := starStep(stars)
	highest := float64((stars + step - 1) / step * step)
	y := func(n int) float64 { return top + height*(1-float64(n)/highest) }
	for _, ms := range axis.ticks {
		p.add(line{[][2]float64{{x(ms), top}, {x(ms), top + height}}, faint, 1})
		p.add(label{x: x(ms), y: top + height + 18, text: roundTime(ms), size: 12, anchor: atMiddle, fill: ink})
	}
	for n := 0; n <= int(highest); n += step {
		p.add(line{[][2]float64{{left, y(n)}, {left + width, y(n)}}, faint, 1})
		p.add(label{x: left - 8, y: y(n) + 4, text: strconv.Itoa(n), size: 12, anchor: atEnd, fill: ink})
	}
	note := "time spent on solved parts; a gap in a line is a part that was tried and failed"
	if axis.logarithmic {
		note += "; logarithmic"
	}
	p.add(label{x: left + width/2, y: pictureHeight - 22, text: note, size: 12, anchor: atMiddle, fill: ink})
	for i := range lines {
		p.climb(lines[i], styleOf(i), x, y)
	}
	p.legend(r, pictureWidth-right+25, top+10)
	return p
}

// withoutStart removes the starting points of lines, which a logarithmic axis has not.
func withoutStart(all []int64) []int64 {
	var rest []int64
	for _, ms := range all {
		if ms > 1 {
			rest = append(rest, ms)
		}
	}
	return rest
}

func starStep(stars int) int {
	for _, step := range []int{1, 2, 5} {
		if stars <= 6*step {
			return step
		}
	}
	return 10
}

// climb draws the pieces of a model's line, with a marker at each star.
func (p *Plot) climb(pieces [][]starPoint, s style, x func(int64) float64, y func(int) float64) {
	for _, piece := range pieces {
		var points [][2]float64
		for _, at := range piece {
			points = append(points, [2]float64{x(at.ms), y(at.stars)})
		}
		p.stroke(points, s, 2)
		for i, at := range piece {
			if at.stars > 0 {
				p.add(s.mark(points[i][0], points[i][1]))
			}
		}
	}
}

// legend lists the models of the picture with their styles.
func (p *Plot) legend(r *Race, x, y float64) {
	for i, s := range r.shown() {
		at, st := y+float64(i)*rowStep*1.3, styleOf(i)
		p.stroke([][2]float64{{x, at}, {x + 28, at}}, st, 2)
		p.add(st.mark(x+14, at))
		p.add(label{x: x + 36, y: at + 4, text: shorten(s.Model), size: textSize, fill: ink})
	}
	if more := len(r.Standings) - maxLines; more > 0 {
		p.add(label{x: x, y: y + maxLines*rowStep*1.3 + 4, text: "and " + strconv.Itoa(more) + " more", size: textSize, fill: ink})
	}
}

// timeName says what the times of the race are.
func (r *Race) timeName() string {
	if r.Kind == Program {
		return "running time"
	}
	return "solving time"
}
