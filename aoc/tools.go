package aoc

import (
	"errors"
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
	year   int                   // of calls that name none; 0 for the documented files
	submit bool                  // whether answers may be submitted
	user   func(id string) *User // the folder of a principal
	// changed announces changes of resources; nil unless the table is watched.
	changed atomic.Pointer[mcp.Changes]
}

func (t *tools) table() *mcp.Table {
	return &mcp.Table{
		Family:   "aoc",
		Identity: mcp.Implementation{Name: "aocMCP", Version: "1.0.0"},
		Baseline: mcp.CapabilityTools | mcp.CapabilityResources | mcp.CapabilityPrompts,
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

// puzzleOf returns the puzzle of a day. There must be a year: the site has no
// puzzles without one.
func (t *tools) puzzleOf(year *int, day int) (site.Puzzle, error) {
	y := t.year
	if year != nil {
		y = *year
	}
	if y == 0 {
		return site.Puzzle{}, invalid("year", errors.New("year is required, unless the server has a default (--aoc-year)"))
	}
	p, err := site.NewPuzzle(y, day)
	if err != nil {
		return p, invalid("day", err)
	}
	return p, nil
}

// invalid returns an error about one argument.
func invalid(arg string, err error) error {
	return &schema.Error{Violations: []schema.Violation{{Kind: schema.Rule, Arg: arg, Path: arg, Message: err.Error()}}}
}

// checkDay checks a day of a year; nil means the documented range.
func checkDay(year *int, day int) error {
	if year == nil {
		_, err := ParseDay(day)
		return err
	}
	_, err := site.NewPuzzle(*year, day)
	return err
}
