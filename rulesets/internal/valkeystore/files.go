package valkeystore

import (
	"context"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

const filesPrefix = "rulesets:files:"

// filesKey is the hash of a ruleset's files: their bytes by their paths. It lives where
// the ruleset's hash does.
func (s *Store) filesKey(name ruleset.Name) string {
	return s.prefix + filesPrefix + "{" + hashKey(name) + "}"
}

// Files implements [ruleset.FileStore].
func (s *Store) Files(ctx context.Context, name ruleset.Name) ([]ruleset.File, error) {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	all, err := s.client.HGetAll(ctx, s.filesKey(name)).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	var files []ruleset.File
	for _, path := range slices.Sorted(maps.Keys(all)) {
		data := []byte(all[path])
		files = append(files, ruleset.File{Path: path, SHA256: sha256.Sum256(data), Size: int64(len(data))})
	}
	return files, nil
}

// ReadFile implements [ruleset.FileStore].
func (s *Store) ReadFile(ctx context.Context, name ruleset.Name, path string) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	data, err := s.client.HGet(ctx, s.filesKey(name), path).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, &ruleset.NoFileError{Name: name, Path: path}
	}
	if err != nil {
		return nil, unavailable(err)
	}
	return data, nil
}

// Folders implements [ruleset.FileStore]. There are none: files belong to a hash.
func (s *Store) Folders(context.Context) ([]ruleset.Name, error) { return nil, nil }

// ChangeFiles implements [ruleset.FileStore]. The changes are made together.
func (s *Store) ChangeFiles(ctx context.Context, name ruleset.Name, changes []ruleset.FileChange) error {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	sizes, text, err := s.sizes(ctx, name)
	if err != nil {
		return err
	}
	if err := ruleset.CheckFiles(name, sizes, changes, text); err != nil {
		return err
	}
	args := make([]any, 0, 3*len(changes))
	for _, c := range changes {
		verb := "HSET"
		if c.Data == nil {
			verb = "HDEL"
		}
		args = append(args, verb, c.Path, c.Data)
	}
	done, err := filesScript.Run(ctx, once{s.client}, []string{hashKey(name), s.filesKey(name)}, args...).Int()
	if err != nil {
		return unavailable(err)
	}
	if done == 0 {
		return &ruleset.NotFoundError{Name: name}
	}
	return nil
}

// sizes returns the sizes of the files, and of the text.
func (s *Store) sizes(ctx context.Context, name ruleset.Name) (sizes map[string]int64, text int64, err error) {
	paths, err := s.client.HKeys(ctx, s.filesKey(name)).Result()
	if err != nil {
		return nil, 0, unavailable(err)
	}
	cmds := make([]*redis.IntCmd, len(paths))
	var markdown *redis.IntCmd
	if _, err := s.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		markdown = p.HStrLen(ctx, hashKey(name), "markdown")
		for i, path := range paths {
			cmds[i] = p.HStrLen(ctx, s.filesKey(name), path)
		}
		return nil
	}); err != nil {
		return nil, 0, unavailable(err)
	}
	sizes = map[string]int64{}
	for i, path := range paths {
		sizes[path] = cmds[i].Val()
	}
	return sizes, markdown.Val(), nil
}

// filesScript returns 0 if there is no ruleset. Keys: the ruleset and its files; for
// each change a command, a path and the bytes.
var filesScript = redis.NewScript(`
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return 0 end
for i = 1, #ARGV, 3 do
  if ARGV[i] == 'HSET' then
    redis.call('HSET', KEYS[2], ARGV[i + 1], ARGV[i + 2])
  else
    redis.call('HDEL', KEYS[2], ARGV[i + 1])
  end
end
return 1`)
