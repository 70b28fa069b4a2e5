package audit

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // see sumOf
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// A streamWriter is the medium of a store: it adds lines to one stream. Each addition expects
// the stream to end where the last one ended, so that lines that the store has lost, or
// another server has added, are found at once. The fields change with the Log's lock writing
// held; sync uses only what never changes.
type streamWriter struct {
	client redis.UniversalClient
	names  streamNames
	policy streamPolicy
	id     string
	signer *signer // of the chain
	now    func() time.Time
	logger *slog.Logger
	lines  int    // that are stored
	last   string // sum of the last of them
	waits  bool   // the server can confirm that it has synced

	recent      [][]byte // the last lines that are stored, to be stored again if they are lost
	recentBytes int
	overdrawn   int    // bytes that were added while the store refused to take more memory
	notes       []note // go before the next records

	index     indexer
	rotates   bool // the next record begins a new segment
	retired   int  // segments up to this number are deleted after the next sync
	retiredAt int  // the number of lines after which the trail says so

	markedAt time.Time         // when the chain was last marked as that of a server that runs
	unlisted map[string]string // heads of other chains that must be put back, by chain
}

const (
	// maxRecent limits the bytes of stored lines that stay in memory.
	maxRecent = 1 << 20
	// maxOverdrawn limits the bytes that are added to a store that has reached its
	// limit of memory, so that look-ups and revocations can go on for a while.
	maxOverdrawn = 16 << 20
)

// stream returns the key of the stream.
func (w *streamWriter) stream() string { return w.names.stream(w.id) }

// unsynced implements [medium]. A server that has answered has all lines.
func (w *streamWriter) unsynced() int { return 0 }

// mark implements [medium]. Its size is the number of lines.
func (w *streamWriter) mark() mark { return mark{size: int64(w.lines), chain: w.id} }

// appendScript adds lines behind the N-th if that is the last one and has the sum S.
// Otherwise it returns the number and the text of the last one.
//
// Keys: the stream, the hash of segments. Arguments: N, S, what the index covers then, the
// beginning of the names of the indexes; the number of segments that begin, and pairs of a
// segment and its value; the number of entries of indexes, and pairs of a segment and a
// member; the lines.
const appendScript = `
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local n, text = 0, ''
if last[1] then n, text = tonumber(string.match(last[1][1], '^%d+')), last[1][2][2] end
if n ~= tonumber(ARGV[1]) or redis.sha1hex(text) ~= ARGV[2] then return {n, text} end
local at = 5
local function pairs_do(f)
  local count = tonumber(ARGV[at])
  for i = at + 1, at + 2 * count, 2 do f(ARGV[i], ARGV[i + 1]) end
  at = at + 2 * count + 1
end
pairs_do(function(segment, value) redis.call('HSET', KEYS[2], segment, value) end)
pairs_do(function(segment, member) redis.call('ZADD', ARGV[4] .. segment, 0, member) end)
for i = at, #ARGV do
  redis.call('XADD', KEYS[1], string.format('%.0f-0', n + i - at + 1), 'line', ARGV[i])
end
redis.call('HSETNX', KEYS[2], 'from', string.format('%.0f', n + 1))
redis.call('HSET', KEYS[2], 'through', ARGV[3])
return {}`

var (
	appendLines = redis.NewScript(appendScript)
	// appendBeyond does the same though the server has no memory left.
	appendBeyond = redis.NewScript("#!lua flags=allow-oom\n" + appendScript)
)

// sumOf returns the sum of a line that scripts compute, too. It tells two lines of the same
// number apart; the chain is protected by its own hashes.
func sumOf(line []byte) string {
	sum := sha1.Sum(line) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])
}

// A streamEnd is the last line of a stream: its number and text.
type streamEnd struct {
	n    int
	text string
}

// write implements [medium]. It adds all lines of a group or none. Where the stream does not
// end as expected, one of four things has happened:
//
//	an earlier answer was lost     the lines are there: nothing to do
//	the store has lost lines       mend writes them again, or notes the loss
//	policy has deleted the chain   mend goes on behind what was deleted
//	another process adds to it     move begins a chain of the server's own
func (w *streamWriter) write(g *group, c *chain) error {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	for range 3 { // others may change the stream in between
		lines := slices.Collect(g.lines())
		added := w.index.plan(w.lines, lines, w.now())
		end, err := w.add(ctx, lines, added)
		switch {
		case err != nil:
			return err
		case end == nil, end.n == w.lines+len(lines) && end.text == string(lines[len(lines)-1]):
			w.remember(lines)
			w.index.accept(added)
			w.retireAfter(lines)
			return nil
		case end.n < w.lines:
			err = w.mend(ctx, *end, g, c)
		default:
			w.move(g, c)
		}
		if err != nil {
			return err
		}
	}
	return errors.New("others change the audit trail all the time")
}

