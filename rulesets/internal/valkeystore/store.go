package valkeystore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
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

// The names of keys of our own begin with the prefix of the installation.
func (s *Store) indexKey() string { return s.prefix + "rulesets:index" }
func (s *Store) readyKey() string { return s.prefix + "rulesets:index:ready" }
func (s *Store) channel() string  { return s.prefix + "rulesets:events" }

// namesKey is in the slot of the index.
func (s *Store) namesKey() string { return s.prefix + "rulesets:names:{" + s.indexKey() + "}" }

// A Store keeps rulesets on a server. Its methods may be called from any
// goroutine.
type Store struct {
	client  redis.UniversalClient
	prefix  string // of the names of our own keys
	cluster bool
	db      int
	log     *slog.Logger
	now     func() time.Time

	scanning chan struct{} // holds a token while this process scans for a list

	mu      sync.Mutex
	scanned time.Time               // when the index was last compared with the hashes
	odd     map[ruleset.Name]string // tags that were reported, by name
}

// opTimeout limits an operation on one ruleset. Of 16 MiB it takes a server seconds whose
// machine is busy; one that hangs is found earlier, by the connection.
const opTimeout = 10 * time.Second

// maxOdd limits the number of reported rulesets with malformed tags.
const maxOdd = 1000

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
	return &Store{
		client: client, prefix: prefix, cluster: cluster, db: db, log: log, now: now,
		scanning: make(chan struct{}, 1), odd: map[ruleset.Name]string{},
	}, nil
}

// Close implements [ruleset.Store].
func (s *Store) Close() error { return s.client.Close() }

func hashKey(name ruleset.Name) string { return hashPrefix + string(name) }

// historyKey is the list of the revisions. Its hash tag has it live where the hash
// does.
func (s *Store) historyKey(name ruleset.Name) string {
	return s.prefix + historyPrefix + "{" + hashKey(name) + "}"
}

// keys returns the keys for a script.
func (s *Store) keys(name ruleset.Name) []string {
	keys := []string{hashKey(name), s.historyKey(name)}
	if s.cluster {
		return keys
	}
	return append(keys, s.indexKey(), s.namesKey())
}

// change returns the arguments that every script of a change takes first.
func (s *Store) change(kind string, name ruleset.Name, by ruleset.By) []any {
	return []any{stampText(s.now()), s.channel(), kind + ":" + string(name), by.Author, by.Client, by.Message, by.Restores, newToken(), "0"}
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
	reply, err := s.runChange(ctx, createScript, s.keys(d.Name), args...).StringSlice()
	if err != nil {
		return ruleset.Ruleset{}, unavailable(err)
	}
	if len(reply) == 0 {
		return ruleset.Ruleset{}, &ruleset.ExistsError{Name: d.Name}
	}
	r.Rev, r.Files = revAndFiles(reply)
	if s.cluster {
		s.index(ctx, r.Meta)
	}
	return r, nil
}

// index notes a ruleset; a failure is mended by the next scan.
func (s *Store) index(ctx context.Context, m ruleset.Meta) {
	if _, err := s.enter(ctx, m); err != nil {
		s.log.Warn("index is behind until the next scan", "component", "valkey", "err", err)
	}
}

// enter adds rulesets to the index and their names to the names, and returns the number
// of those that the index did not have.
func (s *Store) enter(ctx context.Context, metas ...ruleset.Meta) (added int64, err error) {
	var cmd *redis.IntCmd
	_, err = s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		cmd = s.queueEnter(ctx, p, metas...)
		return nil
	})
	return cmd.Val(), err
}

// queueEnter queues the commands of [Store.enter] and returns the one for the index.
func (s *Store) queueEnter(ctx context.Context, p redis.Pipeliner, metas ...ruleset.Meta) *redis.IntCmd {
	entries, names := make([]redis.Z, len(metas)), make([]redis.Z, len(metas))
	for i, m := range metas {
		entries[i] = redis.Z{Score: float64(m.CreatedAt.Unix()), Member: string(m.Name)}
		names[i] = redis.Z{Member: string(m.Name)}
	}
	p.ZAdd(ctx, s.namesKey(), names...)
	return p.ZAdd(ctx, s.indexKey(), entries...)
}

