package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// A streamWriter adds lines to one stream.
type streamWriter struct {
	client redis.UniversalClient
	id     string
	lines  int  // that are stored
	waits  bool // the server can confirm that it has synced
}

// stream returns the key of the stream.
func (w *streamWriter) stream() string { return streamPrefix + w.id }

// syncKey is a key on the same node of a cluster as the stream.
func (w *streamWriter) syncKey() string { return "triptych:audit-sync:{" + w.stream() + "}" }

// A stream has no files, so these methods have nothing to do; a server that has
// answered has all lines.
func (w *streamWriter) preface(*chain, time.Time) []note { return nil }
func (w *streamWriter) isFull(time.Time) bool            { return false }
func (w *streamWriter) rotate()                          {}
func (w *streamWriter) unsynced() int                    { return 0 }
func (w *streamWriter) mark() mark                       { return mark{size: int64(w.lines)} }
func (w *streamWriter) confirm(mark)                     {}
func (w *streamWriter) close() error                     { return nil }

// write adds all lines of a group or none, in one transaction. Its entries are
// refused when they are there already: an earlier answer may have been lost.
func (w *streamWriter) write(g *group, _ *chain) error {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	lines := slices.Collect(g.lines())
	if err := w.add(ctx, lines); err != nil && !w.isThere(ctx, lines) {
		return err
	}
	w.lines += len(lines)
	return nil
}

// add adds lines behind those that are stored, in one transaction. Ids are numbers of
// lines, so that lines that are there already make the transaction fail.
func (w *streamWriter) add(ctx context.Context, lines [][]byte) error {
	_, err := w.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		for i, text := range lines {
			p.XAdd(ctx, &redis.XAddArgs{
				Stream: w.stream(), ID: fmt.Sprintf("%d-0", w.lines+i+1), Values: []any{lineField, text},
			})
		}
		return nil
	})
	return err
}

// isThere reports whether the stream ends with these lines.
func (w *streamWriter) isThere(ctx context.Context, lines [][]byte) bool {
	last, err := w.client.XRevRangeN(ctx, w.stream(), "+", "-", 1).Result()
	return err == nil && len(last) == 1 && last[0].Values[lineField] == string(lines[len(lines)-1])
}

// publish stores a signed head.
func (w *streamWriter) publish(head []byte) error {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	return w.client.HSet(ctx, headsKey, w.id, head).Err()
}

// CheckValkey returns why a server cannot confirm that it has synced records, nil if it
// can. Then a trail is as durable as the configuration of the server makes it.
func CheckValkey(ctx context.Context, client redis.UniversalClient) error {
	w := &streamWriter{client: client, id: "probe"}
	return errors.Join(w.probe(), client.Del(ctx, w.syncKey()).Err())
}

// probe finds out whether the server can confirm that it has synced.
func (w *streamWriter) probe() error {
	err := w.waitAOF(0)
	w.waits = err == nil
	return err
}

// sync waits until the server has synced its append-only file.
func (w *streamWriter) sync(m mark) error {
	if !w.waits {
		return nil
	}
	return w.waitAOF(m.size)
}

// errNotSynced is returned when the server has not synced in time.
var errNotSynced = errors.New("the server has not synced its append-only file in time")

// waitAOF waits for the sync of all writes before it. WAITAOF covers the writes of
// its own connection, so a write to the same node goes before it; the server has
// applied those of other connections by then.
func (w *streamWriter) waitAOF(lines int64) error {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	client, err := w.node(ctx)
	if err != nil {
		return err
	}
	var synced *redis.Cmd
	if _, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, w.syncKey(), lines, 0)
		synced = p.Do(ctx, "WAITAOF", 1, 0, (valkeyTimeout / 2).Milliseconds())
		return nil
	}); err != nil {
		return err
	}
	counts, err := synced.Int64Slice()
	if err == nil && (len(counts) == 0 || counts[0] < 1) {
		err = errNotSynced
	}
	return err
}

// node returns the client of the node that has the stream.
func (w *streamWriter) node(ctx context.Context) (redis.Cmdable, error) {
	if cluster, ok := w.client.(*redis.ClusterClient); ok {
		return cluster.MasterForKey(ctx, w.stream())
	}
	return w.client, nil
}

// rewrite tries once more: what the server has answered is written.
func (w *streamWriter) rewrite(c *chain, unwritten *group, _ time.Time) error {
	if unwritten != nil {
		if err := w.write(unwritten, c); err != nil {
			return err
		}
	}
	return w.sync(w.mark())
}
