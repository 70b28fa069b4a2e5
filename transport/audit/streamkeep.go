package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

// A streamPolicy says when a writer begins a segment and which it deletes. Its zero value
// keeps all.
type streamPolicy struct {
	segment   int64         // bytes at which a new one is begun
	keepFor   time.Duration // the least time that records stay; 0 is for ever
	keepBytes int64         // of a chain that stay when a segment is begun; 0 is all
}

const (
	// defaultSegment is the size of a segment; a store that limits bytes has smaller ones.
	defaultSegment = 16 << 20
	// keptSegments is the number of segments that a limit of bytes has room for.
	keptSegments = 8
)

// withDefaults returns the policy with a size of segments.
func (p streamPolicy) withDefaults() streamPolicy {
	if p.segment == 0 {
		p.segment = defaultSegment
	}
	if p.keepBytes > 0 {
		p.segment = max(1, min(p.segment, p.keepBytes/keptSegments))
	}
	return p
}

// isFull implements [medium]. A segment is full by size, or by age where records stay for a
// limited time.
func (w *streamWriter) isFull(now time.Time) bool {
	if w.rotates || len(w.index.segments) == 0 {
		return false
	}
	s := w.index.current()
	return w.index.bytes-s.offset >= w.policy.segment || w.policy.keepFor > 0 && now.Sub(s.began) >= w.policy.keepFor/4
}

// rotate implements [medium]. It makes the next record begin a new segment.
func (w *streamWriter) rotate() { w.rotates = true }

// preface implements [medium]. It returns the notes that come before the next record: the
// beginning of a segment, what it deletes, and what the writer found out when it opened the
// chain.
func (w *streamWriter) preface(c *chain, now time.Time) []note {
	var notes []note
	if w.rotates {
		w.rotates = false
		notes = append(notes, note{File: c.header(w.index.current().number+1, now)})
		if r := w.outdated(c, now); r != nil {
			notes = append(notes, note{Retired: r})
		}
	}
	notes = append(notes, w.notes...)
	w.notes = nil
	return notes
}

// outdated returns the segments to delete when a new one is begun, nil if there are none.
// Where the first line that stays cannot be read, nothing is deleted.
func (w *streamWriter) outdated(c *chain, now time.Time) *retiredNote {
	all := w.index.segments
	drop := 0 // the first ones
	for i := range all {
		ended, size := now, w.index.bytes-all[i].offset // of this one and those after it
		if i+1 < len(all) {
			ended = all[i+1].began
		}
		if i < maxAged && w.policy.keepFor > 0 && ended.Before(now.Add(-w.policy.keepFor)) || w.policy.keepBytes > 0 && size > w.policy.keepBytes {
			drop = i + 1
		}
	}
	if drop == 0 {
		return nil
	}
	r := &retiredNote{Through: all[drop-1].number, Seq: c.seq, Hash: c.prev.String(), Time: formatTime(now)}
	if drop < len(all) {
		first, err := w.firstOf(all[drop])
		if err != nil {
			w.logger.Warn("segments of the audit trail are kept longer", "chain", w.id, "err", err)
			return nil
		}
		r.Seq, r.Hash = first.note.File.After, first.prev
	}
	return r
}

// firstOf reads the first line of a segment.
func (w *streamWriter) firstOf(s segment) (line, error) {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	id := entryID(s.line)
	page, err := w.client.XRange(ctx, w.stream(), id, id).Result()
	if err != nil {
		return line{}, err
	}
	if len(page) == 1 {
		l, err := parseLine(linePlace("", page[0]).text)
		if err == nil && l.note != nil && l.note.File != nil && l.note.File.Number == s.number {
			return l, nil
		}
	}
	return line{}, fmt.Errorf("line %d does not begin segment %d", s.line, s.number)
}

// retireAfter finds out which segments the lines of a group say are deleted, for confirm to
// delete them when the group is synced.
func (w *streamWriter) retireAfter(lines [][]byte) {
	for _, text := range lines {
		if l, err := parseLine(text); err == nil && l.note != nil && l.note.Retired != nil {
			w.retired, w.retiredAt = l.note.Retired.Through, w.lines
		}
	}
}

// confirm implements [medium]. It deletes the segments that the trail says are gone, once it
// is synced, and the chains that have ended. A failure is logged, and the next confirm tries
// again.
func (w *streamWriter) confirm(m mark) {
	if w.retired == 0 || m.chain != w.id || m.size < int64(w.retiredAt) {
		return
	}
	first := slices.IndexFunc(w.index.segments, func(s segment) bool { return s.number > w.retired })
	if first < 1 {
		w.retired = 0
		return
	}
	if err := w.trim(w.index.segments[:first], w.index.segments[first]); err != nil {
		w.logger.Warn("segments of the audit trail cannot be deleted yet", "chain", w.id, "err", err)
		return
	}
	w.index.segments = slices.Clone(w.index.segments[first:])
	w.retired = 0
	if w.policy.keepFor > 0 {
		w.dropEnded(w.now())
	}
}

// trimStream deletes the lines of a stream (KEYS[1]) before that of ARGV[1] and the segments of
// the further arguments, with their indexes (KEYS[3] and so on) and their fields in the hash of
// segments (KEYS[2]), which covers no line before then.
var trimStream = redis.NewScript(`
redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1] .. '-0')
for i = 3, #KEYS do redis.call('UNLINK', KEYS[i]) end
for i = 2, #ARGV do redis.call('HDEL', KEYS[2], ARGV[i]) end
local from = redis.call('HGET', KEYS[2], 'from')
if from and tonumber(from) < tonumber(ARGV[1]) then redis.call('HSET', KEYS[2], 'from', ARGV[1]) end
return 1`)

// trim deletes segments with their indexes at once; next is the first that stays. A query that
// adds to the indexes meanwhile adds to none that is deleted.
func (w *streamWriter) trim(gone []segment, next segment) error {
	if _, err := w.firstOf(next); err != nil { // its place is not where we think
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	names := []string{w.stream(), w.names.segments(w.id)}
	args := []any{next.line}
	for _, s := range gone {
		names, args = append(names, w.names.index(w.id, s.number)), append(args, s.number)
	}
	return trimStream.Run(ctx, w.client, names, args...).Err()
}
