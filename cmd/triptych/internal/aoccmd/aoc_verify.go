package aoccmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/aoc/race"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

// defaultSolveTime limits a solution's time.
const defaultSolveTime = 5 * time.Minute

// maxSolution limits the output of a solution, in bytes.
const maxSolution = 1 << 20

// A verifyRun holds the flags of verify.
type verifyRun struct {
	part         int
	llm          string
	language     string
	timeout      time.Duration
	runs, warmUp int
	memory       command.ByteSize
}

func (a commands) aocVerify() command.Command {
	v := verifyRun{memory: 4 << 30}
	return command.Command{
		Name: "verify", Args: "[YEAR] DAY -- COMMAND [ARG…]", Min: 2, Max: command.AnyNumber,
		Short: "run a solution on the input, check its answer and measure how long it runs",
		Long: "The command gets the input on standard input; the last line that it prints is its answer, which is compared with the accepted one. " +
			"It runs in a process group of its own, which is ended at a limit of time or memory. With --llm each run is recorded, as one of the kind " +
			"program: how long a program ran is never compared with how long a model took to write it.",
		Example: "triptych aoc verify --part 1 --llm gpt4 --runs 5 1 -- python3 day01.py",
		Flags: func(set *pflag.FlagSet) {
			set.IntVar(&v.part, "part", 1, "the `part` that the command solves: 1 or 2")
			set.StringVar(&v.llm, "llm", "", "record the runs under this `name`")
			set.StringVar(&v.language, "language", "", "the programming `language`, to be recorded")
			set.IntVar(&v.runs, "runs", 1, "run it this `number` of times")
			set.IntVar(&v.warmUp, "warm-up", 0, "run it this `number` of times before, without measuring")
			set.DurationVar(&v.timeout, "timeout", defaultSolveTime, "end the command after this `time`")
			set.Var(&v.memory, "memory", "end the command when it uses more memory than this `size`")
			a.bookFlags(set)
		},
		Run: func(ctx context.Context, args []string) error { return a.verify(ctx, v, args) },
	}
}

// maxRuns limits the runs of a command.
const maxRuns = 1000

func (a commands) verify(ctx context.Context, v verifyRun, args []string) error {
	switch {
	case v.part != 1 && v.part != 2:
		return cmderr.UsageErrorf("part must be 1 or 2")
	case v.runs < 1 || v.runs > maxRuns || v.warmUp < 0 || v.warmUp > maxRuns:
		return cmderr.UsageErrorf("--runs must be 1 to %d, and --warm-up 0 to %d", maxRuns, maxRuns)
	}
	words, argv := splitCommand(args)
	puzzle, user, err := a.puzzleOf(words)
	if err != nil {
		return err
	}
	input, err := a.inputFor(ctx, puzzle)
	if err != nil {
		return err
	}
	for range v.warmUp {
		if _, err := solve(ctx, v, input, argv); err != nil {
			return err
		}
	}
	var took []int64
	for range v.runs {
		run, err := solve(ctx, v, input, argv)
		if err != nil {
			return err
		}
		if err := a.keepSolution(ctx, user, puzzle, v, run); err != nil {
			return err
		}
		took = append(took, run.took.Milliseconds())
	}
	if len(took) == 1 {
		return nil
	}
	slices.Sort(took)
	return a.Printf("median of %d runs: %s (%s to %s)\n", len(took), race.Duration(race.Median(took)), race.Duration(took[0]), race.Duration(took[len(took)-1]))
}

// keepSolution judges the answer of a run, prints it, records the run and, if the answer
// is right, stops the clock.
func (a commands) keepSolution(ctx context.Context, user *aoc.User, puzzle aoc.Puzzle, v verifyRun, run solution) (err error) {
	if run.correct, err = judge(user, puzzle, v.part, run.answer); err != nil {
		return err
	}
	if err := reportSolution(a.IO, run); err != nil {
		return err
	}
	if err := a.recordRun(ctx, puzzle, v, run); err != nil {
		return err
	}
	if run.correct == nil || !*run.correct {
		return nil
	}
	return stopClock(ctx, a.IO, user, puzzle, v.part)
}

// splitCommand separates [YEAR] DAY from the command: a second number is a day, since
// no program has such a name.
func splitCommand(args []string) (words, argv []string) {
	if _, err := strconv.Atoi(args[1]); err == nil && len(args) > 2 {
		return args[:2], args[2:]
	}
	return args[:1], args[1:]
}

