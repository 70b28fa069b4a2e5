package aoccmd

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
)

func (a commands) aocWatch() command.Command {
	var once bool
	return command.Command{
		Name: "watch", Args: "[YEAR] [DAY]", Max: 2,
		Short: "wait for a puzzle and download it as it opens, and then its second part",
		Long: "Without DAY, the next puzzle of the year, or one that opened less than an hour ago and is not downloaded. " +
			"The command counts down to midnight in New York, downloads the page and the input, and rings the bell of the terminal. Then it waits until the first part is solved: by triptych aoc submit or a client of triptych, " +
			"or in a browser, after which you press Enter. Nothing is requested meanwhile.",
		Example: "triptych aoc watch\ntriptych aoc watch 1 --once",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&once, "once", false, "end when the first part is there")
			a.bookFlags(set)
		},
		Run: func(ctx context.Context, args []string) error {
			puzzle, user, err := a.nextPuzzle(args)
			if err != nil {
				return err
			}
			if err := a.awaitUnlock(ctx, puzzle); err != nil {
				return err
			}
			if err := fetchOpened(ctx, a.IO, user, puzzle); err != nil || once {
				return err
			}
			return awaitPartTwo(ctx, a.IO, user, puzzle)
		},
	}
}

// nextPuzzle returns the puzzle that the arguments name, else the one that opens next or
// has just opened and was not downloaded yet.
func (a commands) nextPuzzle(args []string) (aoc.Puzzle, *aoc.User, error) {
	years, word := splitYear(args)
	year, err := a.yearToWatch(years)
	if err != nil {
		return aoc.Puzzle{}, nil, err
	}
	if word != allDays {
		return a.puzzleOf([]string{strconv.Itoa(year), word})
	}
	user, err := a.localUser()
	if err != nil {
		return aoc.Puzzle{}, nil, err
	}
	for day := 1; day <= user.EventDays(year); day++ {
		puzzle := aoc.Puzzle{Year: year, Day: day}
		late := a.app.Now().Sub(puzzle.Opens())
		if late > justOpened {
			continue
		}
		stored, err := user.Stored(puzzle)
		if err != nil || late < 0 || stored == nil {
			return puzzle, user, err
		}
	}
	return aoc.Puzzle{}, nil, cmderr.UsageErrorf("all puzzles of %d are open: run triptych aoc fetch %d", year, year)
}

// yearToWatch returns the year that the arguments name, else the flags, else this year.
func (a commands) yearToWatch(args []string) (int, error) {
	if len(args) > 0 {
		return parseYear(args[0])
	}
	_, year, err := a.openBook()
	return cmp.Or(year, a.app.Now().UTC().Year()), err
}

// justOpened is the time for which an open puzzle is the next one, so that one may be
// late.
const justOpened = time.Hour

// awaitUnlock counts down to the opening of a puzzle.
func (a commands) awaitUnlock(ctx context.Context, puzzle aoc.Puzzle) error {
	opens := puzzle.Opens()
	tell := isTerminal(a.Err)
	if opens.After(a.app.Now()) {
		fmt.Fprintf(a.Err, "triptych: %s opens at %s (%s here)\n", puzzle, opens.Format("2006-01-02 15:04 MST"), opens.Local().Format("15:04:05 MST"))
	}
	for {
		left := opens.Sub(a.app.Now())
		if left <= 0 {
			return nil
		}
		if tell {
			fmt.Fprintf(a.Err, "\r%s ", countdown(left))
		}
		if err := pause(ctx, min(left, time.Second)); err != nil {
			return err
		}
		if tell && opens.Sub(a.app.Now()) <= 0 {
			fmt.Fprint(a.Err, "\r            \r")
		}
	}
}

// countdown returns the time that is left as 26:03:07, rounded up.
func countdown(left time.Duration) string {
	seconds := int((left + time.Second - 1) / time.Second)
	return fmt.Sprintf("%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
}

// The pauses between attempts to download a puzzle that should be open.
const firstRetry, lastRetry = 5 * time.Second, time.Minute

// fetchOpened downloads a puzzle and its input, and rings. While the site is overloaded
// or its clock is behind, it tries again, more and more seldom.
func fetchOpened(ctx context.Context, out *cmdio.IO, user *aoc.User, puzzle aoc.Puzzle) error {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := fetchDay(ctx, out, user, puzzle.Year, puzzle.Day)
		locked, early := errors.AsType[*aoc.LockedError](err)
		busy, overloaded := errors.AsType[*aoc.BusyError](err)
		switch {
		case err == nil:
			ring(out)
			return nil
		case early && locked.BySite:
		case overloaded:
			wait = max(wait, busy.After)
		default:
			return err
		}
		fmt.Fprintf(out.Err, "triptych: %v; trying again in %v\n", err, wait)
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && cmdio.IsTerminal(file)
}

// ring rings the bell of a terminal.
func ring(out *cmdio.IO) {
	if isTerminal(out.Err) {
		fmt.Fprint(out.Err, "\a")
	}
}

// lookEvery is the interval at which the folder is read for the answer to part one.
const lookEvery = 500 * time.Millisecond

// awaitPartTwo waits until part one is solved and downloads part two.
func awaitPartTwo(ctx context.Context, std *cmdio.IO, user *aoc.User, puzzle aoc.Puzzle) error {
	stored, err := user.Stored(puzzle)
	if err != nil || len(stored.Parts) == 2 {
		return err
	}
	var entered <-chan struct{}
	hint := "triptych aoc submit " + fmt.Sprint(puzzle.Day) + " 1 ANSWER"
	if cmdio.IsTerminal(std.In) {
		entered, hint = enters(ctx, std), hint+", or solve it in the browser and press Enter"
	}
	fmt.Fprintf(std.Err, "triptych: waiting for the answer to part one: run %s\n", hint)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-entered:
			if stored, err = user.DownloadAgain(ctx, puzzle); err != nil {
				return err
			}
			if len(stored.Parts) < 2 {
				fmt.Fprintln(std.Err, "triptych: the site shows part one only")
			}
		case <-look.C:
			if stored, err = user.Stored(puzzle); err != nil {
				return err
			}
			if stored.IsSolved(1) {
				stored, err = user.Puzzle(ctx, puzzle)
			}
			if err != nil {
				return err
			}
		}
		if len(stored.Parts) == 2 {
			ring(std)
			return std.Printf("%d day %d: part two is there\n", puzzle.Year, puzzle.Day)
		}
	}
}

// enters sends for each line that is read from the terminal, until ctx is done.
func enters(ctx context.Context, std *cmdio.IO) <-chan struct{} {
	lines := make(chan struct{})
	go func() { // it ends with the program if nothing is typed
		for in := bufio.NewScanner(std.In); in.Scan(); {
			select {
			case lines <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
