package main

import (
	"fmt"
	"strings"
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
		return "≤ " + times(r.Goal)
	default:
		return "≥ " + times(r.Goal)
	}
}

// times writes a ratio with three digits.
func times(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

// add keeps a row and shows it.
func (b *bench) add(r row) {
	b.report.Rows = append(b.report.Rows, r)
	fmt.Fprintf(b.out, "%-44s %-10s %-24s %-10s %8s %8s %s  CPU %s\n",
		r.What, r.Ours, r.Against, r.Theirs, times(r.Measure), r.goal(), strings.Trim(r.verdict(), "*"), r.CPU)
}

// addRate is a row that compares how many a second there are.
func (b *bench) addRate(part, what string, goal float64, ours, theirs *reading) {
	b.add(row{
		Part: part, What: what, Against: theirs.Name, Measure: ours.over(theirs), Goal: goal,
		Ours: perSecond(ours.Rate), Theirs: perSecond(theirs.Rate), CPU: cpuOf(ours, theirs),
	})
}

// addTime is a row that compares how long one takes.
func (b *bench) addTime(part, what string, goal float64, ours, theirs *reading) {
	b.add(row{
		Part: part, What: what, Against: theirs.Name, Measure: theirs.over(ours), Goal: goal, AtMost: true,
		Ours: duration(1e6 / ours.Rate), Theirs: duration(1e6 / theirs.Rate), CPU: cpuOf(ours, theirs),
	})
}

func cpuOf(ours, theirs *reading) string { return duration(ours.CPU) + " / " + duration(theirs.CPU) }

func perSecond(rate float64) string {
	switch {
	case rate >= 1e6:
		return fmt.Sprintf("%.2f M/s", rate/1e6)
	case rate >= 1e3:
		return fmt.Sprintf("%.3g k/s", rate/1e3)
	default:
		return fmt.Sprintf("%.3g /s", rate)
	}
}

// duration writes microseconds.
func duration(micros float64) string {
	switch {
	case micros >= 1e6:
		return fmt.Sprintf("%.3g s", micros/1e6)
	case micros >= 1e3:
		return fmt.Sprintf("%.3g ms", micros/1e3)
	default:
		return fmt.Sprintf("%.3g µs", micros)
	}
}

// bytes writes a number of bytes.
func bytes(n float64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", n/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", n/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", n/(1<<10))
	default:
		return fmt.Sprintf("%.0f B", n)
	}
}
