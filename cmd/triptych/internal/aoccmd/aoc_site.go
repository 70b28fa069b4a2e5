package aoccmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/triptych-mcp/triptych/aoc"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/keycmd"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// aocConfig returns the family's settings and its environment.
func (a commands) aocConfig() (*aoc.Config, host.Env, error) {
	a.app.Configs.AoC.Waiting = func(d time.Duration) {
		fmt.Fprintf(a.Err, "triptych: the next request to the site is sent in %v\n", d.Round(time.Second))
	}
	env, err := a.app.Env(slog.LevelWarn)
	return a.app.Configs.AoC, env, err
}

// localUser opens the folder of the person who runs this command.
func (a commands) localUser() (*aoc.User, error) {
	config, env, err := a.aocConfig()
	if err != nil {
		return nil, err
	}
	return config.User(env, host.Local().ID), nil
}

func (a commands) aocLogin() command.Command {
	var key string
	return command.Command{
		Name: "login", Short: "store the session cookie of adventofcode.com",
		Long: "Log in to the site with a browser and copy the value of its cookie named session. " +
			"The command reads it from the terminal, without showing it, or from a pipe. " +
			"AOC_SESSION and the files of aocd and aoc-cli are found without it.",
		Example: "triptych aoc login\npass show aoc | triptych aoc login",
		Flags: func(set *pflag.FlagSet) {
			set.StringVar(&key, "key", "", "store the cookie for the owner of this `key`, an id or a name, who uses the server over HTTPS")
			a.bookFlags(set)
		},
		Max: command.AnyNumber,
		Run: func(ctx context.Context, args []string) error {
			if len(args) > 0 { // they may be the cookie, so no error shows them
				return cmderr.WithHints(cmderr.UsageErrorf("aoc login takes no arguments: other users can see command lines"),
					"run `triptych aoc login` and paste the cookie, or pipe it into the command",
					"log out of the site if you gave it the cookie: that makes the cookie invalid")
			}
			session, err := readSession(a.IO)
			if err != nil {
				return err
			}
			config, env, err := a.aocConfig()
			if err != nil {
				return err
			}
			id := host.Local().ID
			if key != "" {
				if id, err = a.keyID(ctx, key); err != nil {
					return err
				}
			}
			user := config.User(env, id)
			if err := user.Login(session); err != nil {
				return err
			}
			return a.Printf("stored the session in %s\n", user.SessionPath())
		},
	}
}

// keyID returns the id of a key that exists, by its id or name.
func (a commands) keyID(ctx context.Context, word string) (string, error) {
	row, err := keycmd.Find(ctx, a.app, word)
	return row.ID, err
}

// maxSession limits what is read from a pipe, in bytes.
const maxSession = 4096

// readSession reads a cookie from a terminal, without echo, or from a pipe.
func readSession(std *cmdio.IO) (aoc.Session, error) {
	var text []byte
	var err error
	if fd := int(std.In.Fd()); term.IsTerminal(fd) {
		fmt.Fprint(std.Err, "session cookie: ")
		text, err = term.ReadPassword(fd)
		fmt.Fprintln(std.Err)
	} else {
		text, err = io.ReadAll(io.LimitReader(std.In, maxSession))
	}
	if err != nil {
		return aoc.Session{}, err
	}
	return aoc.ParseSession(text)
}

func (a commands) aocFetch() command.Command {
	return command.Command{
		Name: "fetch", Args: "[YEAR] [DAY|all]", Max: 2,
		Short: "download puzzles and inputs, each once",
		Long: "Without DAY, all days of the year that are open. Without YEAR, that of --aoc-year, else the current event. " +
			"What is stored is downloaded again only if the calendar shows that its second part has opened; " +
			"between requests there is a pause of a second or more.",
		Example: "triptych aoc fetch\ntriptych aoc fetch 1\ntriptych aoc fetch 2025 all",
		Flags:   a.bookFlags,
		Run:     a.fetch,
	}
}

func (a commands) fetch(ctx context.Context, args []string) error {
	years, word := splitYear(args)
	year, err := a.yearOrEvent(years)
	if err != nil {
		return err
	}
	user, err := a.localUser()
	if err != nil {
		return err
	}
	days, err := daysToFetch(user, year, word)
	if err != nil {
		return err
	}
	for _, day := range days {
		err := fetchDay(ctx, a.IO, user, year, day)
		if locked, ok := errors.AsType[*aoc.LockedError](err); ok && len(days) > 1 {
			fmt.Fprintf(a.Err, "triptych: %v\n", locked)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// splitYear separates the words [YEAR] [DAY|all]: a number of up to two digits is a day.
func splitYear(args []string) (years []string, day string) {
	switch {
	case len(args) == 0:
		return nil, allDays
	case len(args) == 2:
		return args[:1], args[1]
	case args[0] == allDays || len(args[0]) <= 2:
		return nil, args[0]
	}
	return args, allDays
}

// allDays is the word for all days of a year.
const allDays = "all"

// yearOrEvent returns the year that the first argument names, else that of the flags or
// the current event, which it says.
func (a commands) yearOrEvent(args []string) (int, error) {
	if len(args) > 0 {
		return parseYear(args[0])
	}
	year, err := a.eventYear()
	if err == nil {
		tellYear(a.IO, year)
	}
	return year, err
}

// daysToFetch returns the days of a year that a word names.
func daysToFetch(user *aoc.User, year int, word string) ([]int, error) {
	if word != allDays {
		day, err := dayOf(user, year, word)
		return []int{day}, err
	}
	days := make([]int, user.EventDays(year))
	for i := range days {
		days[i] = i + 1
	}
	return days, nil
}

// dayOf reads a day of a year.
func dayOf(user *aoc.User, year int, word string) (int, error) {
	day, err := strconv.Atoi(word)
	if err != nil {
		return 0, cmderr.UsageErrorf("day %q is not a number", word)
	}
	if last := user.EventDays(year); day < 1 || day > last {
		return 0, cmderr.UsageErrorf("day must be between 1 and %d in %d", last, year)
	}
	return day, nil
}

func fetchDay(ctx context.Context, out *cmdio.IO, user *aoc.User, year, day int) error {
	puzzle := aoc.Puzzle{Year: year, Day: day}
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
	return out.Printf("%d day %d: %s, %d of 2 parts, input: %s\n", year, day, text.Title, len(text.Parts), source)
}

// firstLine returns a text up to its first line feed.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
