package site

import (
	"fmt"
	"time"
)

// FirstYear is the year of the first Advent of Code.
const FirstYear = 2015

// Days returns the number of puzzles of a year: 25, and 12 from 2025 on
// (https://adventofcode.com/2025/about#faq_num_days).
func Days(year int) int {
	if year >= 2025 {
		return 12
	}
	return 25
}

// A Puzzle identifies a puzzle by year and day.
type Puzzle struct{ Year, Day int }

// NewPuzzle returns the puzzle of a day. It fails if the year has no such day.
func NewPuzzle(year, day int) (Puzzle, error) {
	if year < FirstYear || year > 9999 {
		return Puzzle{}, fmt.Errorf("year must be %d or later", FirstYear)
	}
	if last := Days(year); day < 1 || day > last {
		return Puzzle{}, fmt.Errorf("day must be between 1 and %d in %d", last, year)
	}
	return Puzzle{year, day}, nil
}

// String returns the puzzle as in "2024 day 1".
func (p Puzzle) String() string { return fmt.Sprintf("%d day %d", p.Year, p.Day) }

// newYork is the site's time zone. In December it has no daylight saving time, so
// no time zone database is needed.
var newYork = time.FixedZone("EST", -5*60*60)

// Opens returns the time at which the puzzle is published: midnight in New York.
func (p Puzzle) Opens() time.Time {
	return time.Date(p.Year, time.December, p.Day, 0, 0, 0, 0, newYork)
}

func (p Puzzle) path() string { return fmt.Sprintf("/%d/day/%d", p.Year, p.Day) }
