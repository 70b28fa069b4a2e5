package aoc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
)

// ParseYear checks a year. 0 means no year: the documented layout.
func ParseYear(year int) (int, error) {
	if year == 0 {
		return 0, nil
	}
	_, err := site.NewPuzzle(year, 1)
	return year, err
}

// Year returns the book of a year, in a folder of that name; 0 is b itself.
func (b *Book) Year(year int) *Book {
	if year == 0 || year == b.year {
		return b
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.years == nil {
		b.years = map[int]*Book{}
	}
	if b.years[year] == nil {
		b.years[year] = Open(filepath.Join(b.dir, strconv.Itoa(year)))
		b.years[year].year = year
	}
	return b.years[year]
}

// documentedYear is the year of the documented files.
const documentedYear = 2025

// EventYear returns the book's year.
func (b *Book) EventYear() int {
	if b.year == 0 {
		return documentedYear
	}
	return b.year
}

// HasYear reports whether this is the book of a year.
func (b *Book) HasYear() bool { return b.year != 0 }

// HasSpeeds reports whether the book has files of speeds.
func (b *Book) HasSpeeds() bool {
	files, _ := filepath.Glob(filepath.Join(b.speeds(), "day[0-9][0-9].json")) // the pattern is valid
	return len(files) > 0
}

// YearToRead is like [Book.Year] for reading speeds: the documented files stand for
// their year if that has none of its own.
func (b *Book) YearToRead(year int) *Book {
	if book := b.Year(year); year != documentedYear || b.year != 0 || book.HasSpeeds() || !b.HasSpeeds() {
		return book
	}
	return b
}

// root returns the folder of all years.
func (b *Book) root() string {
	if b.year == 0 {
		return b.dir
	}
	return filepath.Dir(b.dir)
}

// Years returns the years that have a folder, ascending.
func (b *Book) Years() ([]int, error) {
	entries, err := os.ReadDir(b.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var years []int
	for _, e := range entries {
		year, err := strconv.Atoi(e.Name())
		if err != nil || !e.IsDir() || len(e.Name()) != 4 {
			continue
		}
		if _, err := ParseYear(year); err == nil {
			years = append(years, year)
		}
	}
	slices.Sort(years)
	return years, withoutFolder(err)
}

// dayFolder matches the folders of days that people and other programs make:
// day01, day1, 01 and 1.
var dayFolder = regexp.MustCompile(`^(?i:day)?0?([1-9]|1[0-9]|2[0-5])$`)

// The names of files in the folder of a day: of aoc-cli and of common templates.
var (
	puzzleNames = []string{"puzzle.md", "prompt.md"}
	inputNames  = []string{"input.txt", "input"}
)

// scanFolders adds the puzzles in folders of days to found. Files in instructions/
// take precedence.
func (b *Book) scanFolders(found map[Day]sources) error {
	return b.eachDayFolder(func(day Day, dir string) {
		s := found[day]
		for _, name := range puzzleNames {
			path := filepath.Join(dir, name)
			if info, err := os.Lstat(filepath.Join(b.dir, path)); s.whole == "" && err == nil && info.Mode().IsRegular() {
				s.whole = path
			}
		}
		found[day] = s
	})
}

// eachDayFolder calls visit with each folder of a day, by its name.
func (b *Book) eachDayFolder(visit func(day Day, dir string)) error {
	if b.year == 0 {
		return nil // 01 beside instructions/ could be anything
	}
	entries, err := os.ReadDir(b.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		m := dayFolder.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil {
			visit(Day(n), e.Name())
		}
	}
	return withoutFolder(err)
}

// partTwo begins the second part in a file that has both.
const partTwo = "--- Part Two ---"

// readWhole reads a file that has both parts of a puzzle.
func (b *Book) readWhole(day Day, path string) (Instruction, error) {
	text, err := b.readText(path)
	if err != nil {
		return Instruction{}, err
	}
	i := Instruction{Day: day, Phase1: text}
	if at := strings.Index(text, partTwo); at >= 0 {
		line := strings.LastIndexByte(text[:at], '\n') + 1 // the heading may begin with ##
		second := text[line:]
		i.Phase1, i.Phase2 = text[:line], &second
	}
	return i, nil
}

// A NoInputError reports a day without an input.
type NoInputError struct {
	Year int
	Day  Day
}

func (e *NoInputError) Error() string {
	return fmt.Sprintf("no input for %d day %d: run triptych aoc fetch %d %d, or put it into %d/day%s/input.txt",
		e.Year, int(e.Day), e.Year, int(e.Day), e.Year, e.Day)
}

// Input returns the input of a day from the folder of the day.
func (b *Book) Input(day Day) (string, error) {
	var paths []string
	err := b.eachDayFolder(func(d Day, dir string) {
		for _, name := range inputNames {
			if d == day {
				paths = append(paths, filepath.Join(dir, name))
			}
		}
	})
	if err != nil {
		return "", err
	}
	for _, path := range paths {
		data, err := readFile(filepath.Join(b.dir, path))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return string(data), err
	}
	return "", &NoInputError{b.year, day}
}
