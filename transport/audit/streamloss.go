package audit

import (
	"context"
	"crypto/sha256"
	"fmt"
)

// mend brings back the lines that the store has lost, if they are still in memory. Otherwise
// the group begins with a note of what is missing. Where another server has deleted the chain
// by policy, the group follows what was deleted. Only without an error has the writer, or the
// group, changed so that write can try again.
func (w *streamWriter) mend(ctx context.Context, end streamEnd, g *group, c *chain) error {
	if end.n == 0 {
		ended, err := w.readEnded(ctx)
		if err != nil {
			return err
		}
		if ended != nil && ended.Lines == w.lines && ended.Sum == w.last {
			w.followEnded(ended, g, c)
			return nil
		}
	}
	w.index.forget(end.n)
	if lost := w.after(end); lost != nil {
		w.logger.Warn("the store has lost records of the audit trail, which are written again", "chain", w.id, "lines", len(lost))
		again := &streamWriter{client: w.client, names: w.names, id: w.id, lines: end.n, last: sumOf([]byte(end.text)), logger: w.logger}
		added := w.index.plan(end.n, lost, w.now())
		if other, err := again.add(ctx, lost, added); err != nil || other == nil {
			w.index.accept(added)
			return err
		}
	}
	return w.noteLoss(end, g, c)
}

// after returns the lines that followed an end of the stream, nil if they are not all
// in memory or the end is not one that this writer has seen.
func (w *streamWriter) after(end streamEnd) [][]byte {
	first := w.lines - len(w.recent) // number of the line before the recent ones
	if end.n < first || len(w.recent) == 0 {
		return nil
	}
	lost := w.recent[end.n-first:]
	if l, err := parseLine(lost[0]); err != nil || l.prev != hashOf(end).String() {
		return nil
	}
	return lost
}

// hashOf returns the hash of the last line of a stream, zeros if it is empty.
func hashOf(end streamEnd) digest {
	if end.n == 0 {
		return digest{}
	}
	return sha256.Sum256([]byte(end.text))
}

// noteLoss makes a group follow the end of the stream, with a note of what is missing between.
// Rotations are repeated in it, for verifiers must find each of them in the chain.
func (w *streamWriter) noteLoss(end streamEnd, g *group, c *chain) error {
	had, err := w.lastRecord(end)
	if err != nil {
		return err
	}
	through := g.seq - uint64(recordsIn(g)) // a number of lines
	if had > through {                      // another process has noted the loss and goes on
		w.move(g, c)
		return nil
	}
	w.logger.Warn("the store has lost records of the audit trail", "chain", w.id, "after", had, "through", through)
	notes := []note{{Lost: &lostNote{After: had, Through: through, Time: formatTime(w.now())}}}
	for i := range c.signer.rotations { // one of them may be lost, too
		notes = append(notes, note{Rotated: &c.signer.rotations[i]})
	}
	if end.n == 0 {
		first := chain{id: c.id, signer: c.signer}
		notes = append([]note{{File: first.header(1, w.now())}}, notes...)
	}
	w.lines, w.last, w.recent, w.recentBytes = end.n, sumOf([]byte(end.text)), nil, 0
	g.follow(c, hashOf(end), notes, w.now())
	return nil
}

// lastRecord returns the number of the last record before the end of the stream, 0 if the
// chain has none. A signed head has that number, so few lines are read.
func (w *streamWriter) lastRecord(end streamEnd) (uint64, error) {
	if end.n == 0 {
		return 0, nil
	}
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	seq := uint64(0)
	err := w.backwards(ctx, func(l line) bool {
		seq = l.seq
		if l.note != nil && l.note.Head != nil {
			seq = l.note.Head.Seq
		}
		return seq == 0 && (l.note == nil || l.note.File == nil && l.note.Moved == nil)
	})
	return seq, err
}

// backwards passes the lines of the stream to a function, the last one first, until
// that returns false or a line cannot be read.
func (w *streamWriter) backwards(ctx context.Context, use func(line) bool) error {
	for before := "+"; ; {
		page, err := w.client.XRevRangeN(ctx, w.stream(), before, "-", 100).Result()
		if err != nil || len(page) == 0 {
			return err
		}
		for _, entry := range page {
			l, err := parseLine(linePlace("", entry).text)
			if err != nil {
				return fmt.Errorf("entry %s of %s: %w", entry.ID, w.stream(), err)
			}
			if !use(l) {
				return nil
			}
		}
		before = "(" + page[len(page)-1].ID
	}
}

// move makes a group begin a chain of its own: another process adds to this one. That happens
// when two servers have the same name, such as after the configuration of one was copied. The
// records keep their numbers, and the first lines say in which chain those before are.
func (w *streamWriter) move(g *group, c *chain) {
	w.index, w.rotates, w.retired = indexer{}, false, 0
	from, through := w.id, g.seq-uint64(recordsIn(g)) // a number of lines
	w.id = newID()
	c.id = w.id
	w.logger.Warn("another process adds to the audit chain of this server; a new one is begun: give each server a --server-name of its own", "chain", from, "new", w.id)
	w.lines, w.last, w.recent, w.recentBytes = 0, sumOf(nil), nil, 0
	first := chain{id: c.id, signer: c.signer}
	g.follow(c, digest{}, []note{
		{File: first.header(1, w.now())}, {Moved: &movedNote{From: from, Through: through, Time: formatTime(w.now())}},
	}, w.now())
}
