package document

import (
	"context"
	"sync"
	"time"
)

// A PreloadRequest names documents that will be needed.
type PreloadRequest struct {
	// Paths are paths below the roots, or patterns of them: * and ? and […] stand
	// for parts of a name as in path.Match, ** for any number of directories.
	Paths []string
}

// MaxPreload limits the documents that one request may name, or find with patterns.
const MaxPreload = 100_000

// A PreloadReport tells how it went with one document.
type PreloadReport struct {
	Path   string // as named, or as a pattern found it
	Bytes  int64  // of memory that its tree takes, as estimated
	Took   time.Duration
	Cached bool  // it was there already
	Err    error // nil when it is in memory now
}

// Preload loads documents into the cache, several at a time. One that cannot be
// loaded does not stop the others. The reports are in the order of the request;
// a pattern that finds nothing has a report that says so. Progress, which may be
// nil, is called after each document from the caller's goroutine.
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

// message says for people how it went.
func (r PreloadReport) message() string {
	switch {
	case r.Err != nil:
		return r.Path + ": " + r.Err.Error()
	case r.Cached:
		return r.Path + ": already in memory"
	}
	return r.Path + ": loaded"
}

// preloadAll fills in the reports. The channel gives the index of each that is
// done, and is closed after the last.
func (l *Library) preloadAll(ctx context.Context, reports []PreloadReport) <-chan int {
	todo := make(chan int, len(reports))
	for i := range reports {
		todo <- i
	}
	close(todo)
	finished := make(chan int, len(reports))
	var wg sync.WaitGroup
	for range max(1, l.config.Workers/2) { // the others stay free for queries
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

// A loaded describes a preloaded document: its size, and whether it was in the cache.
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
