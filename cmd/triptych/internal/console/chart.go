package console

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/consumers"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// A chart is a picture of numbers, which a table beside it has as well. Templates draw it.
type chart struct {
	Title, Of, Bad string // Of and Bad name the two parts of a bar; Bad may be ""
	Bars           []chartBar
	Flat           bool // bars lie below each other, for names
}

// A chartBar is a bar with its place in the picture.
type chartBar struct {
	Label      string
	Value, Bad int
	Mark       string // the label, or "" where there is no room for it

	X, Y, Width, Height, BadY, BadHeight int
}

// The picture of a chart: its size, and the space below the bars for their labels.
const (
	chartWidth, chartHeight, chartFoot = 640, 170, 22
	rowHeight, rowName                 = 24, 200
	maxBars                            = 31
)

// Height returns the height of the picture.
func (c *chart) Height() int {
	if c.Flat {
		return len(c.Bars) * rowHeight
	}
	return chartHeight
}

// Most returns the largest value.
func (c *chart) Most() int {
	most := 0
	for i := range c.Bars {
		most = max(most, c.Bars[i].Value+c.Bars[i].Bad)
	}
	return most
}

// placed returns the chart with the places of its bars, nil for one without any.
func (c *chart) placed() *chart {
	if len(c.Bars) == 0 || c.Most() == 0 {
		return nil
	}
	most := c.Most()
	if c.Flat {
		for i := range c.Bars {
			b := &c.Bars[i]
			b.X, b.Y, b.Height, b.Mark = rowName, i*rowHeight+4, rowHeight-8, shortLabel(b.Label)
			b.Width = max(2, b.Value*(chartWidth-rowName-60)/most)
		}
		return c
	}
	const room = chartHeight - chartFoot - 14
	step := chartWidth / max(len(c.Bars), 6)
	every := (len(c.Bars)*64 + chartWidth - 1) / chartWidth
	for i := range c.Bars {
		b := &c.Bars[i]
		b.X, b.Width = i*step, max(2, step*7/10)
		b.Height, b.BadHeight = share(b.Value, most, room), share(b.Bad, most, room)
		b.Y = chartHeight - chartFoot - b.Height
		b.BadY = b.Y - b.BadHeight
		if (len(c.Bars)-1-i)%every == 0 {
			b.Mark = b.Label
		}
	}
	return c
}

// share returns the height of a value, at least 1 for one that is not 0.
func share(value, most, room int) int {
	if value == 0 {
		return 0
	}
	return max(1, value*room/most)
}

// shortLabel bounds a label to the space for it.
func shortLabel(text string) string {
	const most = 26
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// rulesOverTime draws how many of the rulesets of today there were at the end of each month.
func rulesOverTime(months map[string]int, now time.Time) *chart {
	c := &chart{Title: "Rules over time", Of: "rulesets"}
	names := slices.Sorted(maps.Keys(months))
	if len(names) == 0 {
		return nil
	}
	const shown = 12
	year, month, _ := now.UTC().Date()
	for back := shown - 1; back >= 0; back-- {
		label, n := time.Date(year, month-time.Month(back), 1, 0, 0, 0, 0, time.UTC).Format("2006-01"), 0
		for _, name := range names {
			if name <= label {
				n += months[name]
			}
		}
		c.Bars = append(c.Bars, chartBar{Label: label, Value: n})
	}
	return c.placed()
}

// A dayCount counts the records of a day.
type dayCount struct{ calls, refused int }

// add counts a record.
func (d *dayCount) add(r *audit.Record) {
	if r.Outcome == audit.Refused {
		d.refused++
		return
	}
	d.calls++
}

// byDay draws the records of the month that ends with the last day that has any.
func byDay(days map[string]*dayCount) *chart {
	c := &chart{Title: "Calls and refusals by day", Of: "calls", Bad: "refusals"}
	if len(days) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(days))
	last, err := time.Parse(time.DateOnly, names[len(names)-1])
	if err != nil {
		return nil
	}
	for back := maxBars - 1; back >= 0; back-- {
		label := last.AddDate(0, 0, -back).Format(time.DateOnly)
		if label < names[0] {
			continue
		}
		bar := chartBar{Label: label[len("2006-"):]}
		if d := days[label]; d != nil {
			bar.Value, bar.Bad = d.calls, d.refused
		}
		c.Bars = append(c.Bars, bar)
	}
	return c.placed()
}

// behindChart draws which projects and clients have the most old rulesets.
func behindChart(standings []consumers.Standing) *chart {
	counts := map[string]int{}
	for i := range standings {
		if s := &standings[i]; s.Behind() {
			counts[cmp.Or(s.Project, s.KeyName, s.Key)+", "+s.Client]++
		}
	}
	c := &chart{Title: "Who is behind", Of: "old rulesets", Flat: true}
	for who, n := range counts {
		c.Bars = append(c.Bars, chartBar{Label: who, Value: n})
	}
	slices.SortFunc(c.Bars, func(a, b chartBar) int { return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Label, b.Label)) })
	const shown = 12
	if more := len(c.Bars) - shown; more > 0 {
		c.Title = fmt.Sprintf("Who is behind: the first %d of %d", shown, len(c.Bars))
		c.Bars = c.Bars[:shown]
	}
	return c.placed()
}
