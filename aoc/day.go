package aoc

import (
	"errors"
	"fmt"
	"strconv"
)

// A Day is a day of the calendar, 1 to 25. [ParseDay] returns one.
type Day int

// LastDay is the last day of the calendar.
const LastDay Day = 25

// ParseDay checks a number.
func ParseDay(n int) (Day, error) {
	if n < 1 || n > int(LastDay) {
		return 0, fmt.Errorf("day must be between 1 and %d", LastDay)
	}
	return Day(n), nil
}

// String returns the day with two digits, as in files and URIs.
func (d Day) String() string { return fmt.Sprintf("%02d", int(d)) }

// parseDigits reads a day from its two digits.
func parseDigits(s string) (Day, bool) {
	n, err := strconv.ParseUint(s, 10, 8) // ParseUint accepts no sign
	if len(s) != 2 || err != nil {
		return 0, false
	}
	day, err := ParseDay(int(n))
	return day, err == nil
}

// A Phase is a half of a puzzle, 1 or 2.
type Phase int

// ParsePhase checks a number.
func ParsePhase(n int) (Phase, error) {
	if n != 1 && n != 2 {
		return 0, errors.New("phase must be 1 or 2")
	}
	return Phase(n), nil
}
