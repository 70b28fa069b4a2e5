package aoc

import (
	"io/fs"
	"os"
	"time"
)

// settled is the age above which a file's modification time is reliable: a change
// right after a read could be hidden by a coarse clock of the file system.
const settled = 2 * time.Second

// A cachedSpeeds holds the entries of a day's file at the time of reading.
type cachedSpeeds struct {
	modified time.Time
	size     int64
	speeds   []Speed
}

// speedsCached is like [Book.Speeds], but reads an unchanged file only once. The
// caller must not modify the result.
func (b *Book) speedsCached(day Day) ([]Speed, error) {
	info, err := os.Lstat(b.speedPath(day))
	if err != nil {
		return b.Speeds(day) // returns the error
	}
	b.mu.Lock()
	cached, ok := b.cache[day]
	b.mu.Unlock()
	if ok && cached.modified.Equal(info.ModTime()) && cached.size == info.Size() {
		return cached.speeds, nil
	}
	speeds, err := b.Speeds(day)
	if err == nil && time.Since(info.ModTime()) > settled && isSame(b.speedPath(day), info) {
		b.mu.Lock()
		if b.cache == nil {
			b.cache = map[Day]cachedSpeeds{}
		}
		b.cache[day] = cachedSpeeds{info.ModTime(), info.Size(), speeds}
		b.mu.Unlock()
	}
	return speeds, err
}

// isSame reports whether a file is still the one that info describes.
func isSame(path string, info fs.FileInfo) bool {
	now, err := os.Lstat(path)
	return err == nil && os.SameFile(now, info) && now.ModTime().Equal(info.ModTime()) && now.Size() == info.Size()
}
