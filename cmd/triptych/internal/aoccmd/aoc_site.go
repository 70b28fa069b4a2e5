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
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/keycmd"
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
			set.StringVar(&key, "key", "", "store the cookie for the owner of this `key`, an id or a name, who uses the server over HTTPS")
			a.FamilyFlags("aoc")(set)
		},
		Max: app.AnyNumber,
		Run: func(ctx context.Context, args []string) error {
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
	row, err := keycmd.Find(ctx, a.App, word)
	return row.ID, err
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
		Long: "Without DAY, all days of the year that are open. Without YEAR, that of --aoc-year, else the current event. " +
			"What is stored is downloaded again only if the calendar shows that its second part has opened; " +
			"between requests there is a pause of a second or more.",
		Example: "triptych aoc fetch\ntriptych aoc fetch 2025 1",
		Flags:   a.FamilyFlags("aoc"),
		Run:     a.fetch,
	}
}

func (a commands) fetch(ctx context.Context, args []string) error {
	year, err := a.yearOrEvent(args)
	if err != nil {
		return err
	}
	user, err := a.localUser()
	if err != nil {
		return err
	}
	days, err := daysToFetch(user, year, args)
	if err != nil {
		return err
	}
	for _, day := range days {
		err := a.fetchDay(ctx, user, year, day)
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

// yearOrEvent returns the year that the first argument names, else that of the flags or
// the current event, which it says.
func (a commands) yearOrEvent(args []string) (int, error) {
	if len(args) > 0 {
		return parseYear(args[0])
	}
	year, err := a.eventYear()
	if err == nil {
		a.tellYear(year)
	}
	return year, err
}

// daysToFetch returns the days that the arguments name.
func daysToFetch(user *aoc.User, year int, args []string) ([]int, error) {
	last := user.EventDays(year)
	if len(args) > 1 && args[1] != "all" {
		day, err := strconv.Atoi(args[1])
		if err != nil {
			return nil, app.UsageErrorf("day %q is not a number", args[1])
		}
		if day < 1 || day > last {
			return nil, app.UsageErrorf("day must be between 1 and %d in %d", last, year)
		}
		return []int{day}, nil
	}
	days := make([]int, last)
	for i := range days {
		days[i] = i + 1
	}
	return days, nil
}

func (a commands) fetchDay(ctx context.Context, user *aoc.User, year, day int) error {
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
	return a.Printf("%d day %d: %s, %d of 2 parts, input: %s\n", year, day, text.Title, len(text.Parts), source)
}

// firstLine returns a text up to its first line feed.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
