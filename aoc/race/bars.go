package race

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// A dayTime holds the parts of a day that a model has solved, and their time.
type dayTime struct {
	ms           int64
	solved, runs int
}

// dayTimes returns the times of the models by day.
func (r *Race) dayTimes() map[Puzzle]map[string]dayTime {
	all := map[Puzzle]map[string]dayTime{}
	for _, result := range r.Results {
		day := result.Puzzle
		day.Part = 0
		if all[day] == nil {
			all[day] = map[string]dayTime{}
		}
		t := all[day][result.Model]
		t.runs += result.Runs
		if result.Rank > 0 {
			t.ms, t.solved = plus(t.ms, result.Median), t.solved+1
		}
		all[day][result.Model] = t
	}
	return all
}

// Bars returns the medians of both parts by day, a small panel per day with a bar per
// model. Each panel has a scale of its own, so that one slow puzzle does not flatten the
// others.
func (r *Race) Bars() *Plot {
	const top, right, gap = 50.0, 250.0, 14.0
	p := newPlot("Median "+r.timeName()+" by day, shorter is better", pictureWidth, pictureHeight)
	days, times := r.days(), r.dayTimes()
	columns := 4
	if len(days) > 12 {
		columns = 5
	}
	rows := max((len(days)+columns-1)/columns, 3)
	w, h := (pictureWidth-right-margin)/float64(columns), (pictureHeight-top-margin-20)/float64(rows)
	for i, day := range days {
		x, y := margin+w*float64(i%columns), top+h*float64(i/columns)
		p.dayPanel(r, day, times[day], x, y, w-gap, h-gap)
	}
	p.legend(r, pictureWidth-right+25, top+20)
	p.add(label{x: margin, y: pictureHeight - 16, text: "each day has its own scale; 1 behind a bar: one part of two; x: tried and failed", size: 12, fill: ink})
	return p
}

func (p *Plot) dayPanel(r *Race, day Puzzle, times map[string]dayTime, x, y, w, h float64) {
	longest, length := int64(1), scaleOf(times)
	for _, s := range r.shown() {
		longest = max(longest, times[s.Model].ms)
	}
	scale := Duration(longest)
	if isFarOff(times) {
		scale += ", logarithmic"
	}
	p.add(label{x: x, y: y + 12, text: "Day " + strconv.Itoa(day.Day), size: textSize, fill: ink})
	p.add(label{x: x + w - 14, y: y + 12, text: scale, size: 11, anchor: atEnd, fill: ink})
	p.add(rect{x, y + 17, w, h - 17, empty, ""})
	step := (h - 21) / float64(max(len(r.shown()), 1))
	thick := math.Min(step*0.8, 14)
	for i, s := range r.shown() {
		t, at := times[s.Model], y+19+step*float64(i)
		switch {
		case t.solved > 0:
			width := max((w-24)*length(t.ms), 1)
			p.add(rect{x, at, width, thick, styleOf(i).fill, fmt.Sprintf("%s, day %d: %s, %d of 2 parts", s.Model, day.Day, Duration(t.ms), t.solved)})
			if t.solved == 1 {
				p.add(label{x: x + width + 3, y: at + thick, text: "1", size: min(thick+2, 11), fill: ink})
			}
		case t.runs > 0:
			p.add(label{x: x + 3, y: at + thick, text: "x", size: min(thick+2, 11), fill: styleOf(i).fill})
		}
	}
}

// solvedTimes returns the times of a day's solved puzzles.
func solvedTimes(times map[string]dayTime) []int64 {
	var all []int64
	for _, t := range times {
		if t.solved > 0 {
			all = append(all, max(t.ms, 1))
		}
	}
	return all
}

func isFarOff(times map[string]dayTime) bool {
	all := solvedTimes(times)
	return newTimeAxis(all, all, farOffBar).logarithmic
}

// scaleOf returns the length of a bar, 0 to 1, beside the longest of a day: on a
// logarithmic scale if one time is far off.
func scaleOf(times map[string]dayTime) func(ms int64) float64 {
	all := solvedTimes(times)
	if len(all) == 0 {
		return func(int64) float64 { return 0 }
	}
	axis, longest := newTimeAxis(all, all, farOffBar), slices.Max(all)
	if axis.logarithmic {
		return func(ms int64) float64 { return axis.at(ms) / axis.at(longest) }
	}
	return func(ms int64) float64 { return float64(ms) / float64(longest) }
}
