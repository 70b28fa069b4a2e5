package aoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// MaxFileBytes is the maximum size of a file that is read.
const MaxFileBytes = 8 << 20

// A Book is the folder of the puzzles and speeds of one year, or of the
// documented files, which are not in a year's folder.
type Book struct {
	dir  string
	turn chan struct{} // holds a token while a goroutine writes speeds or waits for other processes
	year int           // 0 for files directly in dir, without a year

	mu    sync.Mutex
	years map[int]*Book        // by year; guarded by mu
	cache map[Day]cachedSpeeds // guarded by mu
}

// Open returns the book in a folder. If the folder is missing, the book has no
// days; the first record creates it.
func Open(dir string) *Book { return &Book{dir: dir, turn: make(chan struct{}, 1)} }

func (b *Book) instructions() string { return filepath.Join(b.dir, "instructions") }
func (b *Book) speeds() string       { return filepath.Join(b.dir, "speeds") }

// An Instruction is the text of a day's puzzle.
type Instruction struct {
	Day    Day
	Phase1 string
	Phase2 *string // nil if unknown
}

// Text returns the whole text as clients get it.
func (i Instruction) Text() string {
	if i.Phase2 == nil {
		return fmt.Sprintf("# Day %d\n\n%s", int(i.Day), i.Phase1)
	}
	return fmt.Sprintf("# Day %d\n\n## Phase 1\n%s\n\n## Phase 2\n%s", int(i.Day), i.Phase1, *i.Phase2)
}

// sources holds the files of one day, "" for missing ones.
type sources struct {
	phase1, phase2, json string // names of files in instructions/
	whole                string // path, below the book, of a file with both phases
}

// has reports whether there is a text. A second phase alone does not count.
func (s sources) has() bool { return s.phase1 != "" || s.json != "" || s.whole != "" }

// scan finds the files of all days.
func (b *Book) scan() (map[Day]sources, error) {
	found := map[Day]sources{}
	if err := b.scanFolders(found); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(b.instructions())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		day, part, ok := parseFileName(e.Name())
		if !ok || e.IsDir() {
			continue
		}
		s := found[day]
		switch part {
		case "_phase1.md":
			s.phase1 = e.Name()
		case "_phase2.md":
			s.phase2 = e.Name()
		case ".json":
			s.json = e.Name()
		}
		found[day] = s
	}
	maps.DeleteFunc(found, func(_ Day, s sources) bool { return !s.has() })
	return found, nil
}

// parseFileName splits a name into dayXX and the rest.
func parseFileName(name string) (day Day, part string, ok bool) {
	lower := strings.ToLower(name)
	rest, isDay := strings.CutPrefix(lower, "day")
	if !isDay || len(rest) < 2 {
		return 0, "", false
	}
	day, ok = parseDigits(rest[:2])
	part = rest[2:]
	return day, part, ok && slices.Contains([]string{"_phase1.md", "_phase2.md", ".json"}, part)
}

// Days returns the days that have a text, in ascending order.
func (b *Book) Days() ([]Day, error) {
	found, err := b.scan()
	return slices.Sorted(maps.Keys(found)), err
}

// A NoInstructionError reports a day without a text.
type NoInstructionError struct {
	Day Day
	Dir string
}

func (e *NoInstructionError) Error() string {
	return fmt.Sprintf("no instructions for day %d: Day%s_phase1.md or day%s.json is not in %s", int(e.Day), e.Day, e.Day, e.Dir)
}

// Instruction reads the text of a day, Markdown before JSON.
func (b *Book) Instruction(day Day) (Instruction, error) {
	found, err := b.scan()
	if err != nil {
		return Instruction{}, err
	}
	s, ok := found[day]
	switch {
	case !ok:
		return Instruction{}, &NoInstructionError{Day: day, Dir: filepath.Base(b.instructions())}
	case s.phase1 != "":
		return b.readMarkdown(day, s)
	case s.json != "":
		return b.readJSON(day, s.json)
	}
	return b.readWhole(day, s.whole)
}

func (b *Book) readMarkdown(day Day, s sources) (Instruction, error) {
	first, err := b.readText(inInstructions(s.phase1))
	i := Instruction{Day: day, Phase1: first}
	if err != nil || s.phase2 == "" {
		return i, err
	}
	second, err := b.readText(inInstructions(s.phase2))
	i.Phase2 = &second
	return i, err
}

// readJSON reads the older form of a day's text.
func (b *Book) readJSON(day Day, name string) (Instruction, error) {
	text, err := b.readText(inInstructions(name))
	if err != nil {
		return Instruction{}, err
	}
	var file struct {
		Day    *int    `json:"day"`
		Phase1 *string `json:"phase1"`
		Phase2 *string `json:"phase2"`
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return Instruction{}, fmt.Errorf("%s is no instruction file: %w", name, err)
	}
	if file.Phase1 == nil {
		return Instruction{}, fmt.Errorf("%s has no phase1", name)
	}
	if file.Day != nil && *file.Day != int(day) {
		return Instruction{}, fmt.Errorf("%s says it is for day %d", name, *file.Day)
	}
	i := Instruction{Day: day, Phase1: normalise(*file.Phase1)}
	if file.Phase2 != nil {
		second := normalise(*file.Phase2)
		i.Phase2 = &second
	}
	return i, nil
}

func inInstructions(name string) string { return filepath.Join("instructions", name) }

// readText reads a text file at a path below the book.
func (b *Book) readText(path string) (string, error) {
	data, err := readFile(filepath.Join(b.dir, path))
	if err != nil {
		return "", err
	}
	if !utf8.Valid(data) {
		return "", fmt.Errorf("%s is not UTF-8", filepath.Base(path))
	}
	return normalise(string(data)), nil
}

// normalise removes a byte-order mark and converts line ends to line feeds.
func normalise(text string) string {
	text = strings.TrimPrefix(text, "\ufeff")
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}

// readFile reads a regular file of at most MaxFileBytes. It does not follow
// symbolic links.
func readFile(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, withoutFolder(err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", filepath.Base(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, withoutFolder(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err != nil {
		return nil, withoutFolder(err)
	}
	if len(data) > MaxFileBytes {
		return nil, fmt.Errorf("%s is larger than %d bytes", filepath.Base(path), MaxFileBytes)
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), nil
}

// withoutFolder removes the folder from a file's error: clients must not learn it.
func withoutFolder(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", filepath.Base(pathErr.Path), pathErr.Err)
	}
	return err
}
