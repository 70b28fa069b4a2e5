package main

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

// A row is something measured beside something else, and what we want of it.
type row struct {
	Part    string // of the page
	What    string
	Ours    string // with a unit
	Against string // what it is compared with
	Theirs  string // with a unit
	CPU     string // of ours and of theirs, each time
	Measure float64
	Goal    float64
	AtMost  bool // the goal is the most, not the least
}

func (r *row) met() bool {
	if r.AtMost {
		return r.Measure <= r.Goal
	}
	return r.Measure >= r.Goal
}

// verdict is said without rounding a miss away.
func (r *row) verdict() string {
	switch {
	case r.Goal == 0:
		return ""
	case r.met():
		return "yes"
	default:
		return "**no**"
	}
}

func (r *row) goal() string {
	switch {
	case r.Goal == 0:
		return ""
	case r.AtMost:
		return "≤ " + figures.Times(r.Goal)
	default:
		return "≥ " + figures.Times(r.Goal)
	}
}

// add keeps a row and shows it.
func (b *bench) add(r row) {
	b.report.Rows = append(b.report.Rows, r)
	fmt.Fprintf(b.out, "%-44s %-10s %-24s %-10s %8s %8s %s  CPU %s\n",
		r.What, r.Ours, r.Against, r.Theirs, figures.Times(r.Measure), r.goal(), strings.Trim(r.verdict(), "*"), r.CPU)
}

// addRate is a row that compares how many a second there are.
func (b *bench) addRate(part, what string, goal float64, ours, theirs *reading) {
	b.add(row{
		Part: part, What: what, Against: theirs.Name, Measure: ours.over(theirs), Goal: goal,
		Ours: figures.PerSecond(ours.Rate), Theirs: figures.PerSecond(theirs.Rate), CPU: cpuOf(ours, theirs),
	})
}

// addTime is a row that compares how long one takes.
func (b *bench) addTime(part, what string, goal float64, ours, theirs *reading) {
	b.add(row{
		Part: part, What: what, Against: theirs.Name, Measure: theirs.over(ours), Goal: goal, AtMost: true,
		Ours: figures.Duration(1 / ours.Rate), Theirs: figures.Duration(1 / theirs.Rate), CPU: cpuOf(ours, theirs),
	})
}

func cpuOf(ours, theirs *reading) string { return duration(ours.CPU) + " / " + duration(theirs.CPU) }

// duration writes microseconds.
func duration(micros float64) string { return figures.Duration(micros / 1e6) }
