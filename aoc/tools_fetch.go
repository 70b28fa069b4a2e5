package aoc

import (
	"context"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/aoc/internal/personal"
	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/mcp"
)

type fetchArgs struct {
	Day  int  `json:"day" doc:"Day number (1-25)"`
	Year *int `json:"year" doc:"Year, 2015 or later" extension:"true"`
}

// Validate implements the checks that the schema cannot express.
func (a fetchArgs) Validate() error { return checkDay(a.Year, a.Day) }

func (t *tools) fetchInstruction(ctx context.Context, call *mcp.Call, args fetchArgs) (fetched, error) {
	book := t.bookOf(args.Year)
	i, err := t.instruction(ctx, call, book, args.Day)
	if err != nil {
		return fetched{}, &loadError{err}
	}
	return fetched{Year: book.year, Day: args.Day, Phase1: i.Phase1, Phase2: i.Phase2}, nil
}

// instruction returns a puzzle from the book or, if it has none, from the user's
// folder, which may download it.
func (t *tools) instruction(ctx context.Context, call *mcp.Call, book *Book, n int) (Instruction, error) {
	day, err := book.parseDay(n)
	if err != nil {
		return Instruction{}, err
	}
	i, missing := book.Instruction(day)
	if _, ok := errors.AsType[*NoInstructionError](missing); !ok || book.year == 0 {
		return i, missing
	}
	user, p := t.whose(call), site.Puzzle{Year: book.year, Day: n}
	stored, err := user.Stored(p)
	if err != nil {
		return Instruction{}, err
	}
	puzzle, err := user.Puzzle(ctx, p)
	if errors.Is(err, site.ErrNoSession) {
		return Instruction{}, fmt.Errorf("%w; to download it: %w", missing, err)
	}
	if err != nil {
		return Instruction{}, err
	}
	if stored == nil {
		t.announceResources()
	}
	return instructionOf(puzzle), nil
}

func instructionOf(p *personal.Puzzle) Instruction {
	i := Instruction{Day: Day(p.Day), Phase1: p.Parts[0]}
	if len(p.Parts) > 1 {
		i.Phase2 = &p.Parts[1]
	}
	return i
}

type inputArgs struct {
	Day     int  `json:"day" doc:"Day number"`
	Year    *int `json:"year" doc:"Year, 2015 or later"`
	Example *int `json:"example" doc:"Return this example instead, from 1" min:"1"`
}

// Validate implements the checks that the schema cannot express.
func (a inputArgs) Validate() error { return checkDay(a.Year, a.Day) }

func (t *tools) fetchInput(ctx context.Context, call *mcp.Call, args inputArgs) (input, error) {
	p, err := t.puzzleOf(args.Year, args.Day)
	if err != nil {
		return input{}, err
	}
	if args.Example != nil {
		return t.example(ctx, call, p, *args.Example)
	}
	text, err := t.inputOf(ctx, call, p)
	if err != nil {
		return input{}, fmt.Errorf("Error loading input: %w", err)
	}
	return input{Year: p.Year, Day: p.Day, Data: text}, nil
}

// inputOf returns the input in the book or, if it has none, in the user's folder,
// which may download it. An input in the book is shared by all users.
func (t *tools) inputOf(ctx context.Context, call *mcp.Call, p site.Puzzle) (string, error) {
	text, missing := t.book.Year(p.Year).Input(Day(p.Day))
	if _, ok := errors.AsType[*NoInputError](missing); !ok {
		return text, missing
	}
	text, err := t.whose(call).Input(ctx, p)
	if errors.Is(err, site.ErrNoSession) {
		return "", fmt.Errorf("%w; to download it: %w", missing, err)
	}
	return text, err
}

func (t *tools) example(ctx context.Context, call *mcp.Call, p site.Puzzle, n int) (input, error) {
	puzzle, err := t.whose(call).Puzzle(ctx, p)
	if err != nil {
		return input{}, fmt.Errorf("Error loading examples: %w", err)
	}
	if n > len(puzzle.Examples) {
		return input{}, fmt.Errorf("Error loading examples: %s has %d", p, len(puzzle.Examples))
	}
	e := puzzle.Examples[n-1]
	return input{Year: p.Year, Day: p.Day, Example: n, Part: e.Part, Data: e.Data, Answer: e.Answer}, nil
}
