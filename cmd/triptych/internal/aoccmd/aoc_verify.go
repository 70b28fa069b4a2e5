package aoccmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/toolcmd"
)

// defaultSolveTime limits a solution's time.
const defaultSolveTime = 5 * time.Minute

// maxSolution limits the output of a solution, in bytes.
const maxSolution = 1 << 20

// A verifyRun holds the flags of verify.
type verifyRun struct {
	part    int
	llm     string
	timeout time.Duration
}

func (a commands) verify(ctx context.Context, v verifyRun, args []string) error {
	config, env, err := a.aocConfig()
	if err != nil {
		return err
	}
	year, err := config.DefaultYear(env)
	if err != nil {
		return err
	}
	day, err := parseDay(args[0])
	switch {
	case err != nil:
		return err
	case year == 0:
		return app.UsageErrorf("which year? give --aoc-year")
	case v.part != 1 && v.part != 2:
		return app.UsageErrorf("part must be 1 or 2")
	}
	puzzle, err := aoc.NewPuzzle(year, int(day))
	if err != nil {
		return app.UsageErrorf("%v", err)
	}
	input, err := a.inputFor(ctx, puzzle)
	if err != nil {
		return err
	}
	answer, took, err := solve(ctx, v.timeout, input, args[1:])
	if err != nil {
		return err
	}
	correct, err := a.judge(puzzle, v.part, answer)
	if err != nil {
		return err
	}
	if err := a.reportSolution(answer, took, correct); err != nil || v.llm == "" {
		return err
	}
	arguments, err := json.Marshal(map[string]any{
		"day": day, "phase": v.part, "llm_name": v.llm, "speed_ms": took.Milliseconds(), "year": year, "correct": correct,
	})
	if err != nil {
		return err
	}
	return toolcmd.Call(ctx, a.Only("aoc"), "record_speed", toolcmd.Arguments{JSON: arguments}, false)
}

// inputFor returns the input in the book, or in the user's folder.
func (a commands) inputFor(ctx context.Context, p aoc.Puzzle) (string, error) {
	book, err := a.openBook()
	if err != nil {
		return "", err
	}
	text, missing := book.Year(p.Year).Input(aoc.Day(p.Day))
	if _, ok := errors.AsType[*aoc.NoInputError](missing); !ok {
		return text, missing
	}
	user, err := a.localUser()
	if err != nil {
		return "", err
	}
	return user.Input(ctx, p)
}

// judge compares an answer with the accepted one; nil means that none is known.
func (a commands) judge(p aoc.Puzzle, part int, answer string) (*bool, error) {
	user, err := a.localUser()
	if err != nil {
		return nil, err
	}
	puzzle, err := user.Stored(p)
	if err != nil || puzzle == nil || len(puzzle.Answers) < part {
		return nil, err
	}
	correct := puzzle.Answers[part-1] == answer
	return &correct, nil
}

func (a commands) reportSolution(answer string, took time.Duration, correct *bool) error {
	verdict := "no accepted answer is known"
	if correct != nil && *correct {
		verdict = "correct"
	} else if correct != nil {
		verdict = "wrong"
	}
	return a.Printf("%s in %s: %s\n", answer, race.Duration(took.Milliseconds()), verdict)
}

// solve runs a command on an input and returns the last line that it prints.
func solve(ctx context.Context, limit time.Duration, input string, argv []string) (string, time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second // a child of the command may keep the pipes open
	cmd.Stdin = strings.NewReader(input)
	var out, complaint limitedBuffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	switch {
	case ctx.Err() != nil:
		return "", took, fmt.Errorf("%s did not end within %v", argv[0], limit)
	case err != nil:
		return "", took, fmt.Errorf("%s: %w: %s", argv[0], err, firstLine(complaint.String()))
	}
	lines := strings.Split(strings.TrimRight(out.String(), "\r\n \t"), "\n")
	answer := strings.TrimSpace(lines[len(lines)-1])
	if answer == "" {
		return "", took, fmt.Errorf("%s printed no answer", argv[0])
	}
	return answer, took, nil
}

// A limitedBuffer keeps the last bytes that are written to it.
type limitedBuffer struct{ buf bytes.Buffer } // not embedded: io.Copy would use its ReadFrom

// Write implements [io.Writer].
func (b *limitedBuffer) Write(p []byte) (int, error) {
	n, _ := b.buf.Write(p) // it never fails
	if b.buf.Len() > 2*maxSolution {
		b.buf.Next(b.buf.Len() - maxSolution)
	}
	return n, nil
}

// String returns the bytes that are kept.
func (b *limitedBuffer) String() string { return b.buf.String() }
