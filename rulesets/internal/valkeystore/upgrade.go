package valkeystore

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// upgradedKey says that no hash of files was left as earlier versions wrote it.
func (s *Store) upgradedKey() string { return s.prefix + "rulesets:files:format" }

// upgradingKey exists while a process upgrades the files. A user who may not write it may not
// upgrade either, and does not scan.
func (s *Store) upgradingKey() string { return s.prefix + "rulesets:files:upgrading" }

// upgradeEvery is the interval at which a watch looks for files that servers of an earlier
// version, which run beside newer ones, have written since.
const upgradeEvery = 10 * time.Minute

// upgradeFiles makes revisions of the files that earlier versions kept: in the hash of the
// bytes by their paths, listed by no revision. It scans once for each installation; where
// that fails, the next start tries again. What is written later watches find.
func (s *Store) upgradeFiles(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, batchTimeout)
	defer stop()
	if n, err := s.client.Exists(ctx, s.upgradedKey()).Result(); err != nil || n > 0 {
		return
	}
	if err := s.client.Set(ctx, s.upgradingKey(), "", batchTimeout).Err(); err != nil {
		s.log.Debug("files of rulesets are not upgraded", "component", "valkey", "err", err)
		return
	}
	err := s.reviseLeftFiles(ctx)
	_ = s.client.Del(ctx, s.upgradingKey()).Err() // else it expires
	if err == nil {
		err = s.client.Set(ctx, s.upgradedKey(), "2", 0).Err()
	}
	if err != nil {
		s.log.Warn("files of rulesets that an earlier version wrote may not be found", "component", "valkey", "err", err)
	}
}

// reviseLeftFiles adds revisions for the files of all rulesets that no revision lists.
func (s *Store) reviseLeftFiles(ctx context.Context) error {
	names, err := s.namesOfKeys(ctx, filesPrefix)
	if err != nil {
		return err
	}
	for _, name := range names {
		fields, err := s.client.HKeys(ctx, s.filesKey(name)).Result()
		if err == nil && !slices.ContainsFunc(fields, isPath) {
			continue
		}
		if err == nil {
			err = s.upgradeFilesOf(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// upgradeFilesOf adds a revision with the files of a ruleset that have their paths as
// fields, if there are any. Those of a ruleset that is deleted stay as they are.
func (s *Store) upgradeFilesOf(ctx context.Context, name ruleset.Name) error {
	if r, err := s.place(ctx, name); err != nil || r.Rev == 0 {
		return err
	}
	for range batchTries {
		err := s.client.Watch(ctx, func(tx *redis.Tx) error { return s.reviseFiles(ctx, tx, name) }, s.historyKey(name), s.filesKey(name))
		if !errors.Is(err, redis.TxFailedErr) {
			return err
		}
	}
	return redis.TxFailedErr
}

func (s *Store) reviseFiles(ctx context.Context, tx *redis.Tx, name ruleset.Name) error {
	all, err := tx.HGetAll(ctx, s.filesKey(name)).Result()
	if err != nil {
		return err
	}
	maps.DeleteFunc(all, func(field, _ string) bool { return isDigest(field) })
	paths := slices.Sorted(maps.Keys(all))
	lines, err := tx.LRange(ctx, s.historyKey(name), -1, -1).Result()
	if err != nil {
		return err
	}
	records, err := decodeRecords(name, lines)
	if err != nil || len(records) == 0 || records[0].Deleted || len(paths) == 0 {
		return err
	}
	var changes []ruleset.FileChange
	r := records[0]
	for _, path := range paths {
		if !slices.ContainsFunc(r.Files, func(f ruleset.File) bool { return f.Path == path }) { // else it was changed since
			changes = append(changes, ruleset.FileChange{Path: path, Data: []byte(all[path])})
		}
	}
	r.Rev, r.At, r.Files = r.Rev+1, stampText(s.now()), ruleset.ChangedFiles(r.Files, changes)
	r.Author, r.Client, r.Message, r.Restores, r.Token = "", "", "files that an earlier version kept", 0, ""
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.HDel(ctx, s.filesKey(name), paths...)
		if len(changes) == 0 {
			return nil
		}
		s.queueFiles(ctx, p, name, changes)
		p.RPush(ctx, s.historyKey(name), string(line))
		p.Publish(ctx, s.channel(), "u:"+string(name))
		return nil
	})
	return err
}

func isPath(field string) bool { return !isDigest(field) }

// isDigest reports whether a field of the bytes is a SHA-256, not the path of a file.
func isDigest(field string) bool {
	var d ruleset.Digest
	return d.UnmarshalText([]byte(field)) == nil
}
