package aoc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/mcp"
)

type submitArgs struct {
	Year   *int   `json:"year" doc:"Year, 2015 or later"`
	Day    int    `json:"day" doc:"Day number"`
	Part   int    `json:"part" doc:"Part, 1 or 2" min:"1" max:"2"`
	Answer string `json:"answer" doc:"The answer" max:"200"`
}

// Validate implements the checks that the schema cannot express.
func (a submitArgs) Validate() error { return checkDay(a.Year, a.Day) }

// confirmSchema asks for a yes or no.
var confirmSchema = json.RawMessage(`{"type":"object","properties":{"submit":{"type":"boolean","title":"Submit this answer"}},"required":["submit"]}`)

func (t *tools) submitAnswer(ctx context.Context, call *mcp.Call, args submitArgs) (submitted, error) {
	p, err := t.puzzleOf(call, args.Year, args.Day)
	if err != nil {
		return submitted{}, err
	}
	message := fmt.Sprintf("Submit %q as the answer to %s, part %d?", args.Answer, p, args.Part)
	if err := confirm(ctx, call, message); err != nil {
		return submitted{}, err
	}
	return submit(ctx, t.whose(call), p, args.Part, args.Answer, false)
}

func submit(ctx context.Context, user *User, p site.Puzzle, part int, text string, again bool) (submitted, error) {
	verdict, err := user.Submit(ctx, p, part, text, again)
	if err != nil {
		return submitted{}, err
	}
	answer := submitted{
		Year: p.Year, Day: p.Day, Part: part, Answer: verdict.Answer, given: text,
		Outcome: string(verdict.Outcome), WaitS: int(verdict.Wait.Seconds()), Message: verdict.Message,
	}
	if verdict.Outcome.Accepted() {
		took, err := user.StopClock(ctx, p, part)
		if err != nil {
			return answer, err
		}
		answer.TimedMS = took.Milliseconds()
	}
	return answer, nil
}

// Submit submits an answer as the tool submit_answer does: see [User.Submit]. It returns
// the verdict in a sentence, and whether the answer is right.
func Submit(ctx context.Context, user *User, p Puzzle, part int, answer string, again bool) (text string, accepted bool, err error) {
	s, err := submit(ctx, user, p, part, answer, again)
	if err != nil {
		return "", false, err
	}
	return s.Text(), site.Outcome(s.Outcome).Accepted(), nil
}

// confirm asks the user for consent. A client that cannot ask its user submits
// without: the operator has permitted that with --aoc-submit.
func confirm(ctx context.Context, call *mcp.Call, message string) error {
	answers, err := call.Ask(ctx, map[string]mcp.InputRequest{"confirm": mcp.Form(message, confirmSchema)})
	if errors.Is(err, mcp.ErrCannotAsk) {
		return nil
	}
	if err != nil {
		return err
	}
	var answer struct {
		Action  string
		Content struct{ Submit bool }
	}
	if err := json.Unmarshal(answers["confirm"], &answer); err != nil {
		return fmt.Errorf("the client's answer cannot be read: %w", err)
	}
	if answer.Action != "accept" || !answer.Content.Submit {
		return errors.New("the answer was not sent: the user declined")
	}
	return nil
}
