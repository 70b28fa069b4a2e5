package document

import (
	"fmt"
	"runtime"
	"time"
)

// A Config sets what a [Library] may read, and its limits. Zero fields have their
// defaults.
type Config struct {
	// Roots lists the directories that may be read. If it is empty, only
	// inline documents can be used.
	Roots []string
	// CacheBytes limits the memory of parsed documents and compiled schemas
	// that are cached between requests; 256 MiB. A negative value disables
	// the cache.
	CacheBytes int64
	// MaxDocument limits the size of a document or schema in bytes; 32 MiB.
	MaxDocument int64
	// MaxMemory limits the memory of all trees in use at the same time in
	// bytes; 1 GiB.
	MaxMemory int64
	// MaxDepth limits the nesting of elements; 256.
	MaxDepth int
	// MaxAttributes limits the attributes of one element; 2048.
	MaxAttributes int
	// MaxAnswer limits the bytes of values and markup in one answer to a
	// query; 4 MiB.
	MaxAnswer int
	// QueryMemory limits the memory for evaluating a query in bytes; 512 MiB.
	// It is measured by the growth of the whole heap beyond MaxMemory and
	// CacheBytes, so it is a safeguard and not exact.
	QueryMemory int64
	// MaxTime limits the processor time of a request; 30 s. For Preload it
	// applies to each document. On systems other than Linux, where the
	// processor time of a thread is not available, it limits the time by the
	// clock.
	MaxTime time.Duration
	// Workers limits the number of concurrent requests; twice the processors,
	// at least 4.
	Workers int
}

// defaultTime is the default of Config.MaxTime. By the clock a request may take maxWait
// times MaxTime, and at least minWait: on a busy machine, or waiting for the memory that
// others use. A MaxTime above longestTime does not extend that.
const (
	defaultTime = 30 * time.Second
	maxWait     = 10
	minWait     = time.Minute
	longestTime = 30 * 24 * time.Hour
)

// Patience returns how long a request may take by the clock.
func (c Config) Patience() time.Duration {
	setDefault(&c.MaxTime, defaultTime)
	return max(minWait, maxWait*min(c.MaxTime, longestTime))
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// withDefaults returns c with defaults in place of zero fields.
func (c Config) withDefaults() (Config, error) {
	setDefault(&c.CacheBytes, 256*mib)
	setDefault(&c.MaxDocument, 32*mib)
	setDefault(&c.MaxMemory, gib)
	setDefault(&c.MaxDepth, 256)
	setDefault(&c.MaxAttributes, 2048)
	setDefault(&c.MaxAnswer, 4*mib)
	setDefault(&c.QueryMemory, 512*mib)
	setDefault(&c.MaxTime, defaultTime)
	setDefault(&c.Workers, max(4, 2*runtime.GOMAXPROCS(0)))
	c.CacheBytes = max(c.CacheBytes, 0)
	if c.MaxDocument < 0 || c.MaxMemory < 0 || c.MaxDepth < 0 || c.MaxAttributes < 0 ||
		c.MaxAnswer < 0 || c.QueryMemory < 0 || c.MaxTime < 0 || c.Workers < 0 {
		return c, fmt.Errorf("document limits must not be negative: %+v", c)
	}
	return c, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
