package bugs

import (
	"log/slog"
	"runtime"
	"time"
)

// A Config sets what a Finder may read, and its limits. The zero value is ready
// to use.
type Config struct {
	// Roots lists the folders that searches may read, with links resolved. If
	// it is empty, searches may read everything.
	Roots []string

	// Workers is the number of files read concurrently; 0 means one per
	// processor.
	Workers int

	// MaxFiles limits the number of files of a tree; 0 means 200,000.
	MaxFiles int

	// MaxFileBytes limits the size of a file; larger ones are skipped. 0
	// means 1 MiB.
	MaxFileBytes int64

	// MaxMemory limits the approximate memory of all cached trees in bytes; 0
	// means 512 MiB. The least recently used trees are evicted first.
	MaxMemory int64

	// Index is the folder in which the analysis of trees is stored, so that a
	// restart does not read them again. It is created if need be. If it is
	// empty, nothing is stored.
	Index string

	// MaxIndex limits the size of the files in Index; 0 means 1 GiB. The least
	// recently used ones are removed.
	MaxIndex int64

	// MaxScan limits the time for reading files, after which a search uses
	// the files read so far, and that of matching a template, after which the
	// report is of the files searched so far; 0 means two minutes.
	MaxScan time.Duration

	// Logger receives a record of each search at debug level; nil disables
	// logging.
	Logger *slog.Logger
}

// withDefaults returns c with defaults in place of zero values.
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
	if c.MaxIndex <= 0 {
		c.MaxIndex = 1 << 30
	}
	if c.MaxScan <= 0 {
		c.MaxScan = 2 * time.Minute
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}
