package personal

import (
	"context"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/site"
)

// A clock times one part of a puzzle from the reading of its text to the accepted
// answer.
type clock struct {
	// Run identifies the session that reads the text: another session restarts it.
	Run      string    `json:"run,omitempty"`
	Began    time.Time `json:"began"`
	Solved   time.Time `json:"solved,omitzero"`
	Recorded bool      `json:"recorded,omitempty"`
}

// clocks is the file of a day's clocks, by part.
type clocks struct {
	Parts map[int]clock `json:"parts"`
}

func (f *Folder) clockPath(p site.Puzzle) string { return filepath.Join(f.day(p), "clock.json") }

// changeClocks reads the clocks of a puzzle, and writes them if change returns true.
func (f *Folder) changeClocks(ctx context.Context, p site.Puzzle, change func(map[int]clock) bool) error {
	unlock, err := f.lock(ctx, f.day(p))
	if err != nil {
		return err
	}
	defer unlock()
	file := clocks{}
	if _, err := readJSON(f.clockPath(p), &file); err != nil {
		return err
	}
	if file.Parts == nil {
		file.Parts = map[int]clock{}
	}
	if !change(file.Parts) {
		return nil
	}
	return writeJSON(f.clockPath(p), file)
}

// StartClocks starts the clocks of the parts of a puzzle that a session has been
// shown. A running clock of the same session and one whose time was not recorded yet
// go on.
func (f *Folder) StartClocks(ctx context.Context, p site.Puzzle, parts int, run string) error {
	return f.changeClocks(ctx, p, func(all map[int]clock) (changed bool) {
		for part := 1; part <= parts; part++ {
			c, ok := all[part]
			running := ok && c.Solved.IsZero()
			if running && c.Run == run || ok && !running && !c.Recorded && c.Run == run {
				continue
			}
			all[part] = clock{Run: run, Began: f.cfg.Now().UTC()}
			changed = true
		}
		return changed
	})
}

// StopClock stops the clock of a part whose answer was accepted, and returns its time.
// It is 0 if no clock has been started. The clock of the second part starts with the
// answer to the first, until its text is read.
func (f *Folder) StopClock(ctx context.Context, p site.Puzzle, part int) (took time.Duration, err error) {
	err = f.changeClocks(ctx, p, func(all map[int]clock) bool {
		c, ok := all[part]
		if !ok {
			return false
		}
		if !c.Solved.IsZero() {
			took = c.Solved.Sub(c.Began)
			return false
		}
		c.Solved = f.cfg.Now().UTC()
		took = c.Solved.Sub(c.Began)
		all[part] = c
		if _, ok := all[2]; part == 1 && !ok {
			all[2] = clock{Run: answered, Began: c.Solved}
		}
		return true
	})
	return max(took, 0), err
}

// answered is the run of a clock that the answer to part one has started: reading the
// text of part two restarts it.
const answered = "answered"

// TakeTime returns the time of a stopped clock that was not taken before, 0 if there is
// none.
func (f *Folder) TakeTime(ctx context.Context, p site.Puzzle, part int) (took time.Duration, err error) {
	if !f.HasClock(p, part) {
		return 0, nil
	}
	err = f.changeClocks(ctx, p, func(all map[int]clock) bool {
		c := all[part]
		if c.Solved.IsZero() || c.Recorded {
			return false
		}
		took, c.Recorded = max(c.Solved.Sub(c.Began), time.Millisecond), true
		all[part] = c
		return true
	})
	return took, err
}

// HasClock reports whether the clock of a part was started.
func (f *Folder) HasClock(p site.Puzzle, part int) bool {
	file := clocks{}
	ok, err := readJSON(f.clockPath(p), &file)
	_, started := file.Parts[part]
	return ok && err == nil && started
}
