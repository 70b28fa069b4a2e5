package aoc

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

// tools are the handlers of the family.
type tools struct {
	book *Book
	now  func() time.Time
}

func (t *tools) table() *mcp.Table {
	return &mcp.Table{
		Family:   "aoc",
		Identity: mcp.Implementation{Name: "aocMCP", Version: "1.0.0"},
		Baseline: mcp.CapabilityTools | mcp.CapabilityResources | mcp.CapabilityPrompts,
		Changing: mcp.CapabilityResources,
		Instructions: "Advent of Code: read a day's puzzle with fetch_instruction or the resource aoc://dayXX; " +
			"after solving one, record how long it took with record_speed.",
		Tools: []mcp.Tool{
			{
				Name: "fetch_instruction", Title: "Fetch a puzzle", Scope: "aoc:read", Hints: mcp.ReadOnly,
				LookUp: "it reads puzzles, which every caller with the scope may read",
				Doc:    "Fetch the full puzzle instruction for a specific day",
				Call:   mcp.Typed(t.fetchInstruction),
			},
			{
				Name: "record_speed", Title: "Record a solving speed", Scope: "aoc:write",
				Doc:  "Record the solving speed for an LLM on a specific day and phase",
				Call: mcp.Typed(t.recordSpeed),
			},
		},
		Resources: []mcp.ResourceSource{{
			Scheme: "aoc", Scope: "aoc:read", List: t.days, Read: t.readDay, Complete: t.completeDay,
			LookUp: "it reads puzzles, which every caller with the scope may read",
			Templates: []mcp.ResourceTemplate{{
				URITemplate: dayTemplate, Name: "day", Title: "Puzzle of a day",
				Description: "Full puzzle instructions for one day, 01 to 25", MIMEType: mimeType,
			}},
		}},
		Errors: wireError, ModelErrors: []jsonrpc.Code{codeApplication},
		Watch: t.watch,
	}
}

type fetchArgs struct {
	Day int `json:"day" doc:"Day number (1-25)"`
}

// Validate checks what the published schema does not say.
func (a fetchArgs) Validate() error {
	_, err := ParseDay(a.Day)
	return err
}

func (t *tools) fetchInstruction(_ context.Context, _ *mcp.Call, args fetchArgs) (fetched, error) {
	i, err := t.book.Instruction(Day(args.Day))
	if err != nil {
		return fetched{}, &loadError{err}
	}
	return fetched{Day: args.Day, Phase1: i.Phase1, Phase2: i.Phase2}, nil
}

type recordArgs struct {
	Day     int    `json:"day" doc:"Day number"`
	Phase   int    `json:"phase" doc:"Phase (1 or 2)"`
	LLM     string `json:"llm_name" doc:"LLM name"`
	SpeedMS int64  `json:"speed_ms" doc:"Solving time in milliseconds"`
}

// maxNameRunes is the longest name of an LLM, in characters.
const maxNameRunes = 100

// Validate checks what the published schema does not say, and lists all of it.
func (a recordArgs) Validate() error {
	var found schema.Error
	check := func(arg string, err error) {
		if err != nil {
			found.Violations = append(found.Violations, schema.Violation{
				Kind: schema.Rule, Arg: arg, Path: arg, Message: err.Error(),
			})
		}
	}
	_, err := ParseDay(a.Day)
	check("day", err)
	_, err = ParsePhase(a.Phase)
	check("phase", err)
	check("llm_name", checkName(a.LLM))
	if a.SpeedMS < 0 {
		check("speed_ms", errors.New("speed_ms must be 0 or more"))
	}
	if len(found.Violations) > 0 {
		return &found
	}
	return nil
}

func checkName(name string) error {
	if n := utf8.RuneCountInString(name); n < 1 || n > maxNameRunes {
		return fmt.Errorf("llm_name must have 1 to %d characters", maxNameRunes)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return errors.New("llm_name must have printable characters only")
		}
	}
	return nil
}

func (t *tools) recordSpeed(ctx context.Context, _ *mcp.Call, args recordArgs) (recorded, error) {
	mean, err := t.book.Record(ctx, Day(args.Day), Speed{
		LLM: args.LLM, Phase: Phase(args.Phase), SpeedMS: args.SpeedMS, Timestamp: t.now(),
	})
	if err != nil {
		return recorded{}, fmt.Errorf("Error recording speed: %w", err)
	}
	return recorded{LLM: args.LLM, Day: args.Day, Phase: args.Phase, SpeedMS: args.SpeedMS, AvgMS: mean}, nil
}
