package aoc

import (
	"context"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/schema"
)

type recordArgs struct {
	Day       int      `json:"day" doc:"Day number"`
	Phase     int      `json:"phase" doc:"Phase (1 or 2)"`
	LLM       string   `json:"llm_name" doc:"LLM name"`
	SpeedMS   int64    `json:"speed_ms" doc:"Solving time in milliseconds"`
	Year      *int     `json:"year" doc:"Year, 2015 or later" extension:"true"`
	Correct   *bool    `json:"correct" extension:"true"`
	Attempts  *int     `json:"attempts" doc:"Answers tried" min:"1" extension:"true"`
	Language  *string  `json:"language" max:"50" extension:"true"`
	TokensIn  *int64   `json:"tokens_in" min:"0" extension:"true"`
	TokensOut *int64   `json:"tokens_out" min:"0" extension:"true"`
	CostUSD   *float64 `json:"cost_usd" doc:"Cost in US dollars" min:"0" extension:"true"`
	Notes     *string  `json:"notes" max:"1000" extension:"true"`
}

// maxNameRunes limits the name of an LLM, in characters.
const maxNameRunes = 100

// Validate reports all violations that the schema cannot express.
func (a recordArgs) Validate() error {
	var found schema.Error
	check := func(arg string, err error) {
		if err != nil {
			found.Violations = append(found.Violations, schema.Violation{
				Kind: schema.Rule, Arg: arg, Path: arg, Message: err.Error(),
			})
		}
	}
	check("day", checkDay(a.Year, a.Day))
	_, err := ParsePhase(a.Phase)
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
	mean, err := t.bookOf(args.Year).Record(ctx, Day(args.Day), Speed{
		LLM: args.LLM, Phase: Phase(args.Phase), SpeedMS: args.SpeedMS, Timestamp: t.now(),
		Details: Details{
			Correct: args.Correct, Attempts: args.Attempts, Language: args.Language,
			TokensIn: args.TokensIn, TokensOut: args.TokensOut, CostUSD: args.CostUSD, Notes: args.Notes,
		},
	})
	if err != nil {
		return recorded{}, fmt.Errorf("Error recording speed: %w", err)
	}
	return recorded{LLM: args.LLM, Day: args.Day, Phase: args.Phase, SpeedMS: args.SpeedMS, AvgMS: mean}, nil
}