// queueLeave queues the commands that take names out of the index and the names.
func (s *Store) queueLeave(ctx context.Context, p redis.Pipeliner, names ...any) {
	p.ZRem(ctx, s.indexKey(), names...)
	p.ZRem(ctx, s.namesKey(), names...)
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
		hash, place, last = p.HGetAll(ctx, hashKey(name)), p.ZScore(ctx, s.indexKey(), string(name)), p.LIndex(ctx, s.historyKey(name), -1)
		return nil
	})
	fields, err := hash.Result()
	if isWrongType(err) || err == nil && len(fields) == 0 {
		return ruleset.Ruleset{}, &ruleset.NotFoundError{Name: name}
	}
	if err != nil {
		return ruleset.Ruleset{}, unavailable(err)
	}
	r := s.decode(name, fields)
	if errors.Is(place.Err(), redis.Nil) {
		s.index(ctx, r.Meta)
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

// decode reads a hash. What another program left out or wrote in another form
// is empty, and is reported.
func (s *Store) decode(name ruleset.Name, fields map[string]string) ruleset.Ruleset {
	r := ruleset.Ruleset{Meta: ruleset.Meta{Name: name, Description: fields["description"], Tags: []string{}}, Markdown: fields["markdown"], Extra: fields["extra"]}
	if text := fields["tags"]; text != "" {
		if err := json.Unmarshal([]byte(text), &r.Tags); err != nil || r.Tags == nil {
			s.reportTags(name, text)
			r.Tags = []string{}
		}
	}
	r.CreatedAt = parseTime(fields["created_at"])
	r.LastModified = parseTime(fields["last_modified"])
	if r.LastModified.Before(r.CreatedAt) {
		r.LastModified = r.CreatedAt
	}
	return r
}

// reportTags logs tags that cannot be read, once until they change.
func (s *Store) reportTags(name ruleset.Name, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.odd[name] == text || len(s.odd) >= maxOdd {
		return
	}
	s.odd[name] = text
	s.log.Warn("tags are no JSON array of strings; there are none for us", "component", "valkey", "name", string(name))
}

// parseTime parses an RFC 3339 time. It returns the Unix epoch for any other text, and
// for times outside the years 0 to 9999 in UTC, which answers cannot carry.
func parseTime(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if t = t.UTC(); err != nil || t.Year() < 0 || t.Year() > 9999 {
		return time.Unix(0, 0).UTC()
	}
	return t.Truncate(time.Second)
}

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
	reply, err := s.runChange(ctx, updateScript, s.keys(name)[:2], args...).StringSlice()
	if err != nil {
		return ruleset.Ruleset{}, unavailable(err)
	}
	return s.outcome(name, reply)
}

// outcome reads the reply of a change: nothing, or "done" or "conflict", the number
// of the revision, its files, and the hash.
func (s *Store) outcome(name ruleset.Name, reply []string) (ruleset.Ruleset, error) {
	if len(reply) == 0 {
		return ruleset.Ruleset{}, &ruleset.NotFoundError{Name: name}
	}
	if len(reply) == 1 {
		return ruleset.Ruleset{}, nil // of a deletion
	}
	r := s.decodeReply(name, reply)
	if reply[0] == "conflict" {
		return ruleset.Ruleset{}, &ruleset.ConflictError{Current: r}
	}
	return r, nil
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
	if err := p.Check(s.decode(name, fields)); err != nil {
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

// decodePairs reads a hash from a list of its fields and values.
func (s *Store) decodePairs(name ruleset.Name, pairs []string) ruleset.Ruleset {
	fields := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	return s.decode(name, fields)
}

// decodeReply reads a ruleset from the reply of the function hash of the scripts.
func (s *Store) decodeReply(name ruleset.Name, reply []string) ruleset.Ruleset {
	r := s.decodePairs(name, reply[3:])
	r.Rev, r.Files = revAndFiles(reply[1:])
	return r
}

// revAndFiles reads the number of a revision and its files as a script returns them, which
// has made both itself.
func revAndFiles(reply []string) (rev int, files []ruleset.File) {
	rev, _ = strconv.Atoi(reply[0])
	_ = json.Unmarshal([]byte(reply[1]), &files)
	return rev, files
}

// remove deletes a ruleset by one script.
func (s *Store) remove(ctx context.Context, name ruleset.Name, r ruleset.Removal) error {
	ctx, stop := context.WithTimeout(ctx, opTimeout)
	defer stop()
	reply, err := s.runChange(ctx, deleteScript, s.keys(name), append(s.change("d", name, r.By), string(name), r.IfRev)...).StringSlice()
	if err != nil {
		return unavailable(err)
	}
	_, err = s.outcome(name, reply)
	if _, conflict := errors.AsType[*ruleset.ConflictError](err); s.cluster && !conflict {
		s.unindex(ctx, name)
	}
	return err
}

// unindex takes a name out of the index; a failure is mended by the next list.
func (s *Store) unindex(ctx context.Context, name ruleset.Name) {
	_, err := s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		s.queueLeave(ctx, p, string(name))
		return nil
	})
	if err != nil {
		s.log.Warn("index is behind until the next list", "component", "valkey", "err", err)
	}
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
		r := s.decode(ruleset.Name(names[i]), fields)
		frontmatter.Summarize(&r)
		r.Summary.Bytes = int(sizes[i].Val()) // 0 if it failed
		metas = append(metas, r.Meta)
	}
	return metas, s.drop(ctx, stale)
}

// drop takes names without a hash out of the index. On a cluster no script can
// see both, and a creation at that very moment waits for the next scan.
func (s *Store) drop(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	keys, args := []string{s.indexKey(), s.namesKey()}, make([]any, len(names))
	for i, name := range names {
		keys, args[i] = append(keys, hashPrefix+name), name
	}
	var err error
	if s.cluster {
		_, err = s.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
			s.queueLeave(ctx, p, args...)
			return nil
		})
	} else {
		err = dropScript.Run(ctx, s.client, keys, args...).Err()
	}
	if err != nil {
		return unavailable(err)
	}
	return nil
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
