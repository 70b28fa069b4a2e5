package bugs

import (
	"log/slog"
	"runtime"
	"time"
)

// A Config sets what a Finder may read and cost. The zero value is ready to use.
type Config struct {
	// Roots are the folders that searches may read below of, with links
	// resolved; empty means everywhere.
	Roots []string

	// Workers is the number of files read at a time; 0 means one per processor.
	Workers int

	// MaxFiles is the most files of a tree that are read; 0 means 200,000.
	MaxFiles int

	// MaxFileBytes is the size from which on a file is left out; 0 means 1 MiB.
	MaxFileBytes int64

	// MaxMemory is about how many bytes all that is kept may take; 0 means
	// 512 MiB. The trees that were searched longest ago go first.
	MaxMemory int64

	// MaxScan is the time that a search may read files before it answers from those
	// it read; 0 means two minutes.
	MaxScan time.Duration

	// Logger receives a record of each search at the debug level; nil means none.
	Logger *slog.Logger
}

// withDefaults is c with a value in every field.
func (c Config) withDefaults() Config {
	if c.Workers <= 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.MaxFiles <= 0 {
		c.MaxFiles = 200_000
	}
	if c.MaxFileBytes <= 0 {
		c.MaxFileBytes = 1 << 20
	}
	if c.MaxMemory <= 0 {
		c.MaxMemory = 512 << 20
	}
	if c.MaxScan <= 0 {
		c.MaxScan = 2 * time.Minute
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
