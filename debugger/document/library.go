package document

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/triptych-mcp/triptych/mcp/filestamp"
)

// A Library queries and validates the XML documents below its roots.
type Library struct {
	config Config
	roots  roots
	cache  *cache
	crew   *crew
	memory *semaphore.Weighted // limits trees in use to Config.MaxMemory
	engine engine
	// streamFrom is the constant of that name, but for tests.
	streamFrom int64
}

// Open opens a library. It logs a warning for abandoned work.
func Open(config Config, log *slog.Logger) (*Library, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	opened, err := openRoots(config.Roots)
	if err != nil {
		return nil, err
	}
	return &Library{
		config: config,
		roots:  opened,
		cache:  newCache(config.CacheBytes),
		crew:   newCrew(config.Workers, config.MaxTime, config.QueryMemory+config.MaxMemory+config.CacheBytes, log.With("component", "document")),
		memory: semaphore.NewWeighted(config.MaxMemory),
		engine: newHelium(config),

		streamFrom: streamFrom,
	}, nil
}

// Close closes the roots and drops the cache. All requests must have returned.
func (l *Library) Close() error {
	l.cache.clear()
	return l.roots.close()
}

// A version identifies the state of a file at one time.
type version struct {
	path   string
	stamp  filestamp.Stamp
	digest [32]byte
	seen   time.Time // time of reading
	absent bool      // the file did not exist; the other fields are zero
}

// A parsed document is a tree with its memory use.
type parsed struct {
	name   string
	tree   tree
	bytes  int64
	cached bool // it, or its text, was in the cache
}

// A compact document is a small document whose text is cached. Its tree would
// take many times the memory, and is parsed for each request in less than a
// millisecond.
type compact struct {
	src  *source
	seen *survey
}

const (
	// maxCompact is the maximum size of a text that is cached as text, in
	// bytes.
	maxCompact = 16 * kib
	// compactCost is the memory of a compact document in addition to its
	// text.
	compactCost = kib
)

// A lease is the memory that a request holds for its trees until it ends.
type lease struct {
	from *semaphore.Weighted
	held int64
}

// take waits until bytes are available.
func (l *lease) take(ctx context.Context, bytes int64) error {
	if err := l.from.Acquire(ctx, bytes); err != nil {
		return err
	}
	l.held += bytes
	return nil
}

// try takes bytes if they are available now.
func (l *lease) try(bytes int64) bool {
	if !l.from.TryAcquire(bytes) {
		return false
	}
	l.held += bytes
	return true
}

// end returns all bytes.
func (l *lease) end() {
	l.from.Release(l.held)
	l.held = 0
}

// document returns the document for an argument, inline XML or a path, from the
// cache or parsed now.
func (l *Library) document(ctx context.Context, argument string, rent *lease) (*parsed, error) {
	if isInline(argument) {
		src, err := l.inline(argument)
		if err != nil {
			return nil, err
		}
		return l.parse(ctx, src, rent)
	}
	var made *parsed // the document, if this call parsed it
	found, err := l.find(ctx, documentKind, argument, func(ctx context.Context, src *source) (*entry, error) {
		src.uri = l.roots.hide(src.name)
		seen, err := look(src.name, src.text, l.config)
		if err != nil {
			return nil, err
		}
		if made, err = l.build(ctx, src, seen, rent); err != nil {
			return nil, err
		}
		return cacheable(made, src, seen), nil
	})
	switch {
	case err != nil:
		return nil, err
	case made != nil:
		made.bytes = found.bytes
		return made, nil
	}
	return l.fromCache(ctx, found, rent)
}

// cacheable returns the cache entry for a document.
func cacheable(doc *parsed, src *source, seen *survey) *entry {
	if len(src.text) > maxCompact {
		return &entry{value: doc, bytes: doc.bytes}
	}
	return &entry{value: &compact{src, seen}, bytes: int64(cap(src.text)+8*cap(seen.starts)) + compactCost}
}

