package aoc

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/aoc/internal/personal"
	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
)

// A Config holds the family's settings.
type Config struct {
	// Dir holds instructions/, speeds/ and a folder per year; "" means aoc/ in the
	// data folder.
	Dir string
	// Year is the year of calls that name none; 0 means the documented files, which
	// have no year.
	Year int
	// Submit permits submitting answers to the site.
	Submit bool
	// Waiting, if not nil, is called before a request that waits for its turn, if that
	// takes seconds.
	Waiting func(time.Duration)
}

// RegisterFlags adds the family's flags.
func (c *Config) RegisterFlags(set *pflag.FlagSet) {
	c.RegisterBook(set)
	set.BoolVar(&c.Submit, "aoc-submit", false, "let clients submit answers to adventofcode.com (TRIPTYCH_AOC_SUBMIT)\nThe variable is 1 or nothing.")
}

// RegisterBook adds the flags of what reads or changes a book.
func (c *Config) RegisterBook(set *pflag.FlagSet) {
	set.StringVar(&c.Dir, "aoc-dir", "", "read instructions/ and keep speeds/ in this `folder` (TRIPTYCH_AOC_DIR)\ndefault: aoc in the data folder")
	set.IntVar(&c.Year, "aoc-year", 0, "the `year` of calls that name none (TRIPTYCH_AOC_YEAR)\ndefault: the documented files, which have no year")
}

// dir returns the folder that the flags and the environment name.
func (c *Config) dir(env host.Env) string {
	return cmp.Or(c.Dir, env.Getenv("TRIPTYCH_AOC_DIR"), filepath.Join(env.Data, "aoc"))
}

// Folders returns the folders that the family writes to.
func (c *Config) Folders(env host.Env) []string { return []string{c.dir(env)} }

// Scopes returns the scopes of the family's rows.
func (*Config) Scopes() []mcp.Scope { return new(tools).table().Scopes() }

// Tools returns the family's tools, which cannot be called.
func (*Config) Tools() []mcp.Tool { return new(tools).table().Tools }

// Book opens the book that the flags and the environment name.
func (c *Config) Book(env host.Env) *Book { return Open(c.dir(env)) }

// DefaultYear returns the year of calls that name none.
func (c *Config) DefaultYear(env host.Env) (int, error) {
	text := env.Getenv("TRIPTYCH_AOC_YEAR")
	if c.Year != 0 || text == "" {
		return ParseYear(c.Year)
	}
	year, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("TRIPTYCH_AOC_YEAR: %q is not a year", text)
	}
	return ParseYear(year)
}

// Open returns the family's table. Nothing is read or written yet.
func (c *Config) Open(_ context.Context, env host.Env) (*mcp.Table, error) {
	year, err := c.DefaultYear(env)
	if err != nil {
		return nil, err
	}
	t := &tools{
		book: c.Book(env), now: env.Now, year: year,
		submit: c.Submit || env.Getenv("TRIPTYCH_AOC_SUBMIT") == "1",
		user:   func(id string) *User { return c.User(env, id) },
	}
	return t.table(), nil
}

// A User keeps what belongs to one user of adventofcode.com: see package personal.
type User = personal.Folder

// A Session is the value of the site's session cookie.
type Session = site.Session

// A Puzzle identifies a puzzle by year and day.
type Puzzle = site.Puzzle

// A LockedError reports a puzzle that has not been published.
type LockedError = site.LockedError

// A BusyError reports that the site is overloaded or limits the rate of requests.
type BusyError = site.BusyError

// A Member is a member of a private leaderboard.
type Member = memberScore

// MembersOf returns the members of a private leaderboard in the site's JSON, best first.
func MembersOf(board json.RawMessage) ([]Member, error) { return membersOf(board) }

// YearOfBoard returns the year in the address of a private leaderboard, 0 if text has
// none.
func YearOfBoard(text string) int {
	board, _ := site.ParseBoard(text) // asking for the leaderboard will report the error
	return board.Year
}

// ParseSession parses a text that holds the site's session cookie: its value, or a file
// of tokens.
func ParseSession(text []byte) (Session, error) { return site.ParseSessionFile(text) }

// plainID matches ids of principals that can be used as names of folders.
var plainID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// User opens the folder of a principal. Only the local user, who runs the process,
// may use the session in the environment and in files of other programs.
func (c *Config) User(env host.Env, id string) *User {
	name := id
	if !plainID.MatchString(id) {
		sum := sha256.Sum256([]byte(id))
		name = "id-" + hex.EncodeToString(sum[:16])
	}
	return personal.Open(personal.Config{
		Dir: filepath.Join(c.dir(env), "personal", name), URL: env.Getenv("TRIPTYCH_AOC_URL"),
		Shared: id == host.Local().ID, Getenv: env.Getenv, Now: env.Now,
		Throttle: site.NewThrottle(throttlePath(env), c.Waiting),
	})
}

// throttlePath returns the file that all processes of the system user share.
func throttlePath(env host.Env) string {
	cache := env.Getenv("XDG_CACHE_HOME")
	if cache == "" {
		cache = filepath.Join(cmp.Or(env.Getenv("HOME"), env.Data), ".cache")
	}
	return filepath.Join(cache, "triptych", "aoc-throttle")
}
