package aoc

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// tools holds the handlers of the family.
type tools struct {
	book   *Book
	now    func() time.Time
	year   int                   // of calls that name none; 0 for the documented files, then the current event
	submit bool                  // whether answers may be submitted
	user   func(id string) *User // the folder of a principal
	// changed announces changes of resources; nil unless the table is watched.
	changed atomic.Pointer[mcp.Changes]
}

func (t *tools) table() *mcp.Table {
	return &mcp.Table{
		Family: "aoc",
		Documented: &mcp.Documented{
			Identity:     mcp.Implementation{Name: "aocMCP", Version: "1.0.0"},
			Capabilities: mcp.CapabilityTools | mcp.CapabilityResources | mcp.CapabilityPrompts,
		},
		Changing: mcp.CapabilityResources,
		Instructions: "Advent of Code: read a day's puzzle with fetch_instruction or the resource aoc://dayXX; " +
			"after solving one, record how long it took with record_speed.",
		Tools:     t.rows(),
		Resources: []mcp.ResourceSource{t.resources(), raceApp},
		Prompts:   t.prompts(),
		Errors:    wireError, ModelErrors: []jsonrpc.Code{codeApplication},
		Watch: t.watch,
	}
}

// puzzleLookUp says why the record of a read puzzle need not be synced.
const puzzleLookUp = "it reads puzzles that the caller may read"

func (t *tools) rows() []mcp.Tool {
	rows := []mcp.Tool{
		{
			Name: "fetch_instruction", Title: "Fetch a puzzle", Scope: "aoc:read", Hints: mcp.ReadOnly,
			LookUp: puzzleLookUp,
			Doc:    "Fetch the full puzzle instruction for a specific day",
			Call:   mcp.Typed(t.fetchInstruction),
		},
		{
			Name: "record_speed", Title: "Record a solving speed", Scope: "aoc:write",
			Doc:  "Record the solving speed for an LLM on a specific day and phase",
			Call: mcp.Typed(t.recordSpeed),
		},
		{
			Name: "fetch_input", Title: "Fetch an input", Scope: "aoc:read", Hints: mcp.ReadOnly, Extension: true,
			LookUp: "it reads the input of the caller, which is no secret to the caller",
			Doc:    "Fetch your puzzle input, or with example one of the puzzle's examples",
			Call:   mcp.Typed(t.fetchInput),
		},
		{
			Name: "aoc_progress", Title: "Show stars", Scope: "aoc:read", Hints: mcp.ReadOnly, Extension: true,
			LookUp: "it reads the stars of the caller",
			Doc:    "Show your stars of a year by day, or a private leaderboard",
			Call:   mcp.Typed(t.progress),
		},
		{
			Name: "speed_stats", Title: "Compare models", Scope: "aoc:read", Hints: mcp.ReadOnly, Extension: true,
			LookUp: "it reads recorded speeds, which every caller with the scope may read",
			Doc:    "Compare how fast LLMs solved puzzles: ranks, medals, medians, head to head",
			Meta:   raceAppMeta, Call: mcp.Typed(t.speedStats),
		},
	}
	if t.submit {
		rows = append(rows, mcp.Tool{
			Name: "submit_answer", Title: "Submit an answer", Scope: "aoc:write", Hints: mcp.OpenWorld, Extension: true,
			Doc:  "Submit an answer to adventofcode.com; a wrong one locks the puzzle for a minute or more",
			Call: mcp.Typed(t.submitAnswer),
		})
	}
	return rows
}

// whose returns the folder of the caller's user.
func (t *tools) whose(call *mcp.Call) *User { return t.user(call.Caller().Principal.ID) }

// bookOf returns the book of a year; nil means the default year.
func (t *tools) bookOf(year *int) *Book {
	if year == nil {
		return t.book.Year(t.year)
	}
	return t.book.Year(*year)
}

// bookToRead returns the book whose speeds are meant.
func (t *tools) bookToRead(call *mcp.Call, year *int) (*Book, error) {
	if year == nil && t.year == 0 {
		return BookToRead(t.now(), t.book, t.whose(call), (*Book).HasSpeeds)
	}
	return t.book.YearToRead(t.bookOf(year).year), nil
}

// puzzleOf returns the puzzle of a day. Without a year it is that of the server, else
// of the current event.
func (t *tools) puzzleOf(call *mcp.Call, year *int, day int) (site.Puzzle, error) {
	y, err := t.yearOf(call, year)
	if err != nil {
		return site.Puzzle{}, err
	}
	if err := t.checkEvent(call, y, day); err != nil {
		return site.Puzzle{}, err
	}
	return site.Puzzle{Year: y, Day: day}, nil
}

// yearOf returns the year that is meant.
func (t *tools) yearOf(call *mcp.Call, year *int) (int, error) {
	switch {
	case year != nil:
		return *year, nil
	case t.year != 0:
		return t.year, nil
	}
	return EventYear(t.now(), t.book, t.whose(call))
}

// checkEvent checks a day of a year by the number of its puzzles.
func (t *tools) checkEvent(call *mcp.Call, year, day int) error {
	if err := t.checkLast(call, year, day); err != nil {
		return invalid("day", err)
	}
	return nil
}

// checkLast is like checkEvent and returns an error of no argument.
func (t *tools) checkLast(call *mcp.Call, year, day int) error {
	if last := t.whose(call).EventDays(year); day < 1 || day > last {
		return fmt.Errorf("day must be between 1 and %d in %d", last, year)
	}
	return nil
}

// invalid returns an error about one argument.
func invalid(arg string, err error) error {
	return &schema.Error{Violations: []schema.Violation{{Kind: schema.Rule, Arg: arg, Path: arg, Message: err.Error()}}}
}

// checkDay checks a year, if there is one, and that a day is of the calendar. Whether
// the year has that day is known to the user's folder.
func checkDay(year *int, day int) error {
	if year != nil {
		if _, err := site.NewPuzzle(*year, 1); err != nil {
			return err
		}
	}
	_, err := ParseDay(day)
	return err
}
