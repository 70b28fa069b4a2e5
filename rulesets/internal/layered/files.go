package layered

import (
	"context"
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// read returns the bytes of a file that a revision of a ruleset of this part has.
func (p *Part) read(ctx context.Context, name ruleset.Name, f ruleset.File) ([]byte, error) {
	store, ok := ruleset.FilesOf(p.Store)
	if !ok {
		return nil, &ruleset.NoFileError{Name: name, Path: f.Path}
	}
	return store.ReadRevised(ctx, name, f)
}

// filesOf returns the files of the part that has a ruleset or its history, nil if no part
// has it or that part keeps no files.
func (s *Store) filesOf(ctx context.Context, name ruleset.Name) (ruleset.FileStore, error) {
	p, err := s.recorded(ctx, name)
	if isMissing(err) {
		return nil, nil //nolint:nilnil // documented
	}
	if err != nil {
		return nil, err
	}
	store, _ := ruleset.FilesOf(p.Store)
	return store, nil
}

// Files implements [ruleset.FileStore].
func (s *Store) Files(ctx context.Context, name ruleset.Name) ([]ruleset.File, error) {
	store, err := s.filesOf(ctx, name)
	if store == nil || err != nil {
		return nil, err
	}
	return store.Files(ctx, name)
}

// ReadFile implements [ruleset.FileStore].
func (s *Store) ReadFile(ctx context.Context, name ruleset.Name, path string) ([]byte, error) {
	store, err := s.filesOf(ctx, name)
	if err != nil {
		return nil, err
	}
	if store == nil {
		return nil, &ruleset.NoFileError{Name: name, Path: path}
	}
	return store.ReadFile(ctx, name, path)
}

// ReadRevised implements [ruleset.FileStore].
func (s *Store) ReadRevised(ctx context.Context, name ruleset.Name, f ruleset.File) ([]byte, error) {
	p, err := s.recorded(ctx, name)
	if isMissing(err) {
		return nil, &ruleset.NoFileError{Name: name, Path: f.Path}
	}
	if err != nil {
		return nil, err
	}
	return p.read(ctx, name, f)
}

// Folders implements [ruleset.FileStore]. A folder is left out whose name an earlier part
// has.
func (s *Store) Folders(ctx context.Context) (names []ruleset.Name, err error) {
	for i := range s.parts {
		store, ok := ruleset.FilesOf(s.parts[i].Store)
		if !ok {
			continue
		}
		folders, err := store.Folders(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range folders {
			if _, at, err := s.find(ctx, name); err == nil && at == i {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
