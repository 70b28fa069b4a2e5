package site

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// A Session is the value of the site's session cookie. It prints as [redacted].
type Session struct{ value string }

// valid matches the characters of a session cookie. The site's are 96 to 128
// hexadecimal digits; the bounds below leave room for another encoding.
var valid = regexp.MustCompile(`^[0-9a-zA-Z_-]+$`)

const minCookie, maxCookie = 16, 512

// ParseSession parses a cookie's value. It accepts the forms that people copy from
// a browser, with "session=" before it and with white space around it, and that of
// files of tokens, with a comment behind it.
func ParseSession(text string) (Session, error) {
	value := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	value = strings.TrimPrefix(value, "session=")
	value, _, _ = strings.Cut(value, ";")
	value, _, _ = strings.Cut(value, "#")
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
	return atomicfile.Write(path, []byte(s.value+"\n"), 0o600)
}

// maxSessionFile limits the size of a file with a session, in bytes.
const maxSessionFile = 4096

// variables are the environment variables that hold a session: aocd's and
// aoc-cli's.
var variables = []string{"AOC_SESSION", "ADVENT_OF_CODE_SESSION"}

// files are the places below the home folder where aocd and aoc-cli keep a session.
var files = []string{
	".config/aocd/token", ".config/aocd/tokens.json", ".config/adventofcode.session", ".adventofcode.session",
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
	return ParseSessionFile(text)
}

// ParseSessionFile parses a file that holds a session: its first line that is neither
// empty nor a comment, or aocd's tokens.json, an object of tokens by the name of their
// user. Of several tokens, that of the name default is used.
func ParseSessionFile(text []byte) (Session, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return parseTokens(text)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return ParseSession(line)
		}
	}
	return ParseSession("")
}

func parseTokens(text []byte) (Session, error) {
	var tokens map[string]string
	if err := json.Unmarshal(text, &tokens); err != nil {
		return Session{}, errors.New("the file of tokens is no JSON object of strings")
	}
	if token, ok := tokens["default"]; ok {
		return ParseSession(token)
	}
	names := slices.Sorted(maps.Keys(tokens))
	if len(names) != 1 {
		return Session{}, fmt.Errorf("the file of tokens has %d users (%s): pipe the token of one into triptych aoc login", len(names), strings.Join(names, ", "))
	}
	return ParseSession(tokens[names[0]])
}
