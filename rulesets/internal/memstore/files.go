package memstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// Files implements [ruleset.FileStore].
func (s *Store) Files(_ context.Context, name ruleset.Name) ([]ruleset.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var files []ruleset.File
	for _, path := range slices.Sorted(maps.Keys(s.files[name])) {
		data := s.files[name][path]
		files = append(files, ruleset.File{Path: path, SHA256: sha256.Sum256(data), Size: int64(len(data))})
	}
	return files, nil
}

// ReadFile implements [ruleset.FileStore].
func (s *Store) ReadFile(_ context.Context, name ruleset.Name, path string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.files[name][path]
	if !ok {
		return nil, &ruleset.NoFileError{Name: name, Path: path}
	}
	return bytes.Clone(data), nil
}

// Folders implements [ruleset.FileStore]. There are none.
func (s *Store) Folders(context.Context) ([]ruleset.Name, error) { return nil, nil }

// ChangeFiles implements [ruleset.FileStore].
func (s *Store) ChangeFiles(_ context.Context, name ruleset.Name, changes []ruleset.FileChange) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.all[name]
	if !ok {
		return &ruleset.NotFoundError{Name: name}
	}
	sizes := map[string]int64{}
	for path, data := range s.files[name] {
		sizes[path] = int64(len(data))
	}
	if err := ruleset.CheckFiles(name, sizes, changes, int64(len(r.Markdown))); err != nil {
		return err
	}
	if s.files == nil {
		s.files = map[ruleset.Name]map[string][]byte{}
	}
	if s.files[name] == nil {
		s.files[name] = map[string][]byte{}
	}
	for _, c := range changes {
		if s.files[name][c.Path] = bytes.Clone(c.Data); c.Data == nil {
			delete(s.files[name], c.Path)
		}
	}
	return nil
}
