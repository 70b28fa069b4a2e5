package audit

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/transport/internal/private"
)

// The names in the store and the limits of requests to it.
const (
	// streamPrefix and a chain's id name the stream of the chain. The entry
	// N-0 has the N-th line in the field "line".
	streamPrefix = "triptych:audit:"
	// headsKey is a hash of all chains: their last signed heads.
	headsKey  = "triptych:audit-heads"
	lineField = "line"
	// valkeyTimeout limits how long the server may take to store a group.
	valkeyTimeout = 5 * time.Second
	// pageLines is the number of lines that are read at once.
	pageLines = 1000
)

// A ValkeyConfig says how a trail is stored in Valkey or Redis. Client and KeyDir must be set.
type ValkeyConfig struct {
	Client redis.UniversalClient // it stays the caller's to close
	// KeyDir is the folder of the signing key; servers that share a database
	// need the same key to trust one another's chains.
	KeyDir string
	// Name is the server's: a log goes on with the chain of the server with the same
	// name and signing key. Without a name each log begins a chain. A server that finds
	// another one adding to its chain begins a new one, too.
	Name string
	// Prefix begins the names of all keys in the store; it may be empty.
	Prefix string
	// KeepFor is the least time that records stay, and KeepBytes limits the bytes of the
	// lines of each chain; 0 is no limit. Whole segments are deleted when one is begun: at
	// 16 MiB or an eighth of KeepBytes, and four times in KeepFor. Then chains of the same
	// signing key are deleted as a whole whose servers have been gone for KeepFor.
	KeepFor   time.Duration
	KeepBytes int64
	Now       func() time.Time // nil means [time.Now]
	Logger    *slog.Logger     // nil discards what is logged
	// Always makes [Log.Write] sync, and signs the head at every sync.
	Always bool
}

// NewValkey returns the log of a database. Each log adds to a stream of its own, from the
// first record on; before that nothing is sent. A record is written when the server has
// answered. It is synced when the server has synced its append-only file (WAITAOF); a server
// without one, or without that command, stores a record as safely as its configuration says,
// and the log warns of it.
//
// A store may lose its newest lines, as in a failover to a replica without them. The log
// writes them again if it still has them, and else adds a signed note that says how many are
// lost.
func NewValkey(cfg ValkeyConfig) *Log {
	k := newValkeyBackend(cfg)
	l := newLog(k, k.now, k.logger, cfg.Always)
	l.idleSign = k.policy.idleSign()
	return l
}

// newValkeyBackend returns the backend of a configuration, with defaults for what is zero.
func newValkeyBackend(cfg ValkeyConfig) *valkeyBackend {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &valkeyBackend{
		client: cfg.Client, names: streamNames{cfg.Prefix}, policy: streamPolicy{keepFor: cfg.KeepFor, keepBytes: cfg.KeepBytes}.withDefaults(),
		keyDir: cfg.KeyDir, name: cfg.Name, now: cfg.Now, logger: cfg.Logger,
	}
}

// A valkeyBackend is the backend that stores chains in streams of one database, for any number
// of servers with the same prefix.
type valkeyBackend struct {
	client redis.UniversalClient
	names  streamNames
	policy streamPolicy
	keyDir string
	name   string
	now    func() time.Time
	logger *slog.Logger
}

// claim implements [backend]. It goes on with the chain of the server's name, or begins one.
// No lock says that it is the server's own: two servers of one name are found out with the
// first line that the second adds, see streamWriter.move.
func (k *valkeyBackend) claim(now time.Time) (*chain, medium, error) {
	if err := private.MakeDir(k.keyDir); err != nil {
		return nil, nil, err
	}
	s, err := loadSigner(k.keyDir)
	if err != nil {
		return nil, nil, err
	}
	ids, err := k.chainsOf(s)
	if err != nil {
		return nil, nil, err
	}
	c, w := k.writerOf(ids[0], s)
	if err := w.probe(); err != nil {
		k.logger.Warn("the audit trail is as durable as its server keeps it: the server cannot confirm a sync", "err", err)
	}
	found, left, err := w.resumeAny(c, ids)
	if err != nil || found {
		return c, w, err
	}
	notes, err := w.opening(c, now)
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, notesOfLeft(left, now)...)
	g := &group{}
	for _, n := range notes {
		g.data = c.add(g.data, n.body())
	}
	g.sign(c, now)
	return c, w, errors.Join(w.write(g, c), w.publish(g.head))
}

