package filestore

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// readChunk is the number of files that a goroutine reads between two looks at ctx.
const readChunk = 64

// Read implements [ruleset.Store]. Files are read on all processors.
func (s *Store) Read(ctx context.Context, names []ruleset.Name, see func(ruleset.Ruleset) error) error {
	if names == nil {
		files, err := s.files(anyName)
		if err != nil {
			return err
		}
		names = make([]ruleset.Name, len(files))
		for i, f := range files {
			names[i] = f.name
		}
	}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for chunk := range slices.Chunk(names, readChunk) {
		group.Go(func() error {
			found, err := s.readSome(ctx, chunk)
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			for _, r := range found {
				if err := see(r); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// readSome reads some files. What is missing or is no ruleset is left out.
func (s *Store) readSome(ctx context.Context, names []ruleset.Name) ([]ruleset.Ruleset, error) {
	found := make([]ruleset.Ruleset, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d, err := s.read(name)
		if away, ok := errors.AsType[*ruleset.UnavailableError](err); ok {
			return nil, away
		}
		if err != nil {
			continue // reported by read
		}
		s.dateEdited(name, &d)
		d.ruleset.Extra, d.ruleset.Rev = d.extra(), 0
		found = append(found, d.ruleset)
	}
	return found, nil
}
