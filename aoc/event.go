package aoc

import (
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
)

// currentEvent returns the event of this year, and whether it has begun. The evening
// before counts, so that one can wait for the first puzzle.
func currentEvent(now time.Time) (year int, begun bool) {
	first := site.Puzzle{Year: now.UTC().Year(), Day: 1}
	return first.Year, !now.Before(first.Opens().AddDate(0, 0, -1))
}

// EventYear returns the year that is meant where none is given: in December the current
// event, else the latest year of which the book or the user has something, else the
// last event.
func EventYear(now time.Time, book *Book, user *User) (int, error) {
	year, begun := currentEvent(now)
	if begun {
		return year, nil
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
	return year - 1, nil
}

// BookToRead returns the book that is read where no year is given: of the current event
// in December, the documented files, and the event of [EventYear], the first one that
// has what is wanted, and the last one otherwise.
func BookToRead(now time.Time, book *Book, user *User, has func(*Book) bool) (*Book, error) {
	if year, begun := currentEvent(now); begun && has(book.Year(year)) {
		return book.Year(year), nil
	}
	if has(book) {
		return book, nil
	}
	year, err := EventYear(now, book, user)
	return book.Year(year), err
}

// BookToRecord returns the book for a record of a part where no year is given: the
// documented files if they have the puzzle, that of the event of [EventYear] if the user
// has its puzzle, and the documented files otherwise. Outside of December records go on
// in the documented files that have some, unless the user has read the event's puzzle
// against the clock.
func BookToRecord(now time.Time, book *Book, user *User, day Day, part Phase) (*Book, error) {
	if _, missing := book.Instruction(day); !isMissing(missing) {
		return book, nil
	}
	year, err := EventYear(now, book, user)
	if err != nil {
		return nil, err
	}
	event := book.Year(year)
	if user.HasClock(site.Puzzle{Year: year, Day: int(day)}, int(part)) {
		return event, nil
	}
	if _, begun := currentEvent(now); !begun && book.HasSpeeds() {
		return book, nil
	}
	if _, missing := InstructionOf(event, user, day); missing != nil {
		return book, nil
	}
	return event, nil
}
