package aoc

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/mcp"
)

// The templates of URIs with a year.
const (
	yearTemplate    = "aoc://{year}/day{day}"
	inputTemplate   = "aoc://{year}/day{day}/input"
	exampleTemplate = "aoc://{year}/day{day}/example{n}"
)

// resources returns the family's source of resources.
func (t *tools) resources() mcp.ResourceSource {
	return mcp.ResourceSource{
		Scheme: "aoc", Scope: "aoc:read", List: t.list, Read: t.read, Complete: t.complete,
		LookUp: puzzleLookUp,
		Templates: []mcp.ResourceTemplate{
			{
				URITemplate: dayTemplate, Name: "day", Title: "Puzzle of a day",
				Description: "Full puzzle instructions for one day, 01 to 25", MIMEType: mimeType,
			},
			{
				URITemplate: yearTemplate, Name: "day of a year", Title: "Puzzle of a day of a year",
				Description: "Full puzzle instructions for one day of a year", MIMEType: mimeType,
			},
			{
				URITemplate: inputTemplate, Name: "input", Title: "Input",
				Description: "Your input, once it was fetched", MIMEType: mimeType,
			},
			{
				URITemplate: exampleTemplate, Name: "example", Title: "Example",
				Description: "An example of a puzzle, once the puzzle was fetched", MIMEType: mimeType,
			},
		},
	}
}

func uri(year int, day Day) string {
	if year == 0 {
		return "aoc://day" + day.String()
	}
	return fmt.Sprintf("aoc://%d/day%s", year, day)
}

// An address is a parsed URI: a puzzle, its input, or one of its examples.
type address struct {
	year    int // 0 for the documented files
	day     Day
	input   bool
	example int // from 1; 0 for none
}

var uriForm = regexp.MustCompile(`^aoc://(?:([0-9]{4})/)?day([0-9]{2})(?:/(input|example([1-9][0-9]?)))?$`)

func parseURI(text string) (address, error) {
	wrong := fmt.Errorf("%s is not aoc://day01 to aoc://day%s", text, LastDay)
	m := uriForm.FindStringSubmatch(text)
	if m == nil || m[1] == "" && m[3] != "" {
		return address{}, wrong
	}
	day, ok := parseDigits(m[2])
	if !ok {
		return address{}, wrong
	}
	a := address{day: day, input: m[3] == "input"}
	a.example, _ = strconv.Atoi(m[4]) // "" is 0
	if m[1] == "" {
		return a, nil
	}
	a.year, _ = strconv.Atoi(m[1]) // the expression matches digits only
	_, err := ParseYear(a.year)
	return a, err
}

// list lists the puzzles without a year, then those of each year: of the book, and what
// the caller has downloaded. There are at most a few hundred, so they are one page
// regardless of the limit.
func (t *tools) list(_ context.Context, call *mcp.Call, _ string, _ int) ([]mcp.Resource, string, error) {
	years, err := t.years(call)
	if err != nil {
		return nil, "", &loadError{err}
	}
	list := []mcp.Resource{}
	for _, year := range append([]int{0}, years...) {
		days, err := t.days(call, year)
		if err != nil {
			return nil, "", &loadError{err}
		}
		for _, day := range days {
			list = append(list, resourceOf(year, day))
		}
	}
	return list, "", nil
}

// years returns the years of the book and of the caller's downloads, ascending.
func (t *tools) years(call *mcp.Call) ([]int, error) {
	return YearsOf(t.book, t.whose(call))
}

// YearsOf returns the years of a book and of a user's downloads, ascending.
func YearsOf(book *Book, user *User) ([]int, error) {
	years, err := book.Years()
	if err != nil {
		return nil, err
	}
	own, err := user.Years()
	if err != nil {
		return nil, err
	}
	years = append(years, own...)
	slices.Sort(years)
	return slices.Compact(years), nil
}

// days returns the days of a year, 0 for the documented files, that have a text,
// ascending.
func (t *tools) days(call *mcp.Call, year int) ([]Day, error) {
	return DaysOf(t.book.Year(year), t.whose(call))
}

// DaysOf returns the days that have a text in a book or among a user's downloads of
// its year, ascending.
func DaysOf(book *Book, user *User) ([]Day, error) {
	days, err := book.Days()
	if err != nil || book.year == 0 {
		return days, err
	}
	own, err := user.Days(book.year)
	if err != nil {
		return nil, err
	}
	for _, day := range own {
		days = append(days, Day(day))
	}
	slices.Sort(days)
	return slices.Compact(days), nil
}

