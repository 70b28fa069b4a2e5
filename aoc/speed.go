package aoc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"path/filepath"
	"time"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// A Speed is an entry: the time that an LLM took for a phase of a puzzle.
type Speed struct {
	LLM       string
	Phase     Phase
	SpeedMS   int64 // milliseconds, 0 or more
	Timestamp time.Time
	Details   Details
}

// Record adds an entry to the file of its day. It returns the mean of all entries
// of that LLM and kind for that day and phase, including the new one, truncated to
// milliseconds. When it returns nil, the entry is on disk.
func (b *Book) Record(ctx context.Context, day Day, s Speed) (mean int64, err error) {
	if err := checkName(s.LLM); err != nil {
		return 0, err
	}
	unlock, err := b.lockForChange(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	file, err := b.readSpeeds(day)
	if err != nil {
		return 0, err
	}
	file.entries = append([]entry{{Speed: s, extra: s.Details.members()}}, file.entries...)
	if err := b.writeSpeeds(day, file); err != nil {
		return 0, err
	}
	return meanOf(file.speeds(), s), nil
}

func (b *Book) speedPath(day Day) string {
	return filepath.Join(b.speeds(), "day"+day.String()+".json")
}

// Speeds returns the entries of a day, newest first.
func (b *Book) Speeds(day Day) ([]Speed, error) {
	file, err := b.readSpeeds(day)
	if err != nil || len(file.entries) == 0 {
		return nil, err
	}
	return file.speeds(), nil
}

func (f speedFile) speeds() []Speed {
	speeds := make([]Speed, len(f.entries))
	for i, e := range f.entries {
		speeds[i] = e.Speed
	}
	return speeds
}

// readSpeeds reads the file of a day; a missing file has no entries.
func (b *Book) readSpeeds(day Day) (speedFile, error) {
	path := b.speedPath(day)
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return speedFile{}, nil
	}
	if err != nil {
		return speedFile{}, err
	}
	file, err := parseSpeeds(data)
	if err != nil {
		return speedFile{}, fmt.Errorf("%s cannot be read and is left as it is: %w; correct the file or move it away", filepath.Base(path), err)
	}
	return file, nil
}

// writeSpeeds replaces the file of a day: after a crash it has the old content or
// the new one. The caller must hold the lock.
func (b *Book) writeSpeeds(day Day, file speedFile) error {
	data, err := file.render(day)
	if err != nil {
		return err
	}
	return withoutFolder(atomicfile.Write(b.speedPath(day), data, 0o644))
}

// meanOf returns the mean of the entries of the LLM, phase and kind of one of them,
// truncated to milliseconds. The sum has 128 bits, since it may exceed an int64.
func meanOf(speeds []Speed, of Speed) int64 {
	var high, low, n uint64
	for _, s := range speeds {
		if s.LLM != of.LLM || s.Phase != of.Phase || s.Details.RunKind() != of.Details.RunKind() || s.SpeedMS < 0 {
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
