package aoccmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/mcp"
)

// aocConfig returns the family's settings and its environment.
func (a commands) aocConfig() (*aoc.Config, mcp.Env, error) {
	env, err := a.Env(slog.LevelWarn)
	return a.Configs.AoC, env, err
}

// localUser opens the folder of the person who runs this command.
func (a commands) localUser() (*aoc.User, error) {
	config, env, err := a.aocConfig()
	if err != nil {
		return nil, err
	}
	return config.User(env, mcp.Local().ID), nil
}

func (a commands) aocLogin() app.Command {
	var key string
	return app.Command{
		Name: "login", Short: "store the session cookie of adventofcode.com",
		Long: "Log in to the site with a browser and copy the value of its cookie named session. " +
			"The command reads it from the terminal, without showing it, or from a pipe. " +
			"AOC_SESSION and the files of aocd and aoc-cli are found without it.",
		Example: "triptych aoc login\npass show aoc | triptych aoc login",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&key, "key", "", "store the cookie for the owner of this `key`'s id, who uses the server over HTTPS")
			a.FamilyFlags("aoc")(set)
		},
		Max: app.AnyNumber,
		Run: func(_ context.Context, args []string) error {
			if len(args) > 0 { // they may be the cookie, so no error shows them
				return app.WithHints(app.UsageErrorf("aoc login takes no arguments: other users can see command lines"),
					"run `triptych aoc login` and paste the cookie, or pipe it into the command",
					"log out of the site if you gave it the cookie: that makes the cookie invalid")
			}
			session, err := a.readSession()
			if err != nil {
				return err
			}
			config, env, err := a.aocConfig()
			if err != nil {
				return err
			}
			id := mcp.Local().ID
			if key != "" {
				id = key
			}
			user := config.User(env, id)
			if err := user.Login(session); err != nil {
				return err
			}
			return a.Printf("stored the session in %s\n", user.SessionPath())
		},
	}
}

// maxSession limits what is read from a pipe, in bytes.
const maxSession = 4096

// readSession reads a cookie from a terminal, without echo, or from a pipe.
func (a commands) readSession() (aoc.Session, error) {
	var text []byte
	var err error
	if fd := int(a.In.Fd()); term.IsTerminal(fd) {
		fmt.Fprint(a.Err, "session cookie: ")
		text, err = term.ReadPassword(fd)
		fmt.Fprintln(a.Err)
	} else {
		text, err = io.ReadAll(io.LimitReader(a.In, maxSession))
	}
	if err != nil {
		return aoc.Session{}, err
	}
	return aoc.ParseSession(text)
}

func (a commands) aocFetch() app.Command {
	return app.Command{
		Name: "fetch", Args: "[YEAR] [DAY|all]", Max: 2,
		Short: "download puzzles and inputs, each once",
		Long: "Without DAY, all days of the year that are open. Without YEAR, that of --aoc-year. " +
			"Files that are there are not downloaded again; between requests there is a pause of a second or more.",
		Example: "triptych aoc fetch 2025\ntriptych aoc fetch 2025 1",
		Flags:   a.FamilyFlags("aoc"),
		Run:     a.fetch,
	}
}

func (a commands) fetch(ctx context.Context, args []string) error {
	config, env, err := a.aocConfig()
	if err != nil {
		return err
	}
	year, err := config.DefaultYear(env)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		if year, err = strconv.Atoi(args[0]); err != nil {
			return app.UsageErrorf("year %q is not a number", args[0])
		}
	}
	days, err := daysToFetch(year, args)
	if err != nil {
		return err
	}
	user, single := config.User(env, mcp.Local().ID), len(days) == 1
	for _, day := range days {
		err := a.fetchDay(ctx, user, year, day)
		if locked, ok := errors.AsType[*aoc.LockedError](err); ok && !single {
			fmt.Fprintf(a.Err, "triptych: %v\n", locked)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// daysToFetch returns the days that the arguments name.
func daysToFetch(year int, args []string) ([]int, error) {
	if year == 0 {
		return nil, app.UsageErrorf("which year? give YEAR or --aoc-year")
	}
	if len(args) > 1 && args[1] != "all" {
		day, err := strconv.Atoi(args[1])
		if err != nil {
			return nil, app.UsageErrorf("day %q is not a number", args[1])
		}
		if _, err := aoc.NewPuzzle(year, day); err != nil {
			return nil, app.UsageErrorf("%v", err)
		}
		return []int{day}, nil
	}
	if _, err := aoc.NewPuzzle(year, 1); err != nil {
		return nil, app.UsageErrorf("%v", err)
	}
	days := make([]int, aoc.Days(year))
	for i := range days {
		days[i] = i + 1
	}
	return days, nil
}

func (a commands) fetchDay(ctx context.Context, user *aoc.User, year, day int) error {
	puzzle, err := aoc.NewPuzzle(year, day)
	if err != nil {
		return err
	}
	had, err := user.Stored(puzzle)
	if err != nil {
		return err
	}
	text, err := user.Update(ctx, puzzle)
	if err != nil {
		return err
	}
	if _, err := user.Input(ctx, puzzle); err != nil {
		return err
	}
	source := "downloaded"
	if had != nil && len(had.Parts) == len(text.Parts) {
		source = "there already"
	}
	return a.Printf("%d day %d: %s, %d of 2 parts, input: %s\n", year, day, text.Title, len(text.Parts), source)
}

func (a commands) aocVerify() app.Command {
	v := verifyRun{}
	return app.Command{
		Name: "verify", Args: "DAY -- COMMAND [ARG…]", Min: 2, Max: app.AnyNumber,
		Short: "run a solution on the input, check its answer and measure its time",
		Long: "The command gets the input on standard input; the last line that it prints is its answer. " +
			"The answer is compared with the accepted one. With --llm the time is recorded.",
		Example: "triptych aoc verify --aoc-year 2025 --part 1 --llm gpt4 1 -- python3 day01.py",
		Flags: func(set *pflag.FlagSet) {
			set.IntVar(&v.part, "part", 1, "the `part` that the command solves: 1 or 2")
			set.StringVar(&v.llm, "llm", "", "record the time under this `name`")
			set.DurationVar(&v.timeout, "timeout", defaultSolveTime, "end the command after this `time`")
			a.FamilyFlags("aoc")(set)
		},
		Run: func(ctx context.Context, args []string) error { return a.verify(ctx, v, args) },
	}
}

// firstLine returns a text up to its first line feed.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
