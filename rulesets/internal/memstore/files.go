package memstore

import (
	"bytes"
	"context"
	"slices"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A contents has the bytes of all files that a ruleset has or had.
type contents map[ruleset.Digest][]byte

// Files implements [ruleset.FileStore].
func (s *Store) Files(_ context.Context, name ruleset.Name) ([]ruleset.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.filesLocked(name)), nil
}

// filesLocked returns the files of a ruleset: those of its newest revision, also if that
// is its deletion.
func (s *Store) filesLocked(name ruleset.Name) []ruleset.File {
	history := s.history[name]
	if len(history) == 0 {
		return nil
	}
	return history[len(history)-1].Content.Files
}

// ReadFile implements [ruleset.FileStore].
func (s *Store) ReadFile(_ context.Context, name ruleset.Name, path string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.filesLocked(name) {
		if f.Path == path {
			return bytes.Clone(s.contents[name][f.SHA256]), nil
		}
	}
	return nil, &ruleset.NoFileError{Name: name, Path: path}
}

// ReadRevised implements [ruleset.FileStore].
func (s *Store) ReadRevised(_ context.Context, name ruleset.Name, f ruleset.File) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.contents[name][f.SHA256]
	if !ok {
		return nil, &ruleset.NoFileError{Name: name, Path: f.Path}
	}
	return bytes.Clone(data), nil
}

// addContentsLocked stores the bytes of files that are set.
func (s *Store) addContentsLocked(name ruleset.Name, changes []ruleset.FileChange) {
	for _, c := range changes {
		if c.Data == nil {
			continue
		}
		if s.contents[name] == nil {
			s.contents[name] = contents{}
		}
		s.contents[name][ruleset.FileOf(c.Path, c.Data).SHA256] = bytes.Clone(c.Data)
	}
}

// pruneContentsLocked removes the bytes of files that no revision has.
func (s *Store) pruneContentsLocked(name ruleset.Name) {
	used := contents{}
	for _, r := range s.history[name] {
		for _, f := range r.Content.Files {
			used[f.SHA256] = s.contents[name][f.SHA256]
		}
	}
	s.contents[name] = used
}

// Folders implements [ruleset.FileStore]. There are none.
func (s *Store) Folders(context.Context) ([]ruleset.Name, error) { return nil, nil }
