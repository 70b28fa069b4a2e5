package aoc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	if book.year != 0 {
		if err := t.checkEvent(call, book.year, args.Day); err != nil {
			return fetched{}, err
		}
	}
	i, err := t.instruction(ctx, call, book, args.Day)
	_, missing := errors.AsType[*NoInstructionError](err)
	assumed := missing && book.year == 0
	if assumed { // no year was given, and there is no documented file
		book, i, err = t.instructionOfEvent(ctx, call, args.Day, err)
	}
	rejected := errors.Is(err, site.ErrSessionRejected) && i.Phase1 != ""
	if err != nil && !rejected {
		return fetched{}, &loadError{err}
	}
	answer := fetched{Year: book.year, Day: args.Day, Phase1: i.Phase1, Phase2: i.Phase2, assumed: assumed}
	if rejected {
		answer.Note = "The second part may be missing: " + err.Error() + "."
	}
	if book.year != 0 {
		err = t.startClocks(ctx, call, site.Puzzle{Year: book.year, Day: args.Day}, i)
	}
	return answer, err
}

// instructionOfEvent returns a puzzle of the current event.
func (t *tools) instructionOfEvent(ctx context.Context, call *mcp.Call, day int, missing error) (*Book, Instruction, error) {
	year, err := t.yearOf(call, nil)
	if err != nil {
		return t.book, Instruction{}, err
	}
	book := t.book.Year(year)
	if err := t.checkLast(call, year, day); err != nil {
		return book, Instruction{}, fmt.Errorf("%w; %w", missing, err)
	}
	i, err := t.instruction(ctx, call, book, day)
	if err != nil && i.Phase1 == "" {
		err = fmt.Errorf("%w; %d: %w", missing, year, err)
	}
	return book, i, err
}

// startClocks starts the clocks of the parts that the caller is shown.
func (t *tools) startClocks(ctx context.Context, call *mcp.Call, p site.Puzzle, i Instruction) error {
	parts := 1
	if i.Phase2 != nil {
		parts = 2
	}
	sum := sha256.Sum256([]byte(call.StateKey()))
	return t.whose(call).StartClocks(ctx, p, parts, hex.EncodeToString(sum[:8]))
}

// instruction returns a puzzle from the book or, if it has none, from the user's
// folder, which may download it. With an error that the session was rejected, it
// returns what is stored.
func (t *tools) instruction(ctx context.Context, call *mcp.Call, book *Book, n int) (Instruction, error) {
	i, missing := book.Instruction(Day(n))
	if _, ok := errors.AsType[*NoInstructionError](missing); !ok || book.year == 0 {
		return i, missing
	}
	user, p := t.whose(call), site.Puzzle{Year: book.year, Day: n}
	stored, err := user.Stored(p)
	if err != nil {
		return Instruction{}, err
	}
	puzzle, err := user.Puzzle(ctx, p)
	switch {
	case errors.Is(err, site.ErrSessionRejected) && stored != nil:
		return instructionOf(stored), err
	case errors.Is(err, site.ErrNoSession) && stored != nil:
		return instructionOf(stored), nil
	case errors.Is(err, site.ErrNoSession):
		return Instruction{}, fmt.Errorf("%w; to download it: %w", missing, err)
	case err != nil:
		return Instruction{}, err
	case stored == nil:
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
	Year    *int `json:"year"`
	Example *int `json:"example" min:"1" bounds:"enforced"`
}

// Validate implements the checks that the schema cannot express.
func (a inputArgs) Validate() error { return checkDay(a.Year, a.Day) }

func (t *tools) fetchInput(ctx context.Context, call *mcp.Call, args inputArgs) (input, error) {
	p, err := t.puzzleOf(call, args.Year, args.Day)
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
