package aoc

import (
	"context"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/aoc/race"
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
	Attempts  *int     `json:"attempts" doc:"Answers tried" min:"1" bounds:"enforced" extension:"true"`
	Language  *string  `json:"language" max:"50" bounds:"enforced" extension:"true"`
	TokensIn  *int64   `json:"tokens_in" min:"0" bounds:"enforced" extension:"true"`
	TokensOut *int64   `json:"tokens_out" min:"0" bounds:"enforced" extension:"true"`
	CostUSD   *float64 `json:"cost_usd" min:"0" bounds:"enforced" extension:"true"`
	Notes     *string  `json:"notes" max:"1000" bounds:"enforced" extension:"true"`
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

func (t *tools) recordSpeed(ctx context.Context, call *mcp.Call, args recordArgs) (recorded, error) {
	book, err := t.bookToRecord(call, args)
	if err != nil {
		return recorded{}, fmt.Errorf("Error recording speed: %w", err)
	}
	if book.year != 0 {
		if err := t.checkEvent(call, book.year, args.Day); err != nil {
			return recorded{}, err
		}
	}
	s := Speed{
		LLM: args.LLM, Phase: Phase(args.Phase), SpeedMS: args.SpeedMS, Timestamp: t.now(),
		Details: Details{
			Kind: new(string(race.Solve)), Correct: args.Correct, Attempts: args.Attempts, Language: args.Language,
			TokensIn: args.TokensIn, TokensOut: args.TokensOut, CostUSD: args.CostUSD, Notes: args.Notes,
		},
	}
	if book.year == 0 { // as documented: an entry without a kind is of this one
		s.Details.Kind = nil
	} else if err := t.addTime(ctx, call, site.Puzzle{Year: book.year, Day: args.Day}, &s); err != nil {
		return recorded{}, err
	}
	mean, err := book.Record(ctx, Day(args.Day), s)
	if err != nil {
		return recorded{}, fmt.Errorf("Error recording speed: %w", err)
	}
	answer := recorded{Year: book.year, LLM: args.LLM, Day: args.Day, Phase: args.Phase, SpeedMS: args.SpeedMS, AvgMS: mean}
	if s.Details.TimedMS != nil {
		answer.TimedMS = *s.Details.TimedMS
	}
	return answer, nil
}

// bookToRecord returns the book for a record.
func (t *tools) bookToRecord(call *mcp.Call, args recordArgs) (*Book, error) {
	if args.Year == nil && t.year == 0 {
		return BookToRecord(t.now(), t.book, t.whose(call), Day(args.Day), Phase(args.Phase))
	}
	return t.bookOf(args.Year), nil
}

// addTime adds the time by the server's clock, which has seen the accepted answer.
func (t *tools) addTime(ctx context.Context, call *mcp.Call, p site.Puzzle, s *Speed) error {
	took, err := t.whose(call).TakeTime(ctx, p, int(s.Phase))
	if err != nil || took == 0 {
		return err
	}
	s.Details.TimedMS = new(took.Milliseconds())
	if s.Details.Correct == nil {
		s.Details.Correct = new(true)
	}
	return nil
}
