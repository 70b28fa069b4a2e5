package aoc

import (
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
)

// EventYear returns the year that is meant where none is given: in December the current
// event, else the latest year of which the book or the user has something, else the
// last event.
func EventYear(now time.Time, book *Book, user *User) (int, error) {
	began := site.Puzzle{Year: now.UTC().Year(), Day: 1}.Opens()
	// The evening before counts, so that one can wait for the first puzzle.
	if !now.Before(began.AddDate(0, 0, -1)) {
		return began.Year(), nil
	}
	shared, err := book.Years()
	if err != nil {
		return 0, err
	}
	own, err := user.Years()
	if err != nil {
		return 0, err
	}
	if all := slices.Concat(shared, own); len(all) > 0 {
		return slices.Max(all), nil
	}
	return began.Year() - 1, nil
}
