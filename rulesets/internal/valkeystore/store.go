package valkeystore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/rulesets/frontmatter"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/rulesets/valkeyconn"
)

const (
	hashPrefix    = "ruleset:" // documented
	historyPrefix = "rulesets:history:"
	labelsPrefix  = "rulesets:labels:"
)

// A Store keeps rulesets on a server. Its methods may be called from any
// goroutine.
type Store struct {
	client  redis.UniversalClient
	key     keys
	index   *index
	decoder *decoder
	db      int
	log     *slog.Logger
	now     func() time.Time

	scanning chan struct{} // holds a token while this process scans for a list

	mu      sync.Mutex
	scanned time.Time // when the index was last compared with the hashes
}

// opTimeout limits an operation on one ruleset. Of 16 MiB it takes a server seconds whose
// machine is busy; one that hangs is found earlier, by the connection.
const opTimeout = 10 * time.Second

// Open connects to the server of a URL: valkey://user:password@host:port/db,
// valkeys:// with TLS, redis://, rediss://, unix://, and each with +cluster or
// +sentinel (parameters as the client library documents them). The names of our own keys
// begin with prefix, which may be empty. An error reads
// "failed to connect to Valkey: …".
func Open(ctx context.Context, url, prefix string, log *slog.Logger, now func() time.Time) (*Store, error) {
	client, db, err := valkeyconn.Dial(ctx, url, log)
	if err != nil {
		return nil, err
	}
	_, cluster := client.(*redis.ClusterClient)
	key := keys{prefix, cluster}
	return &Store{
		client: client, key: key, index: &index{client, key, log}, decoder: &decoder{log: log, odd: map[ruleset.Name]string{}},
		db: db, log: log, now: now, scanning: make(chan struct{}, 1),
	}, nil
}

// Close implements [ruleset.Store].
func (s *Store) Close() error { return s.client.Close() }

// change returns the arguments that every script of a change takes first.
func (s *Store) change(kind string, name ruleset.Name, by ruleset.By) []any {
	return []any{stampText(s.now()), s.key.channel(), kind + ":" + string(name), by.Author, by.Client, by.Message, by.Restores, newToken(), "0"}
}

// againArg is the index of the argument that says whether a change was sent before.
const againArg = 8

