package site

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/triptych-mcp/triptych/aoc/internal/atomicfile"
)

// A Session is the value of the site's session cookie. It prints as [redacted].
type Session struct{ value string }

// valid matches the characters of a session cookie. The site's are 96 to 128
// hexadecimal digits; the bounds below leave room for another encoding.
var valid = regexp.MustCompile(`^[0-9a-zA-Z_-]+$`)

const minCookie, maxCookie = 16, 512

// ParseSession parses a cookie's value. It accepts the forms that people copy from
// a browser: with "session=" before it, and with white space around it.
func ParseSession(text string) (Session, error) {
	value := strings.TrimSpace(text)
	value = strings.TrimPrefix(value, "session=")
	value, _, _ = strings.Cut(value, ";")
	value = strings.TrimSpace(value)
	if len(value) < minCookie || len(value) > maxCookie || !valid.MatchString(value) {
		return Session{}, errors.New("this is not a session cookie: copy the value of the cookie named session from your browser")
	}
	return Session{value}, nil
}

// IsZero reports whether there is no session.
func (s Session) IsZero() bool { return s.value == "" }

// String implements [fmt.Stringer] without revealing the value.
func (s Session) String() string { return "[redacted]" }

// GoString implements [fmt.GoStringer] without revealing the value.
func (s Session) GoString() string { return "site.Session([redacted])" }

// LogValue implements [slog.LogValuer] without revealing the value.
func (s Session) LogValue() slog.Value { return slog.StringValue("[redacted]") }

// MarshalText implements [encoding.TextMarshaler] without revealing the value.
func (s Session) MarshalText() ([]byte, error) { return []byte("[redacted]"), nil }

// Save writes the session to a new file with mode 0600 in place of an old one.
// [FindSession] reads it.
func (s Session) Save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // an old file may have another mode
	}
	return atomicfile.Replace(path, []byte(s.value+"\n"), 0o600)
}

// maxSessionFile limits the size of a file with a session, in bytes.
const maxSessionFile = 4096

// variables are the environment variables that hold a session: aocd's and
// aoc-cli's.
var variables = []string{"AOC_SESSION", "ADVENT_OF_CODE_SESSION"}

// files are the places below the home folder where aocd and aoc-cli keep a session.
var files = []string{
	".config/aocd/token", ".config/adventofcode.session", ".adventofcode.session",
}

// FindSession returns the user's session and where it was found: in own, a file
// that [Session.Save] wrote; in an environment variable; or in a file of aocd or
// aoc-cli. It returns the zero Session if there is none, and an error if one is
// malformed or cannot be read.
func FindSession(own string, getenv func(string) string) (Session, string, error) {
	if s, err := readSession(own); !errors.Is(err, fs.ErrNotExist) {
		return s, own, err
	}
	for _, name := range variables {
		if text := getenv(name); text != "" {
			s, err := ParseSession(text)
			return s, name, err
		}
	}
	var paths []string
	if home := getenv("HOME"); home != "" {
		for _, file := range files {
			paths = append(paths, filepath.Join(home, filepath.FromSlash(file)))
		}
	}
	for _, path := range paths {
		s, err := readSession(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return s, path, err
	}
	return Session{}, "", nil
}

func readSession(path string) (Session, error) {
	f, err := os.Open(path)
	if err != nil {
		return Session{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxSessionFile))
	if err != nil {
		return Session{}, err
	}
	return ParseSession(string(text))
}
