package console

import (
	"net/http"
	"strconv"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/aoc/race"
)

// A plotKind is a drawing of a race.
type plotKind struct {
	Name, Title string
	draw        func(*race.Race) *race.Plot
}

// plotKinds are the drawings, the first one by default.
var plotKinds = []plotKind{
	{"cumulative", "Total time", (*race.Race).Cumulative},
	{"bars", "Medians", (*race.Race).Bars},
	{"heat", "Slower than the fastest", (*race.Race).Heat},
}

// plotOf returns the drawing that the query names.
func plotOf(r *http.Request) plotKind {
	for _, p := range plotKinds {
		if p.Name == r.URL.Query().Get("plot") {
			return p
		}
	}
	return plotKinds[0]
}

// raceOf compares the runs of the year that the query names, 0 for the files without a
// year. unreadable names files of it that cannot be read.
func (c *Console) raceOf(r *http.Request) (all *race.Race, year int, unreadable, err error) {
	if text := r.URL.Query().Get("year"); text != "" {
		if year, err = strconv.Atoi(text); err == nil {
			year, err = aoc.ParseYear(year)
		}
		if err != nil {
			return nil, 0, nil, failed(http.StatusBadRequest, "%q is no year.", text)
		}
	}
	runs, unreadable := c.cfg.Book.Year(year).Runs(aoc.Filter{})
	return race.New(race.Solve, runs), year, unreadable, nil
}

// showSpeeds shows how fast models solved the puzzles of a year.
func (c *Console) showSpeeds(v *visit) error {
	years, err := c.cfg.Book.Years()
	if err != nil {
		return err
	}
	all, year, unreadable, err := c.raceOf(v.r)
	if err != nil {
		return err
	}
	plot := plotOf(v.r)
	page := map[string]any{
		"Years": years, "Year": year, "Race": all, "Plots": plotKinds, "Plot": plot, "Alt": plot.draw(all).Title,
	}
	if unreadable != nil {
		page["Unreadable"] = unreadable.Error()
	}
	return v.show("speeds", "Speeds", page)
}

// drawSpeeds serves a plot as a picture.
func (c *Console) drawSpeeds(v *visit) error {
	all, _, _, err := c.raceOf(v.r) // the page names files that cannot be read
	if err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "image/svg+xml")
	_, _ = v.w.Write(plotOf(v.r).draw(all).SVG()) // the client may have disconnected
	return nil
}