func stampText(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// unavailable says that the server, not the caller, is at fault.
func unavailable(err error) error {
	return &ruleset.UnavailableError{Store: "Valkey", Err: err}
}

// create stores a new ruleset without files by one script.
func (s *Store) create(ctx context.Context, d ruleset.Draft) (ruleset.Ruleset, error) {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	r := d.At(s.now())
	r.Folder = false // there are none
	if err := r.CheckSize(); err != nil {
		return ruleset.Ruleset{}, err
	}
	args := append(s.change("c", d.Name, d.By), r.CreatedAt.Unix(), r.Description, tagsText(r.Tags), r.Markdown,
		stampText(r.CreatedAt), stampText(r.LastModified), string(d.Name), r.Extra)
	reply, err := s.runChange(ctx, createScript, s.key.ofScript(d.Name), args...).StringSlice()
	if err != nil {
		return ruleset.Ruleset{}, unavailable(err)
	}
	if len(reply) == 0 {
		return ruleset.Ruleset{}, &ruleset.ExistsError{Name: d.Name}
	}
	r.Rev, r.Files = revAndFiles(reply)
	if s.key.cluster {
		s.index.note(ctx, r.Meta)
	}
	return r, nil
}

// tagsText is the JSON of tags.
func tagsText(tags []string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tags); err != nil {
		panic(err) // strings always encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Get implements [ruleset.Store]. A hash that is not in the index enters it.
func (s *Store) Get(ctx context.Context, name ruleset.Name) (ruleset.Ruleset, error) {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	var hash *redis.MapStringStringCmd
	var place *redis.FloatCmd
	var last *redis.StringCmd
	_, _ = s.client.Pipelined(ctx, func(p redis.Pipeliner) error { // each has its own error
		hash, place, last = p.HGetAll(ctx, hashKey(name)), p.ZScore(ctx, s.key.index(), string(name)), p.LIndex(ctx, s.key.history(name), -1)
		return nil
	})
	fields, err := hash.Result()
	if isWrongType(err) || err == nil && len(fields) == 0 {
		return ruleset.Ruleset{}, &ruleset.NotFoundError{Name: name}
	}
	if err != nil {
		return ruleset.Ruleset{}, unavailable(err)
	}
	r := s.decoder.hash(name, fields)
	if errors.Is(place.Err(), redis.Nil) {
		s.index.note(ctx, r.Meta)
	}
	if newest := recordOf(last.Val(), fields); newest.Rev != 0 {
		r.Rev, r.Files = newest.Rev, newest.Files
		return r, nil
	}
	placed, err := s.place(ctx, name) // with the content that is there then
	if err != nil {
		return r, nil // where nothing can be recorded, a ruleset has no number
	}
	if placed.Rev == 0 {
		return ruleset.Ruleset{}, &ruleset.NotFoundError{Name: name}
	}
	return placed, nil
}

// isWrongType reports whether a key is not a hash: it belongs to another program.
func isWrongType(err error) bool { return err != nil && redis.HasErrorPrefix(err, "WRONGTYPE") }

// update changes a ruleset, but none of its files, by one script.
func (s *Store) update(ctx context.Context, name ruleset.Name, p ruleset.Patch) (ruleset.Ruleset, error) {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	if err := p.Apply(ruleset.Ruleset{}, s.now()).CheckSize(); err != nil {
		return ruleset.Ruleset{}, err
	}
	expected, err := s.expected(ctx, name, p)
	if err != nil {
		return ruleset.Ruleset{}, err
	}
	args := append(s.change("u", name, p.By), p.IfRev, len(expected)/2)
	args = append(append(args, expected...), changes(p)...)
	reply, err := s.runChange(ctx, updateScript, s.key.ofScript(name)[:2], args...).StringSlice()
	if err != nil {
		return ruleset.Ruleset{}, unavailable(err)
	}
	return s.decoder.outcome(name, reply)
}

// expected returns the fields, with their values, that must not have changed since
// they were compared with the patch's base; none if there is no base.
func (s *Store) expected(ctx context.Context, name ruleset.Name, p ruleset.Patch) ([]any, error) {
	if p.Base == nil {
		return nil, nil
	}
	fields, err := s.client.HGetAll(ctx, hashKey(name)).Result()
	if isWrongType(err) || err == nil && len(fields) == 0 {
		return nil, &ruleset.NotFoundError{Name: name}
	}
	if err != nil {
		return nil, unavailable(err)
	}
	if err := p.Check(s.decoder.hash(name, fields)); err != nil {
		return nil, err
	}
	var pairs []any
	for _, field := range contentFields {
		pairs = append(pairs, field, fields[field])
	}
	return pairs, nil
}

// changes returns the fields that a patch sets, with their values.
func changes(p ruleset.Patch) (pairs []any) {
	if p.Description != nil {
		pairs = append(pairs, "description", *p.Description)
	}
	if p.Tags != nil {
		pairs = append(pairs, "tags", tagsText(append([]string{}, *p.Tags...)))
	}
	if p.Markdown != nil {
		pairs = append(pairs, "markdown", *p.Markdown)
	}
	if p.Extra != nil {
		pairs = append(pairs, "extra", *p.Extra)
	}
	return pairs
}

// remove deletes a ruleset by one script.
func (s *Store) remove(ctx context.Context, name ruleset.Name, r ruleset.Removal) error {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	reply, err := s.runChange(ctx, deleteScript, s.key.ofScript(name), append(s.change("d", name, r.By), string(name), r.IfRev)...).StringSlice()
	if err != nil {
		return unavailable(err)
	}
	_, err = s.decoder.outcome(name, reply)
	if _, conflict := errors.AsType[*ruleset.ConflictError](err); s.key.cluster && !conflict {
		s.index.remove(ctx, name)
	}
	return err
}

// metas fetches what lists show of the names, in their order. Names without a
// hash leave the index.
func (s *Store) metas(ctx context.Context, names []string) ([]ruleset.Meta, error) {
	cmds, sizes := make([]*redis.SliceCmd, len(names)), make([]*redis.IntCmd, len(names))
	_, _ = s.client.Pipelined(ctx, func(p redis.Pipeliner) error { // each has its own error
		for i, name := range names {
			cmds[i] = p.HMGet(ctx, hashPrefix+name, listedFields...)
			sizes[i] = p.HStrLen(ctx, hashPrefix+name, "markdown")
		}
		return nil
	})
	metas := make([]ruleset.Meta, 0, len(names))
	var stale []string
	for i, cmd := range cmds {
		if err := cmd.Err(); err != nil && !isWrongType(err) {
			return nil, unavailable(err)
		}
		fields := fieldsOf(cmd.Val())
		if len(fields) == 0 {
			stale = append(stale, names[i])
			continue
		}
		r := s.decoder.hash(ruleset.Name(names[i]), fields)
		frontmatter.Summarize(&r)
		r.Summary.Bytes = int(sizes[i].Val()) // 0 if it failed
		metas = append(metas, r.Meta)
	}
	return metas, s.index.drop(ctx, stale)
}

// listedFields are the fields that lists need.
var listedFields = []string{"description", "tags", "created_at", "last_modified", "extra"}

func fieldsOf(values []any) map[string]string {
	fields := map[string]string{}
	for i, key := range listedFields {
		if i < len(values) && values[i] != nil {
			fields[key] = fmt.Sprint(values[i])
		}
	}
	return fields
}

// errStop ends an iteration early.
var errStop = errors.New("stop")