// writerOf returns a chain and the writer that adds to it, both before the first line.
func (k *valkeyBackend) writerOf(id string, s *signer) (*chain, *streamWriter) {
	return &chain{id: id, signer: s}, &streamWriter{
		client: k.client, names: k.names, policy: k.policy, id: id, signer: s, now: k.now, logger: k.logger, last: sumOf(nil),
	}
}

// chainsOf returns the ids of the chains that the server may go on with, in this order: those of
// its name and the signing keys with which they were begun, if they are there, that of the
// present key, and a new one. Without a name it is only a new one.
func (k *valkeyBackend) chainsOf(s *signer) (ids []string, err error) {
	if k.name == "" {
		return []string{newID()}, nil
	}
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	for _, key := range s.keys() {
		id := k.chainID(key)
		there, err := k.client.HExists(ctx, k.names.heads(), id).Result()
		if err != nil {
			return nil, err
		}
		if there {
			ids = append(ids, id)
		}
	}
	if own := k.chainID(s.public()); !slices.Contains(ids, own) {
		ids = append(ids, own)
	}
	return append(ids, newID()), nil
}

// chainID returns the id of the chain that the server began with a signing key. It follows
// from name and key, so that a server that has lost all else finds its chain again, and one
// with another key does not take the chain.
func (k *valkeyBackend) chainID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(append([]byte("triptych audit chain\n"+k.name+"\n"), key...))
	return hex.EncodeToString(sum[:8])
}

// trusted implements backend. Keys and rotations are in files of each server, not in the store:
// someone who can change the store must not be able to change them.
func (k *valkeyBackend) trusted(keys []ed25519.PublicKey) (trust, error) {
	return trustedIn(k.keyDir, keys)
}

// renewedSigner implements backend.
func (k *valkeyBackend) renewedSigner(s *signer) (*signer, error) { return s.renewed(k.keyDir) }

// began implements [backend]. It is always false: a signing key may be there for a trail of
// files.
func (k *valkeyBackend) began() bool { return false }

// chains implements [backend]. It returns all chains that have a head, by their ids.
func (k *valkeyBackend) chains(ctx context.Context) ([]stored, error) {
	ids, err := k.client.HKeys(ctx, k.names.heads()).Result()
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	all := make([]stored, len(ids))
	for i, id := range ids {
		all[i] = &streamChain{k.client, k.names, id}
	}
	return all, nil
}

// A streamChain is a chain in a stream, for reading.
type streamChain struct {
	client redis.UniversalClient
	names  streamNames
	name   string
}

// id implements stored.
func (c *streamChain) id() string { return c.name }

// flush implements [stored]. It does nothing: only the writers of a server can ask it for a
// sync.
func (c *streamChain) flush() error { return nil }

// head implements stored. A chain without a head is an error: each one is created with
// its first head.
func (c *streamChain) head(ctx context.Context) ([]byte, error) {
	head, err := c.client.HGet(ctx, c.names.heads(), c.name).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, errHead
	}
	return head, err
}

// lines implements stored. It reads the stream page by page, in the order of the
// records.
func (c *streamChain) lines(ctx context.Context) iter.Seq2[place, error] {
	return c.between(ctx, 1, math.MaxInt)
}

// linesFrom implements stored. A chain has one stream.
func (c *streamChain) linesFrom(ctx context.Context, _ string, line int) iter.Seq2[place, error] {
	return c.between(ctx, line, math.MaxInt)
}

// between yields the lines with the numbers from first to last. It reads them in pages; lines
// that are added meanwhile may be among them, and a page that policy has deleted is skipped.
func (c *streamChain) between(ctx context.Context, first, last int) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		stream := c.names.stream(c.name)
		start, end := entryID(first), "+"
		if last < math.MaxInt {
			end = entryID(last)
		}
		for {
			page, err := c.client.XRangeN(ctx, stream, start, end, pageLines).Result()
			if err != nil {
				yield(place{}, err)
				return
			}
			for _, entry := range page {
				if !yield(linePlace(stream, entry), nil) {
					return
				}
			}
			if len(page) < pageLines {
				return
			}
			start = "(" + page[len(page)-1].ID
		}
	}
}

// entryID is the id of the entry of a line.
func entryID(line int) string { return strconv.Itoa(line) + "-0" }

// linePlace returns the line of an entry. An entry that no log has added, since its id or its
// fields are others, is an empty line, which no chain has: a verification finds it.
func linePlace(stream string, entry redis.XMessage) place {
	text, _ := entry.Values[lineField].(string)
	if len(entry.Values) != 1 {
		text = ""
	}
	var n int
	if _, err := fmt.Sscanf(entry.ID, "%d-0", &n); err != nil || entryID(n) != entry.ID {
		text = ""
	}
	return place{file: stream, line: n, text: []byte(text)}
}
