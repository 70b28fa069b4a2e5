package personal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// An Example is an example of a puzzle.
type Example struct {
	Part   int    `json:"part"`
	Data   string `json:"-"` // in a file of its own
	Answer string `json:"answer,omitempty"`
}

// A Puzzle is a downloaded puzzle.
type Puzzle struct {
	site.Puzzle `json:"-"`

	Title    string    `json:"title"`
	Fetched  time.Time `json:"fetched"`
	Answers  []string  `json:"answers,omitempty"` // accepted, by part
	Examples []Example `json:"examples,omitempty"`
	Parts    []string  `json:"-"` // Markdown, one or two
}

// IsSolved reports whether a part is solved.
func (p *Puzzle) IsSolved(part int) bool { return part <= p.solved() }

// solved returns the number of solved parts.
func (p *Puzzle) solved() int { return len(p.Answers) }

// refreshAfter is the age from which an unsolved puzzle may be downloaded again,
// because its first part may have been solved in a browser.
const refreshAfter = 15 * time.Minute

// isCurrent reports whether another download would bring nothing new. A puzzle whose
// second part is open and unsolved is current: the site would only add the answer.
func (p *Puzzle) isCurrent() bool { return len(p.Parts) > p.solved() || len(p.Parts) == 2 }

// Update is like Puzzle, but downloads a puzzle again if the calendar has more stars
// than the stored page: parts may have been solved in a browser.
func (f *Folder) Update(ctx context.Context, p site.Puzzle) (*Puzzle, error) {
	stored, err := f.Stored(p)
	if err != nil {
		return nil, err
	}
	if !f.isOutdated(stored) {
		return f.Puzzle(ctx, p)
	}
	stars, err := f.Stars(ctx, p.Year)
	if errors.Is(err, site.ErrNotFound) {
		return f.Puzzle(ctx, p)
	}
	if err != nil {
		return nil, err
	}
	if stars.ByDay[p.Day] <= stored.solved() {
		return f.Puzzle(ctx, p)
	}
	return f.Refresh(ctx, p)
}

// isOutdated reports whether more of a stored puzzle may be on the site by now.
func (f *Folder) isOutdated(stored *Puzzle) bool {
	return stored != nil && stored.solved() < 2 && f.cfg.Now().Sub(stored.Fetched) >= refreshAfter
}

// Refresh is like Puzzle, but downloads a puzzle again that is not solved and more
// than 15 minutes old.
func (f *Folder) Refresh(ctx context.Context, p site.Puzzle) (*Puzzle, error) {
	stored, err := f.Stored(p)
	if err != nil {
		return nil, err
	}
	if !f.isOutdated(stored) {
		return f.Puzzle(ctx, p)
	}
	unlock, err := f.lock(ctx, f.day(p))
	if err != nil {
		return nil, err
	}
	defer unlock()
	if now, err := f.Stored(p); err != nil || now != nil && now.Fetched.After(stored.Fetched) {
		return now, err // another process has downloaded it
	}
	return f.download(ctx, p)
}

// Puzzle returns a puzzle, from disk or else from the site.
func (f *Folder) Puzzle(ctx context.Context, p site.Puzzle) (*Puzzle, error) {
	if stored, err := f.Stored(p); err != nil || stored != nil && stored.isCurrent() {
		return stored, err
	}
	unlock, err := f.lock(ctx, f.day(p))
	if err != nil {
		return nil, err
	}
	defer unlock()
	stored, err := f.Stored(p) // another process may have downloaded it
	if err != nil || stored != nil && stored.isCurrent() {
		return stored, err
	}
	return f.download(ctx, p)
}

// download stores a puzzle's page. The day is locked.
func (f *Folder) download(ctx context.Context, p site.Puzzle) (*Puzzle, error) {
	client, err := f.client()
	if err != nil {
		return nil, err
	}
	stored, err := f.Stored(p)
	if err != nil {
		return nil, err
	}
	page, err := client.Page(ctx, p)
	if err != nil {
		return nil, err
	}
	puzzle := &Puzzle{Puzzle: p, Title: page.Title, Fetched: f.cfg.Now().UTC()}
	for i, part := range page.Parts {
		puzzle.Parts = append(puzzle.Parts, part.Markdown)
		if part.Answer != "" {
			puzzle.Answers = append(puzzle.Answers, part.Answer)
		}
		puzzle.Examples = append(puzzle.Examples, examplesOf(i+1, part)...)
	}
	puzzle.keep(stored)
	return puzzle, f.store(puzzle)
}