// recordRun records a run of a program, if it has a name.
func (a commands) recordRun(ctx context.Context, puzzle aoc.Puzzle, v verifyRun, run solution) error {
	if v.llm == "" {
		return nil
	}
	book, _, err := a.openBook()
	if err != nil {
		return err
	}
	s := aoc.Speed{LLM: v.llm, Phase: aoc.Phase(v.part), SpeedMS: run.took.Milliseconds(), Timestamp: a.app.Now(), Details: aoc.Details{
		Kind: new(string(race.Program)), Correct: run.correct, CPUMS: new(run.cpu.Milliseconds()),
	}}
	if v.language != "" {
		s.Details.Language = &v.language
	}
	if run.memory > 0 {
		s.Details.Memory = &run.memory
	}
	mean, err := book.Year(puzzle.Year).Record(ctx, aoc.Day(puzzle.Day), s)
	if err != nil {
		return err
	}
	return a.Printf("Recorded %s Day %d Phase %d: program ran %dms (avg: %dms)\n", v.llm, puzzle.Day, v.part, s.SpeedMS, mean)
}

// stopClock stops the clock that the reading of the puzzle has started, and says its
// time.
func stopClock(ctx context.Context, out *cmdio.IO, user *aoc.User, puzzle aoc.Puzzle, part int) error {
	took, err := user.StopClock(ctx, puzzle, part)
	if err != nil || took == 0 {
		return err
	}
	return out.Printf("%s since the text of part %d was fetched\n", race.Duration(took.Milliseconds()), part)
}

// inputFor returns the input in the book, or in the user's folder.
func (a commands) inputFor(ctx context.Context, p aoc.Puzzle) (string, error) {
	book, _, err := a.openBook()
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
func judge(user *aoc.User, p aoc.Puzzle, part int, answer string) (*bool, error) {
	puzzle, err := user.Stored(p)
	if err != nil || puzzle == nil || !puzzle.IsSolved(part) {
		return nil, err
	}
	return new(puzzle.Answers[part-1] == answer), nil
}

func reportSolution(out *cmdio.IO, run solution) error {
	verdict := "no accepted answer is known"
	if run.correct != nil && *run.correct {
		verdict = "correct"
	} else if run.correct != nil {
		verdict = "wrong"
	}
	used := fmt.Sprintf("%s of processor time", race.Duration(run.cpu.Milliseconds()))
	if run.memory > 0 {
		used += fmt.Sprintf(", %d MiB", run.memory>>20)
	}
	return out.Printf("%s in %s (%s): %s\n", run.answer, race.Duration(run.took.Milliseconds()), used, verdict)
}

// A solution is a run of a command: its answer, and the time and memory that it used.
type solution struct {
	answer    string
	took, cpu time.Duration
	memory    int64 // bytes at most, of all its processes; 0 if it was not measured
	correct   *bool
}

// solve runs a command on an input. Its answer is the last line that it prints.
func solve(ctx context.Context, v verifyRun, input string, argv []string) (solution, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, v.timeout, fmt.Errorf("%s did not end within %v", argv[0], v.timeout))
	defer cancel()
	ctx, exceed := context.WithCancelCause(ctx)
	defer exceed(nil)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.WaitDelay = time.Second // a child that left the group may keep the pipes open
	cmd.Stdin = strings.NewReader(input)
	var out, complaint limitedBuffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	ownGroup(cmd)
	began, took := time.Now(), time.Duration(0)
	err := cmd.Start()
	var peak int64
	if err == nil {
		stop := watchMemory(cmd.Process.Pid, int64(v.memory), func() {
			exceed(fmt.Errorf("%s uses more than %s of memory", argv[0], v.memory.String()))
		})
		err = cmd.Wait()
		took = time.Since(began)
		peak = stop()
	}
	run := solution{took: took, memory: peak}
	if cause := context.Cause(ctx); cause != nil {
		return run, cause
	}
	if err != nil {
		return run, fmt.Errorf("%s: %w: %s", argv[0], err, firstLine(complaint.String()))
	}
	run.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	lines := strings.Split(strings.TrimRight(out.String(), "\r\n \t"), "\n")
	if run.answer = strings.TrimSpace(lines[len(lines)-1]); run.answer == "" {
		return run, fmt.Errorf("%s printed no answer", argv[0])
	}
	return run, nil
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
