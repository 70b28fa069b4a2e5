package aoc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/aoc/internal/atomicfile"
)

// A Speed is one entry: how long an LLM took for a half of a puzzle.
type Speed struct {
	LLM       string
	Phase     Phase
	SpeedMS   int64 // milliseconds, 0 or more
	Timestamp time.Time
}

// stampLayout is how a file has its times: UTC with milliseconds.
const stampLayout = "2006-01-02T15:04:05.000Z"

// speedFile is the file of a day as it is written.
type speedFile struct {
	Day     int         `json:"day"`
	Entries []speedItem `json:"entries"`
}

// speedItem is an entry in a file. OldMS is how the original server spells
// the speed; it is read and never written.
type speedItem struct {
	LLM       string `json:"llm"`
	Phase     int    `json:"phase"`
	MS        *int64 `json:"speedMs"`
	OldMS     *int64 `json:"speed_ms,omitempty"`
	Timestamp string `json:"timestamp"`
}

// Record adds an entry to the file of its day and returns the mean over all
// entries of that LLM for that day and phase, the new one included, cut to
// whole milliseconds. When it returns without an error, the entry is on disk.
func (b *Book) Record(ctx context.Context, day Day, s Speed) (mean int64, err error) {
	if err := os.MkdirAll(b.speeds(), 0o755); err != nil {
		return 0, plain(err)
	}
	unlock, err := b.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	entries, err := b.Speeds(day)
	if err != nil {
		return 0, err
	}
	entries = append([]Speed{s}, entries...)
	if err := b.write(day, entries); err != nil {
		return 0, err
	}
	return meanOf(entries, s.LLM, s.Phase), nil
}

func (b *Book) speedPath(day Day) string {
	return filepath.Join(b.speeds(), "day"+day.String()+".json")
}

// Speeds are the entries of a day, newest first.
func (b *Book) Speeds(day Day) ([]Speed, error) {
	path := b.speedPath(day)
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var file speedFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s cannot be read and is left as it is: %w", filepath.Base(path), err)
	}
	speeds := make([]Speed, len(file.Entries))
	for i, item := range file.Entries {
		if speeds[i], err = item.speed(); err != nil {
			return nil, fmt.Errorf("%s cannot be read and is left as it is: entry %d: %w", filepath.Base(path), i+1, err)
		}
	}
	return speeds, nil
}

func (i speedItem) speed() (Speed, error) {
	ms := i.MS
	if ms == nil {
		ms = i.OldMS
	}
	if ms == nil {
		return Speed{}, errors.New("speedMs is missing")
	}
	at, err := time.Parse(time.RFC3339, i.Timestamp)
	if at = at.UTC(); err == nil && (at.Year() < 0 || at.Year() > 9999) {
		return Speed{}, errors.New("timestamp has no year of four digits in UTC") // it could not be written
	}
	return Speed{LLM: i.LLM, Phase: Phase(i.Phase), SpeedMS: *ms, Timestamp: at}, err
}

// render is the file of a day: two spaces, a member a line, newest first.
func render(day Day, speeds []Speed) ([]byte, error) {
	file := speedFile{Day: int(day), Entries: make([]speedItem, len(speeds))}
	for i, s := range speeds {
		file.Entries[i] = speedItem{
			LLM: s.LLM, Phase: int(s.Phase), MS: &s.SpeedMS, Timestamp: s.Timestamp.UTC().Format(stampLayout),
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(file)
	return b.Bytes(), err
}

// write replaces the file of a day as a whole: a crash leaves the old one or
// the new one. The lock is held.
func (b *Book) write(day Day, speeds []Speed) error {
	data, err := render(day, speeds)
	if err != nil {
		return err
	}
	return plain(atomicfile.Replace(b.speedPath(day), data, 0o644))
}

// meanOf is the mean of one LLM's entries for a phase, cut to whole
// milliseconds. The sum has 128 bits: it may be more than an int64 holds.
func meanOf(speeds []Speed, llm string, phase Phase) int64 {
	var high, low, n uint64
	for _, s := range speeds {
		if s.LLM != llm || s.Phase != phase || s.SpeedMS < 0 {
			continue
		}
		var carry uint64
		low, carry = bits.Add64(low, uint64(s.SpeedMS), 0)
		high += carry
		n++
	}
	if n == 0 {
		return 0
	}
	mean, _ := bits.Div64(high, low, n)
	return int64(mean)
}