// add adds lines behind those that are stored. It returns the end of the stream if that is
// elsewhere, and then adds nothing. Where the store has reached its limit of memory, it adds
// up to maxOverdrawn bytes all the same: revoking a key must not wait for an operator.
func (w *streamWriter) add(ctx context.Context, lines [][]byte, added addition) (*streamEnd, error) {
	args := append(make([]any, 0, len(lines)+len(added.entries)+len(added.begun)+6),
		w.lines, w.last, fmt.Sprintf("%d %d", w.lines+len(lines), added.bytes), w.names.indexes(w.id))
	args = append(append(args, len(added.begun)/2), added.begun...)
	args = append(append(args, len(added.entries)/2), added.entries...)
	keys := []string{w.stream(), w.names.segments(w.id)}
	size := 0
	for _, text := range lines {
		args, size = append(args, text), size+len(text)
	}
	answer, err := appendLines.Run(ctx, w.client, keys, args...).Slice()
	switch {
	case err == nil:
		w.overdrawn = 0
	case isOutOfMemory(err) && w.overdrawn+size <= maxOverdrawn:
		if w.overdrawn == 0 {
			w.logger.Warn("the store has reached its limit of memory; records are added beyond it for now", "bytes", maxOverdrawn)
		}
		if answer, err = appendBeyond.Run(ctx, w.client, keys, args...).Slice(); err == nil {
			w.overdrawn += size
		}
	}
	if err != nil || len(answer) == 0 {
		return nil, err
	}
	n, _ := answer[0].(int64)
	text, _ := answer[1].(string)
	return &streamEnd{int(n), text}, nil
}

// isOutOfMemory reports whether a server refuses to take more memory.
func isOutOfMemory(err error) bool { return strings.HasPrefix(err.Error(), "OOM ") }

// remember counts lines as stored and holds the last ones in memory, at most maxRecent bytes
// but always one line.
func (w *streamWriter) remember(lines [][]byte) {
	w.lines, w.last = w.lines+len(lines), sumOf(lines[len(lines)-1])
	for _, text := range lines {
		w.recent = append(w.recent, bytes.Clone(text))
		w.recentBytes += len(text)
	}
	drop := 0
	for w.recentBytes > maxRecent && drop < len(w.recent)-1 {
		w.recentBytes -= len(w.recent[drop])
		drop++
	}
	w.recent = slices.Delete(w.recent, 0, drop)
}

// publish implements [medium]. It also lists the chain: a chain without a head is not read.
func (w *streamWriter) publish(head []byte) error {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	w.markAlive(ctx)
	err := w.client.HSet(ctx, w.names.heads(), w.id, head).Err()
	if err != nil && isOutOfMemory(err) {
		return publishBeyond.Run(ctx, w.client, []string{w.names.heads()}, w.id, head).Err()
	}
	return err
}

// publishBeyond publishes a head though the server has no memory left: it replaces one
// of the same size.
var publishBeyond = redis.NewScript("#!lua flags=allow-oom\nreturn redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])")

// CheckValkey returns why a server cannot confirm that it has synced records, nil if it can.
// Then a trail is as durable as the configuration of the server makes it. It writes a key of
// its own and deletes it.
func CheckValkey(ctx context.Context, client redis.UniversalClient, prefix string) error {
	w := &streamWriter{client: client, names: streamNames{prefix}, id: "probe"}
	return errors.Join(w.probe(), client.Del(ctx, w.names.sync(w.id)).Err())
}

// probe finds out whether the server can confirm that it has synced. It is called once, before
// the first line: a server that cannot is not asked again.
func (w *streamWriter) probe() error {
	err := w.waitAOF(mark{chain: w.id})
	w.waits = err == nil
	return err
}

// sync waits until the server has synced its append-only file up to a mark. It runs
// beside write, which may begin another chain.
func (w *streamWriter) sync(m mark) error {
	if !w.waits {
		return nil
	}
	return w.waitAOF(m)
}

// errNotSynced is returned when the server has not synced in time.
var errNotSynced = errors.New("the server has not synced its append-only file in time")

// markWritten writes something small, also though the server has no memory left.
const markWritten = "#!lua flags=allow-oom\nreturn redis.call('SET', KEYS[1], ARGV[1])"

// waitAOF waits for the sync of all writes before it. WAITAOF covers the writes of
// its own connection, so a write to the same node goes before it; the server has
// applied those of other connections by then. A server that knows WAITAOF knows the
// flags of scripts too.
func (w *streamWriter) waitAOF(m mark) error {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	client, err := w.node(ctx, m.chain)
	if err != nil {
		return err
	}
	var synced *redis.Cmd
	if _, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.Eval(ctx, markWritten, []string{w.names.sync(m.chain)}, m.size)
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

// node returns the client of the node that has the stream of a chain.
func (w *streamWriter) node(ctx context.Context, chain string) (redis.Cmdable, error) {
	if cluster, ok := w.client.(*redis.ClusterClient); ok {
		return cluster.MasterForKey(ctx, w.names.stream(chain))
	}
	return w.client, nil
}

// rewrite implements [medium]. It tries once more: what the server has answered is written.
func (w *streamWriter) rewrite(c *chain, unwritten *group, _ time.Time) error {
	if unwritten != nil {
		if err := w.write(unwritten, c); err != nil {
			return err
		}
	}
	return w.sync(w.mark())
}