// fromCache returns the document of a cache entry.
func (l *Library) fromCache(ctx context.Context, e *entry, rent *lease) (*parsed, error) {
	if small, ok := e.value.(*compact); ok {
		doc, err := l.build(ctx, small.src, small.seen, rent)
		if err != nil {
			return nil, err
		}
		doc.bytes, doc.cached = e.bytes, true
		return doc, nil
	}
	doc := *e.value.(*parsed)
	doc.cached = true
	return &doc, nil
}

// parse surveys a text and makes its tree.
func (l *Library) parse(ctx context.Context, src *source, rent *lease) (*parsed, error) {
	seen, err := look(src.name, src.text, l.config)
	if err != nil {
		return nil, err
	}
	return l.build(ctx, src, seen, rent)
}

// build waits for the memory of a tree and parses it.
func (l *Library) build(ctx context.Context, src *source, seen *survey, rent *lease) (*parsed, error) {
	need := seen.memory()
	if err := rent.take(ctx, need); err != nil {
		return nil, err
	}
	made, err := l.engine.parse(ctx, src, seen)
	if err != nil {
		return nil, err
	}
	return &parsed{name: src.name, tree: made, bytes: need}, nil
}

// find returns the entry for a path from the cache, or loads it.
func (l *Library) find(ctx context.Context, kind kind, path string, load func(context.Context, *source) (*entry, error)) (*entry, error) {
	file, addr, err := l.roots.open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // errors do not matter, it was only read
	k := key{kind, addr.name()}
	if e, ok := l.fresh(k); ok {
		l.cache.hit(e)
		return e, nil
	}
	unlock, err := l.cache.lock(ctx, k)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if e, ok := l.fresh(k); ok { // another goroutine has loaded it meanwhile
		l.cache.hit(e)
		return e, nil
	}
	l.cache.miss()
	src, err := l.read(file, k.path)
	if err != nil {
		return nil, err
	}
	e, err := load(ctx, src)
	if err != nil {
		return nil, err
	}
	e.key, e.loaded = k, time.Now()
	e.files = append([]version{src.version()}, e.files...)
	l.cache.put(e)
	return e, nil
}

func (s *source) version() version {
	return version{path: s.name, stamp: s.stamp, digest: s.digest, seen: s.seen}
}

// fresh returns the entry of k if none of the files that it was made from has
// changed. It drops an outdated entry.
func (l *Library) fresh(k key) (*entry, bool) {
	e, ok := l.cache.get(k)
	if !ok {
		return nil, false
	}
	for _, v := range e.versions(l.cache) {
		now, err := l.recheck(v)
		if err != nil {
			l.cache.drop(e)
			return nil, false
		}
		if now.seen != v.seen {
			l.cache.confirm(e, now)
		}
	}
	return e, true
}

// errChanged reports that a file has changed.
var errChanged = errors.New("the file has changed")

// recheck compares a file with what was read from it. If the file had been
// changed shortly before that, its contents are read again, since its
// modification time might not show a later change.
func (l *Library) recheck(v version) (version, error) {
	file, _, err := l.roots.open(v.path)
	if v.absent {
		return v, stillAbsent(file, err)
	}
	if err != nil {
		return v, err
	}
	defer func() { _ = file.Close() }() // errors do not matter, it was only read
	info, err := file.Stat()
	if err != nil {
		return v, err
	}
	if filestamp.Of(info) != v.stamp {
		return v, errChanged
	}
	if v.stamp.Settled(v.seen) {
		return v, nil
	}
	src, err := l.read(file, v.path)
	if err != nil {
		return v, err
	}
	if src.digest != v.digest {
		return v, errChanged
	}
	return src.version(), nil
}

// stillAbsent returns nil if opening a file failed because it does not exist.
func stillAbsent(file *os.File, err error) error {
	if _, ok := errors.AsType[*NotFoundError](err); ok {
		return nil
	}
	if err == nil {
		_ = file.Close() // errors do not matter, it was only opened
	}
	return errChanged
}
