package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// A chain has ended when its server is gone for longer than records stay: its last signed
// head is older, and no mark in the store says that the server runs. A server that adds
// nothing signs its head from time to time and renews the mark, which the clock of the store
// ends, whatever the clocks of the servers say.
//
// A server that was suspended for so long finds its chain deleted. What was deleted is stated
// in the store with a signature, and the server goes on behind it, as behind segments that
// were deleted by policy. It does the same when it is started again.

const (
	// idleSignMost is the longest time for which a server does not sign its head.
	idleSignMost = 6 * time.Hour
	// aliveAtLeast is the time for which a server counts as running that deletes nothing.
	aliveAtLeast = 24 * time.Hour
	// endedFor is the time for which the store has the statement of a deleted chain.
	endedFor = 400 * 24 * time.Hour
)

// idleSign returns the time after which an idle server signs its head again, at most a quarter
// of the time after which its chain would count as ended.
func (p streamPolicy) idleSign() time.Duration {
	if p.keepFor == 0 {
		return idleSignMost
	}
	return max(signEvery, min(p.keepFor/4, idleSignMost))
}

// aliveFor returns the time for which a mark holds.
func (p streamPolicy) aliveFor() time.Duration {
	if p.keepFor == 0 {
		return aliveAtLeast
	}
	return p.keepFor
}

// markAlive renews the mark of a server that runs. A failure does no harm: without the mark,
// the time of the signed head shows that the server runs.
func (w *streamWriter) markAlive(ctx context.Context) {
	if time.Since(w.markedAt) < w.policy.idleSign()/2 {
		return
	}
	if err := w.client.Set(ctx, w.names.alive(w.id), 1, w.policy.aliveFor()).Err(); err == nil {
		w.markedAt = time.Now()
	}
}

// close ends the mark: a server that is stopped adds nothing any more. Where that fails, the
// mark ends by itself.
func (w *streamWriter) close() error {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = w.client.Del(ctx, w.names.alive(w.id)).Err()
	return nil
}

// An endedNote states what was deleted of a chain as a whole. It is no line of a chain, but
// the value of a key of the store, signed with the key of the server that has deleted the
// chain.
type endedNote struct {
	Chain     string `json:"chain"`
	File      int    `json:"file"`  // number of the last segment
	Lines     int    `json:"lines"` // number of the last line
	Sum       string `json:"sum"`   // of that line, see sumOf
	Hash      string `json:"hash"`  // of that line
	Seq       uint64 `json:"seq"`   // of the last record
	Time      string `json:"time"`  // when it was deleted
	Signature string `json:"sig"`
}

// signed returns the text that the signature covers.
func (e endedNote) signed() []byte {
	return fmt.Appendf(nil, "triptych audit ended\n%d\n%s\n%d\n%d\n%s\n%s\n%d\n%s\n", formatVersion, e.Chain, e.File, e.Lines, e.Sum, e.Hash, e.Seq, e.Time)
}

// readEnded returns what was deleted of the writer's chain, nil if the store has no statement
// that a key has signed which the writer trusts.
func (w *streamWriter) readEnded(ctx context.Context) (*endedNote, error) {
	return endedOf(ctx, w.client, w.names, w.id, w.signer.trusted()...)
}

// endedOf returns what was deleted of a chain, nil if the store has no statement that one of
// the keys has signed.
func endedOf(ctx context.Context, client redis.UniversalClient, names streamNames, chain string, keys ...ed25519.PublicKey) (*endedNote, error) {
	text, err := client.Get(ctx, names.ended(chain)).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var e endedNote
	if json.Unmarshal(text, &e) != nil || e.Chain != chain {
		return nil, nil
	}
	sig, err := hex.DecodeString(e.Signature)
	hash, hashErr := hex.DecodeString(e.Hash)
	signed := func(key ed25519.PublicKey) bool { return ed25519.Verify(key, e.signed(), sig) }
	if err != nil || hashErr != nil || len(hash) != len(digest{}) || !slices.ContainsFunc(keys, signed) {
		return nil, nil
	}
	return &e, nil
}

// deleted implements [deleter].
func (k *valkeyBackend) deleted(ctx context.Context, chain string, trusted []ed25519.PublicKey) (bool, error) {
	e, err := endedOf(ctx, k.client, k.names, chain, trusted...)
	return e != nil, err
}

// notes returns the first two lines of a chain that goes on behind what was deleted of it, and
// sets the end of the chain to that.
func (e *endedNote) notes(c *chain, now time.Time) []note {
	hash, _ := hex.DecodeString(e.Hash) // readEnded has checked it
	c.point = point{prev: digest(hash), seq: e.Seq}
	return []note{
		{File: c.header(e.File+1, now)},
		{Retired: &retiredNote{Through: e.File, Seq: e.Seq, Hash: e.Hash, Time: e.Time}},
	}
}

// opening returns the first notes of the writer's chain, of which the store has no line: those
// of a new chain, or those that go on behind what was deleted of it.
func (w *streamWriter) opening(c *chain, now time.Time) ([]note, error) {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	ended, err := w.readEnded(ctx)
	if err != nil || ended == nil {
		return []note{{File: c.header(1, now)}}, err
	}
	return ended.notes(c, now), nil
}

// followEnded makes a group follow what was deleted of the chain. The writer goes on with an
// empty stream.
func (w *streamWriter) followEnded(e *endedNote, g *group, c *chain) {
	w.logger.Info("the audit chain of this server was deleted by policy meanwhile and goes on", "chain", w.id, "seq", e.Seq)
	w.index, w.rotates, w.retired = indexer{}, false, 0
	w.lines, w.last, w.recent, w.recentBytes = 0, sumOf(nil), nil, 0
	before := *c
	notes := e.notes(&before, w.now())
	g.follow(c, before.prev, notes, w.now())
}
