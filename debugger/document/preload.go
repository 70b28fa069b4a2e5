package document

import (
	"context"
	"sync"
	"time"
)

// A PreloadRequest lists documents to load into the cache.
type PreloadRequest struct {
	// Paths holds paths below the roots, or patterns: *, ? and […] match
	// within a name as in path.Match, ** matches any number of directories.
	Paths []string
}

// MaxPreload limits the documents that one request may name, or find with patterns.
const MaxPreload = 100_000

// A PreloadReport is the result for one document.
type PreloadReport struct {
	Path   string // as given, or as found by a pattern
	Bytes  int64  // estimated memory of its tree
	Took   time.Duration
	Cached bool  // it was already in the cache
	Err    error // nil if it is in the cache
}

// Preload loads documents into the cache, several at a time. It continues after a
// document that cannot be loaded. The reports have the order of the request; a
// pattern without matches has a report with an error. If progress is not nil, it
// is called after each document from the caller's goroutine.
func (l *Library) Preload(ctx context.Context, req PreloadRequest, progress func(done, total int, message string)) ([]PreloadReport, error) {
	reports, err := l.expand(ctx, req.Paths)
	if err != nil {
		return nil, err
	}
	finished := l.preloadAll(ctx, reports)
	done := 0
	for i := range finished {
		done++
		if progress != nil {
			progress(done, len(reports), reports[i].message())
		}
	}
	return reports, nil
}

// message describes the result for users.
func (r PreloadReport) message() string {
	switch {
	case r.Err != nil:
		return r.Path + ": " + r.Err.Error()
	case r.Cached:
		return r.Path + ": already in memory"
	}
	return r.Path + ": loaded"
}

// preloadAll fills in the reports. The channel receives the index of each
// finished report and is closed after the last.
func (l *Library) preloadAll(ctx context.Context, reports []PreloadReport) <-chan int {
	todo := make(chan int, len(reports))
	for i := range reports {
		todo <- i
	}
	close(todo)
	finished := make(chan int, len(reports))
	var wg sync.WaitGroup
	for range max(1, l.config.Workers/2) { // leaves the other workers for queries
		wg.Go(func() {
			for i := range todo {
				l.preload(ctx, &reports[i])
				finished <- i
			}
		})
	}
	go func() {
		wg.Wait()
		close(finished)
	}()
	return finished
}

// preload loads one document.
func (l *Library) preload(ctx context.Context, report *PreloadReport) {
	if report.Err != nil {
		return
	}
	if report.Err = ctx.Err(); report.Err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, l.config.Patience())
	defer cancel()
	start := time.Now()
	doc, err := work(ctx, l.crew, "loading "+report.Path, func(ctx context.Context) (loaded, error) {
		return l.load(ctx, report.Path)
	})
	report.Took, report.Err = time.Since(start), err
	report.Bytes, report.Cached = doc.bytes, doc.cached
}

// A loaded describes a preloaded document: its size, and whether it was cached
// before.
type loaded struct {
	bytes  int64
	cached bool
}

func (l *Library) load(ctx context.Context, path string) (loaded, error) {
	rent := &lease{from: l.memory}
	defer rent.end()
	doc, err := l.document(ctx, path, rent)
	if err != nil {
		return loaded{}, err
	}
	return loaded{doc.bytes, doc.cached}, nil
}
