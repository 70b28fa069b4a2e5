package keys

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/mcp"
)

const (
	// valkeyRing is a hash: the field of each record's ID holds its JSON, and
	// the field version a text that every change makes another one. All is in
	// one hash so that a script changes it as a whole on a cluster too.
	valkeyRing    = "triptych:keys:ring"
	valkeyVersion = "version"
	// valkeyEvents is the channel on which every change says so.
	valkeyEvents = "triptych:keys:events"
	// valkeyWait bounds one load or change.
	valkeyWait = 3 * time.Second
)

// A ValkeyStore keeps keys on a Valkey or Redis server, or a cluster of them,
// that any number of processes share: hashes of tokens, no secrets. Each
// process has all records in memory and asks the server for their version only.
// While the server cannot be reached no key is accepted: what is older than
// [MaxAge] may have been revoked.
//
// Of a change whose answer is lost the caller learns that the server was away,
// though it may have been made.
type ValkeyStore struct {
	*cache
	*manager
	client     redis.UniversalClient
	log        *slog.Logger
	tombstones tombstones
}

var _ Store = (*ValkeyStore)(nil)

// OpenValkey returns the store on a server, which is not asked yet. The client
// stays the caller's. A new key that names no scopes gets those given here.
func OpenValkey(client redis.UniversalClient, log *slog.Logger, now func() time.Time, scopes ...mcp.Scope) *ValkeyStore {
	s := &ValkeyStore{client: client, log: log.With("component", "keys")}
	s.cache, s.manager = newCache(s.load), &manager{backend: s, now: now, scopes: scopes}
	return s
}

// Close implements [Store].
func (s *ValkeyStore) Close() error { return nil }

// away says that the server, not the caller, is at fault.
func away(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// load fetches all records if their version is another one.
func (s *ValkeyStore) load(ctx context.Context, last *ring) (*ring, error) {
	ctx, stop := context.WithTimeout(ctx, valkeyWait)
	defer stop()
	if last != nil {
		now, err := s.client.HGet(ctx, valkeyRing, valkeyVersion).Result()
		if err != nil && !errors.Is(err, redis.Nil) {
			return nil, away(err)
		}
		if version(now) == last.version {
			return last, nil
		}
	}
	fields, err := s.client.HGetAll(ctx, valkeyRing).Result()
	if err == nil && len(fields) == 0 && last != nil && len(last.records) > 0 {
		err = ErrLost // a change never removes a key
	}
	if err != nil {
		return nil, away(err)
	}
	return s.ringOf(fields), nil
}

// ringOf makes a ring of the hash's fields. A record that is not valid opens
// nothing and is reported.
func (s *ValkeyStore) ringOf(fields map[string]string) *ring {
	v := version(fields[valkeyVersion])
	delete(fields, valkeyVersion)
	records := make([]Record, 0, len(fields))
	for id, text := range fields {
		one, err := decodeRecord(id, text)
		if err != nil {
			s.log.Error("a key is not valid and opens nothing", "id", id, "err", err)
			continue
		}
		records = append(records, one)
	}
	for _, id := range s.tombstones.apply(records) {
		s.log.Error("the store says again that a revoked key works: it has lost its newest writes; here the key stays revoked", "id", id)
	}
	r, errs := newRing(v, records)
	for _, err := range errs {
		s.log.Error("a key is not valid and opens nothing", "err", err)
	}
	return r
}

// A field is a record on the server.
type field struct {
	Record
	// Change is a text that every change makes another one, so that the process that
	// finds it knows that the change was its own.
	Change string `json:"change"`
}

// encodeRecord is the text of a record that is changed.
func encodeRecord(r Record) (string, error) {
	text, err := json.Marshal(field{r, rand.Text()})
	return string(text), err
}

// decodeRecord reads a field strictly: a member that is misspelled could be the
// one that takes a right away.
func decodeRecord(id, text string) (Record, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	var f field
	if err := dec.Decode(&f); err != nil {
		return f.Record, err
	}
	if f.ID != id {
		return f.Record, fmt.Errorf("it has the id %q", f.ID)
	}
	return f.Record, f.Record.check()
}
