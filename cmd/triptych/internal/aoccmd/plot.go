package aoccmd

import (
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/aoc/race"
)

// A chart is groups of horizontal bars. Each group has a scale of its own, so that
// one slow puzzle does not flatten the others.
type chart struct{ groups []barGroup }

type barGroup struct {
	title string
	bars  []bar
}

type bar struct {
	label string
	value int64 // milliseconds
	note  string
}

// chartOf shows the medians, a group for each day and phase.
func chartOf(stats []statistic) chart {
	var c chart
	for _, s := range stats {
		title := fmt.Sprintf("Day %d Phase %d", s.Day, s.Phase)
		if n := len(c.groups); n == 0 || c.groups[n-1].title != title {
			c.groups = append(c.groups, barGroup{title: title})
		}
		g := &c.groups[len(c.groups)-1]
		note := race.Duration(s.Median)
		if s.Count > 1 {
			note += fmt.Sprintf(" (%d runs, %s to %s)", s.Count, race.Duration(s.Min), race.Duration(s.Max))
		}
		if s.Unverified {
			note += ", not verified"
		}
		g.bars = append(g.bars, bar{label: s.LLM, value: s.Median, note: note})
	}
	return c
}

// longest returns the greatest value of a group.
func (g barGroup) longest() (value int64) {
	for _, b := range g.bars {
		value = max(value, b.value)
	}
	return value
}

// labelWidth returns the width of the widest label, in characters.
func (c chart) labelWidth() (label int) {
	for _, g := range c.groups {
		for _, b := range g.bars {
			label = max(label, utf8.RuneCountInString(b.label))
		}
	}
	return label
}

// text draws the chart with characters; the longest bar is width wide.
func (c chart) text(w io.Writer, width int) error {
	labels := c.labelWidth()
	var out strings.Builder
	for i, g := range c.groups {
		if i > 0 {
			out.WriteString("\n")
		}
		out.WriteString(g.title + "\n")
		for _, b := range g.bars {
			pad := strings.Repeat(" ", labels-utf8.RuneCountInString(b.label))
			fmt.Fprintf(&out, "  %s%s  %s %s\n", b.label, pad, blocks(b.value, g.longest(), width), b.note)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// eighths are the parts of a character cell, from the left.
var eighths = [...]string{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"}

// blocks is a bar to an eighth of a character; a value that is not zero is
// always seen.
func blocks(value, scale int64, width int) string {
	if scale == 0 || value == 0 {
		return ""
	}
	n := int(math.Round(float64(value) / float64(scale) * float64(width*8)))
	n = max(n, 1)
	return strings.Repeat("█", n/8) + eighths[n%8]
}
