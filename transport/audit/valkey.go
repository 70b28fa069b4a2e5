package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// streamPrefix and a chain's id name the stream of the chain. The entry
	// N-0 has the N-th line in the field "line".
	streamPrefix = "triptych:audit:"
	// headsKey is a hash of all chains: their last seals that were promised.
	headsKey  = "triptych:audit-heads"
	lineField = "line"
	// valkeyTimeout is how long the server may take to keep a group.
	valkeyTimeout = 5 * time.Second
	// pageLines is how many lines are read at once.
	pageLines = 1000
)

// A ValkeyConfig says how a trail is kept in Valkey or Redis.
type ValkeyConfig struct {
	Client redis.UniversalClient // it stays the caller's to close
	// KeyDir is the folder of the signing key; servers that share a database
	// need the same key to trust one another's chains.
	KeyDir string
	Now    func() time.Time // nil means [time.Now]
	Logger *slog.Logger     // nil means nobody hears
}

// NewValkey returns the log of a database. Each log adds to a stream of its
// own, which begins with the first record. A record is kept when the server
// has answered; whether it outlives the server is up to that server's
// configuration.
func NewValkey(cfg ValkeyConfig) *Log {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return newLog(&valkeyKeeper{cfg.Client, cfg.KeyDir}, cfg.Now, cfg.Logger)
}

// A valkeyKeeper keeps chains in streams.
type valkeyKeeper struct {
	client redis.UniversalClient
	keyDir string
}

// claim begins a chain.
func (k *valkeyKeeper) claim(now time.Time) (*chain, medium, error) {
	if err := os.MkdirAll(k.keyDir, 0o700); err != nil {
		return nil, nil, err
	}
	key, err := loadKey(k.keyDir)
	if err != nil {
		return nil, nil, err
	}
	c := &chain{id: newID(), key: key}
	w := &streamWriter{client: k.client, id: c.id}
	g := &group{data: c.add(nil, c.header(1, now).body())}
	g.finish(c, now)
	return c, w, w.write(g)
}

func (k *valkeyKeeper) publicKey() (ed25519.PublicKey, error) {
	return ReadPublicKey(filepath.Join(k.keyDir, publicFile))
}

func (k *valkeyKeeper) chains(ctx context.Context) ([]stored, error) {
	ids, err := k.client.HKeys(ctx, headsKey).Result()
	if err != nil {
		return nil, err
	}
	slices.Sort(ids)
	all := make([]stored, len(ids))
	for i, id := range ids {
		all[i] = &streamChain{k.client, id}
	}
	return all, nil
}

// A streamWriter adds groups to one stream.
type streamWriter struct {
	client redis.UniversalClient
	id     string
	lines  int // that are kept
}

func (w *streamWriter) preface(*chain, time.Time) []note { return nil }
func (w *streamWriter) close() error                     { return nil }

// write adds all lines of a group or none, in one transaction. Its entries are
// refused when they are there already: an earlier answer may have been lost.
func (w *streamWriter) write(g *group) error {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	lines := slices.Collect(g.lines())
	if err := w.add(ctx, lines); err != nil && !w.isThere(ctx, g) {
		return err
	}
	if err := w.client.HSet(ctx, headsKey, w.id, g.seal).Err(); err != nil {
		return err
	}
	w.lines += len(lines)
	return nil
}

func (w *streamWriter) add(ctx context.Context, lines [][]byte) error {
	_, err := w.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		for i, text := range lines {
			p.XAdd(ctx, &redis.XAddArgs{
				Stream: streamPrefix + w.id, ID: fmt.Sprintf("%d-0", w.lines+i+1), Values: []any{lineField, text},
			})
		}
		return nil
	})
	return err
}

// isThere reports whether the stream ends with the group.
func (w *streamWriter) isThere(ctx context.Context, g *group) bool {
	last, err := w.client.XRevRangeN(ctx, streamPrefix+w.id, "+", "-", 1).Result()
	return err == nil && len(last) == 1 && last[0].Values[lineField] == string(g.seal)
}

// A streamChain is a chain in a stream.
type streamChain struct {
	client redis.UniversalClient
	name   string
}

func (c *streamChain) id() string { return c.name }

func (c *streamChain) head(ctx context.Context) ([]byte, error) {
	head, err := c.client.HGet(ctx, headsKey, c.name).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, errHead
	}
	return head, err
}

func (c *streamChain) lines(ctx context.Context) iter.Seq2[place, error] {
	return func(yield func(place, error) bool) {
		stream := streamPrefix + c.name
		for after := "-"; ; {
			page, err := c.client.XRangeN(ctx, stream, after, "+", pageLines).Result()
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
			after = "(" + page[len(page)-1].ID
		}
	}
}

// linePlace is the place of an entry. An entry that is none of ours is no
// line.
func linePlace(stream string, entry redis.XMessage) place {
	text, _ := entry.Values[lineField].(string)
	if len(entry.Values) != 1 {
		text = ""
	}
	var n int
	if _, err := fmt.Sscanf(entry.ID, "%d-0", &n); err != nil || fmt.Sprintf("%d-0", n) != entry.ID {
		text = ""
	}
	return place{file: stream, line: n, text: []byte(text)}
}
