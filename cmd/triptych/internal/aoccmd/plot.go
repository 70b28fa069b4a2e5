package aoccmd

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/aoc/race"
)

// A chart is groups of horizontal bars. Each group has a scale of its own, so that
// one slow puzzle does not flatten the others.
type chart struct {
	title  string
	groups []barGroup
}

type barGroup struct {
	title string
	bars  []bar
}

type bar struct {
	label string
	value int64 // milliseconds
	note  string
}

// chartOf shows the means, a group for each day and phase.
func chartOf(stats []statistic) chart {
	c := chart{title: "Advent of Code: mean solving time"}
	for _, s := range stats {
		title := fmt.Sprintf("Day %d Phase %d", s.Day, s.Phase)
		if n := len(c.groups); n == 0 || c.groups[n-1].title != title {
			c.groups = append(c.groups, barGroup{title: title})
		}
		g := &c.groups[len(c.groups)-1]
		note := race.Duration(s.Mean)
		if s.Count > 1 {
			note += fmt.Sprintf(" (%d runs, %s to %s)", s.Count, race.Duration(s.Min), race.Duration(s.Max))
		}
		g.bars = append(g.bars, bar{label: s.LLM, value: s.Mean, note: note})
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

// The measures of the SVG, in its units.
const (
	svgWidth  = 760
	svgLabels = 160 // room for the names
	svgNotes  = 200 // room for the numbers
	svgRow    = 22
)

// svg draws the chart as a picture. The same chart is always the same bytes.
func (c chart) svg(w io.Writer) error {
	var out strings.Builder
	rows := 1
	for _, g := range c.groups {
		rows += 1 + len(g.bars)
	}
	height := (rows + 1) * svgRow
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n",
		svgWidth, height, svgWidth, height)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" fill="#fff"/>`+"\n")
	y := svgRow
	svgText(&out, 10, y, `font-weight="bold" font-size="15"`, c.title)
	for _, g := range c.groups {
		y += svgRow
		svgText(&out, 10, y, `font-weight="bold"`, g.title)
		for _, b := range g.bars {
			y += svgRow
			svgBar(&out, y, b, g.longest())
		}
	}
	out.WriteString("</svg>\n")
	_, err := io.WriteString(w, out.String())
	return err
}

func svgBar(out *strings.Builder, y int, b bar, scale int64) {
	const room = svgWidth - svgLabels - svgNotes
	length := 0.0
	if scale > 0 {
		length = float64(b.value) / float64(scale) * room
	}
	svgText(out, 20, y, `fill="#333"`, b.label)
	fmt.Fprintf(out, `<rect x="%d" y="%d" width="%.1f" height="14" rx="2" fill="#2f6f9f"/>`+"\n", svgLabels, y-12, max(length, 1))
	svgText(out, svgLabels+int(length)+8, y, `fill="#666"`, b.note)
}

func svgText(out *strings.Builder, x, y int, attrs, text string) {
	fmt.Fprintf(out, `<text x="%d" y="%d" %s>`, x, y, attrs)
	_ = xml.EscapeText(out, []byte(text)) // a strings.Builder never fails
	out.WriteString("</text>\n")
}
