package console

import (
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/consumers"
)

// drawn returns the page of a chart.
func drawn(t *testing.T, c *chart) string {
	t.Helper()
	var page strings.Builder
	if err := parsePages()["rules"].ExecuteTemplate(&page, "chart", c); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// A chart shows numbers by heights in proportion, and again in a table.
func TestCharts(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	c := rulesOverTime(map[string]int{"2020-01": 2, "2026-11": 2}, now)
	if n := len(c.Bars); n != 12 || c.Bars[0].Label != "2025-12" || c.Bars[0].Value != 2 || c.Bars[11].Label != "2026-11" || c.Bars[11].Value != 4 || c.Bars[11].Height != 2*c.Bars[0].Height {
		t.Errorf("rules over time: %+v", c.Bars)
	}
	c = byDay(map[string]*dayCount{"2026-11-26": {calls: 3, refused: 1}, "2026-11-28": {calls: 2}})
	if len(c.Bars) != 3 || c.Bars[0].Bad != 1 || c.Bars[1].Value != 0 || c.Bars[2].Value != 2 {
		t.Errorf("by day: %+v", c.Bars)
	}
	if page := drawn(t, c); !strings.Contains(page, `class="bad"`) || !strings.Contains(page, `<th scope="row">11-26</th><td>3</td><td>1</td>`) {
		t.Error(page)
	}
	if rulesOverTime(nil, now) != nil || byDay(nil) != nil || behindChart(nil) != nil || drawn(t, nil) != "" {
		t.Error("there is a chart without numbers")
	}
}

// Names in a chart are escaped, and their number and length are bounded.
func TestChartsOfHostileNames(t *testing.T) {
	var all []consumers.Standing
	for i := range 500 {
		all = append(all, consumers.Standing{Project: strings.Repeat("<script>&\"'", 1+i%40), Client: "</svg>", Rev: 1, Newest: 2})
	}
	c := behindChart(all)
	page := drawn(t, c)
	if len(c.Bars) != 12 || strings.Contains(page, "<script") || strings.Count(page, "</svg>") != 1 || strings.Contains(page, "style=") {
		t.Errorf("%d bars: %s", len(c.Bars), page)
	}
	for _, b := range c.Bars {
		if len([]rune(b.Mark)) > 26 || b.X+b.Width > chartWidth {
			t.Errorf("%+v is not within the picture", b)
		}
	}
}