// keep takes over what an older page knew and the new one does not, such as that of
// another account.
func (p *Puzzle) keep(older *Puzzle) {
	if older == nil {
		return
	}
	if older.solved() > p.solved() {
		p.Answers = older.Answers
	}
	if len(older.Parts) > len(p.Parts) {
		p.Parts, p.Examples = older.Parts, older.Examples
	}
}

// examplesOf returns the examples of a part. Like aocd, it takes the recognized
// answer for that of the first block; a part without blocks uses those before it.
func examplesOf(n int, part site.Part) []Example {
	var all []Example
	for _, data := range part.Examples {
		all = append(all, Example{Part: n, Data: data})
	}
	if len(all) == 0 && part.ExampleAnswer != "" {
		return []Example{{Part: n, Answer: part.ExampleAnswer}}
	}
	if len(all) > 0 {
		all[0].Answer = part.ExampleAnswer
	}
	return all
}

// store writes a puzzle, its description last: without that it does not exist.
func (f *Folder) store(p *Puzzle) error {
	dir := f.day(p.Puzzle)
	for i, text := range p.Parts {
		if err := atomicfile.Write(filepath.Join(dir, fmt.Sprintf("part%d.md", i+1)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	for i, e := range p.Examples {
		if err := atomicfile.Write(examplePath(dir, i), []byte(e.Data), 0o600); err != nil {
			return err
		}
	}
	return writeJSON(filepath.Join(dir, "puzzle.json"), p)
}

func examplePath(dir string, i int) string {
	return filepath.Join(dir, fmt.Sprintf("example%d.txt", i+1))
}

// Stored returns a puzzle from disk, or nil if it was not downloaded.
func (f *Folder) Stored(p site.Puzzle) (*Puzzle, error) {
	dir := f.day(p)
	puzzle := &Puzzle{Puzzle: p}
	if ok, err := readJSON(filepath.Join(dir, "puzzle.json"), puzzle); err != nil || !ok {
		return nil, err
	}
	for i := range 2 {
		text, err := read(filepath.Join(dir, fmt.Sprintf("part%d.md", i+1)))
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		puzzle.Parts = append(puzzle.Parts, string(text))
	}
	for i := range puzzle.Examples {
		data, err := read(examplePath(dir, i))
		if err != nil {
			return nil, err
		}
		puzzle.Examples[i].Data = string(data)
	}
	return puzzle, f.addAccepted(puzzle)
}

// addAccepted adds the answers that the site has accepted and the stored page lacks.
func (f *Folder) addAccepted(p *Puzzle) error {
	known, err := f.Guesses(p.Puzzle)
	for _, g := range known {
		if g.Part == p.solved()+1 && g.Outcome.Accepted() {
			p.Answers = append(p.Answers, g.Answer)
		}
	}
	return err
}

// Days returns the days of a year that were downloaded, ascending.
func (f *Folder) Days(year int) ([]int, error) {
	var days []int
	for day := 1; day <= 25; day++ {
		_, err := os.Lstat(filepath.Join(f.day(site.Puzzle{Year: year, Day: day}), "puzzle.json"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err == nil {
			days = append(days, day)
		}
	}
	return days, nil
}

// Years returns the years of which puzzles were downloaded, ascending.
func (f *Folder) Years() ([]int, error) {
	entries, err := os.ReadDir(f.cfg.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var years []int
	for _, e := range entries {
		year, err := strconv.Atoi(e.Name())
		if err != nil || !e.IsDir() || len(e.Name()) != 4 {
			continue
		}
		days, err := f.Days(year)
		if err != nil {
			return nil, err
		}
		if len(days) > 0 {
			years = append(years, year)
		}
	}
	return years, err
}

// Input returns the user's input, from disk or else from the site.
func (f *Folder) Input(ctx context.Context, p site.Puzzle) (string, error) {
	path := filepath.Join(f.day(p), "input.txt")
	if data, err := read(path); !errors.Is(err, fs.ErrNotExist) {
		return string(data), err
	}
	unlock, err := f.lock(ctx, f.day(p))
	if err != nil {
		return "", err
	}
	defer unlock()
	if data, err := read(path); !errors.Is(err, fs.ErrNotExist) {
		return string(data), err
	}
	client, err := f.client()
	if err != nil {
		return "", err
	}
	data, err := client.Input(ctx, p)
	if err != nil {
		return "", err
	}
	return string(data), atomicfile.Write(path, data, 0o600)
}

// StoredInput returns the input from disk and reports whether it was downloaded.
func (f *Folder) StoredInput(p site.Puzzle) (string, bool, error) {
	data, err := read(filepath.Join(f.day(p), "input.txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(data), err == nil, err
}