// InstructionOf returns the text of a day of a book or, if it has none, among a user's
// downloads of its year.
func InstructionOf(book *Book, user *User, day Day) (Instruction, error) {
	i, missing := book.Instruction(day)
	if !isMissing(missing) || book.year == 0 {
		return i, missing
	}
	puzzle, err := user.Stored(site.Puzzle{Year: book.year, Day: int(day)})
	if err != nil {
		return Instruction{}, err
	}
	if puzzle == nil {
		return Instruction{}, missing
	}
	return instructionOf(puzzle), nil
}

func resourceOf(year int, day Day) mcp.Resource {
	r := mcp.Resource{URI: uri(year, day), Name: fmt.Sprintf("Day %d Instructions", int(day)), MIMEType: mimeType}
	if year != 0 {
		r.Name = fmt.Sprintf("%d %s", year, r.Name)
	} else {
		year = documentedYear
	}
	r.Description = fmt.Sprintf("Full puzzle instructions for Advent of Code %d Day %d", year, int(day))
	return r
}

// read returns what is on disk; it downloads nothing.
func (t *tools) read(_ context.Context, call *mcp.Call, uri string) ([]mcp.Contents, error) {
	a, err := parseURI(uri)
	if err != nil {
		return nil, notFound(uri, err)
	}
	text, err := t.load(call, a)
	if isMissing(err) && a.year == 0 { // the server's year or the current event is meant
		if year, yearErr := t.yearOf(call, nil); yearErr == nil {
			if ofYear, loadErr := t.load(call, address{year: year, day: a.day}); loadErr == nil {
				text, err = ofYear, nil
			}
		}
	}
	if isMissing(err) {
		return nil, notFound(uri, err)
	}
	if err != nil {
		return nil, &loadError{err}
	}
	return []mcp.Contents{{URI: uri, MIMEType: mimeType, Text: text}}, nil
}

// errNotFetched is returned for a resource that has not been downloaded.
var errNotFetched = errors.New("it was not fetched yet; call fetch_instruction or fetch_input")

func isMissing(err error) bool {
	if _, ok := errors.AsType[*NoInstructionError](err); ok {
		return true
	}
	return errors.Is(err, errNotFetched)
}

// load returns the text of an address, from the book or the user's folder.
func (t *tools) load(call *mcp.Call, a address) (string, error) {
	book := t.book.Year(a.year)
	if !a.input && a.example == 0 {
		i, err := book.Instruction(a.day)
		if !isMissing(err) || a.year == 0 {
			return i.Text(), err
		}
	}
	if a.input {
		text, err := book.Input(a.day)
		if _, ok := errors.AsType[*NoInputError](err); !ok {
			return text, err
		}
	}
	return t.loadPersonal(call, a)
}

func (t *tools) loadPersonal(call *mcp.Call, a address) (string, error) {
	user, p := t.whose(call), site.Puzzle{Year: a.year, Day: int(a.day)}
	if a.input {
		text, ok, err := user.StoredInput(p)
		if err == nil && !ok {
			err = errNotFetched
		}
		return text, err
	}
	puzzle, err := user.Stored(p)
	switch {
	case err != nil:
		return "", err
	case puzzle == nil || a.example > len(puzzle.Examples):
		return "", errNotFetched
	case a.example > 0:
		return puzzle.Examples[a.example-1].Data, nil
	}
	return instructionOf(puzzle).Text(), nil
}

func notFound(uri string, err error) error {
	return &mcp.ResourceNotFoundError{URI: uri, Baseline: codeApplication, Message: (&loadError{err}).Error()}
}

// complete completes years that have a folder, and days that have a text.
func (t *tools) complete(_ context.Context, call *mcp.Call, _, argument, value string, known map[string]string) ([]string, int, error) {
	var all []string
	switch argument {
	case "year":
		years, err := t.years(call)
		if err != nil {
			return nil, 0, &loadError{err}
		}
		for _, year := range years {
			all = append(all, strconv.Itoa(year))
		}
	case "day":
		year, _ := strconv.Atoi(known["year"]) // 0 for the documented files
		days, err := t.days(call, year)
		if err != nil {
			return nil, 0, &loadError{err}
		}
		for _, day := range days {
			all = append(all, day.String())
		}
	}
	var values []string
	for _, one := range all {
		if strings.HasPrefix(one, value) {
			values = append(values, one)
		}
	}
	return values, len(values), nil
}

func (t *tools) watch(ctx context.Context, changes mcp.Changes) error {
	t.changed.Store(&changes)
	defer t.changed.Store(nil)
	return t.book.watch(ctx, func(days []Day, list bool) {
		if list {
			changes.ResourcesChanged()
		}
		for _, day := range days {
			changes.ResourceUpdated(uri(0, day))
		}
	})
}

// announceResources notifies clients that the list of resources has changed, if it is
// watched.
func (t *tools) announceResources() {
	if changes := t.changed.Load(); changes != nil {
		(*changes).ResourcesChanged()
	}
}
