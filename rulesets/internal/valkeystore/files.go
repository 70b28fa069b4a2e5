package valkeystore

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const filesPrefix = "rulesets:files:"

// Files implements [ruleset.FileStore].
func (s *Store) Files(ctx context.Context, name ruleset.Name) ([]ruleset.File, error) {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	lines, err := s.client.LRange(ctx, s.key.history(name), -1, -1).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	records, err := decodeRecords(name, lines)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	return records[0].Files, nil
}

// ReadFile implements [ruleset.FileStore].
func (s *Store) ReadFile(ctx context.Context, name ruleset.Name, path string) ([]byte, error) {
	files, err := s.Files(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Path == path {
			return s.ReadRevised(ctx, name, f)
		}
	}
	return nil, &ruleset.NoFileError{Name: name, Path: path}
}

// ReadRevised implements [ruleset.FileStore].
func (s *Store) ReadRevised(ctx context.Context, name ruleset.Name, f ruleset.File) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	data, err := s.client.HGet(ctx, s.key.files(name), f.SHA256.String()).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, &ruleset.NoFileError{Name: name, Path: f.Path}
	}
	if err != nil {
		return nil, unavailable(err)
	}
	return data, nil
}

// queueFiles adds the commands that store the bytes of files that are set.
func (s *Store) queueFiles(ctx context.Context, p redis.Pipeliner, name ruleset.Name, changes []ruleset.FileChange) {
	for _, c := range changes {
		if c.Data != nil {
			p.HSet(ctx, s.key.files(name), ruleset.FileOf(c.Path, c.Data).SHA256.String(), c.Data)
		}
	}
}

// unusedFiles returns the digests that no record has, and the number of their bytes.
func (s *Store) unusedFiles(ctx context.Context, tx *redis.Tx, name ruleset.Name, kept []record) (unused []string, size int64, err error) {
	all, err := tx.HKeys(ctx, s.key.files(name)).Result()
	if err != nil {
		return nil, 0, err
	}
	used := map[string]bool{}
	for i := range kept {
		for _, f := range kept[i].Files {
			used[f.SHA256.String()] = true
		}
	}
	for _, digest := range all {
		if used[digest] {
			continue
		}
		n, err := tx.HStrLen(ctx, s.key.files(name), digest).Result()
		if err != nil {
			return nil, 0, err
		}
		unused, size = append(unused, digest), size+n
	}
	return unused, size, nil
}

// Folders implements [ruleset.FileStore]. There are none.
func (s *Store) Folders(context.Context) ([]ruleset.Name, error) { return nil, nil }
