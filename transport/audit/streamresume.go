package audit

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// resumeAny makes the writer and its chain go on with the first of some chains that can go on,
// and reports whether that has lines. left has those before it whose end only a compromised
// key has signed. An error of the store ends the search: what it could not read may be the
// right chain.
func (w *streamWriter) resumeAny(c *chain, ids []string) (found bool, left []string, err error) {
	for _, id := range ids {
		c.id, w.id = id, id
		found, err = w.resume(c)
		if !errors.Is(err, errTail) {
			break
		}
		w.logger.Error("a chain of this server cannot be gone on with; another is used", "chain", id, "err", err)
		if errors.Is(err, errCompromised) {
			left = append(left, id)
		}
	}
	return found, left, err
}

// resume makes the writer go on with a stream that a server of the same name has left,
// and reports whether there was one. A signed head that was published for a later
// record than the last one shows that the store has lost lines: the chain says so and
// goes on. Where the lines do not lead to a signed head of ours, or there is only a head that
// is not, nothing is touched and the error wraps errTail.
func (w *streamWriter) resume(c *chain) (found bool, err error) {
	ctx, stop := context.WithTimeout(context.Background(), valkeyTimeout)
	defer stop()
	published, err := (&streamChain{w.client, w.names, w.id}).head(ctx)
	if err != nil && !errors.Is(err, errHead) {
		return false, err
	}
	last, err := w.client.XRevRangeN(ctx, w.stream(), "+", "-", 1).Result()
	if err != nil || len(last) == 0 && len(published) == 0 {
		return false, err
	}
	if len(last) == 0 { // all of it is lost
		return w.restart(c, published)
	}
	end, err := w.tail(ctx, c)
	if err != nil {
		return false, err
	}
	at := linePlace(w.stream(), last[0])
	w.lines, w.last, c.point = at.line, sumOf(at.text), end.point
	if err := w.resumeIndex(ctx); err != nil {
		return false, err
	}
	if end.former {
		c.pending = c.signer.rotations
	}
	now := formatTime(w.now())
	if lost := w.signedAfter(published, c); lost > c.seq {
		w.logger.Warn("the store has lost records of the audit trail", "chain", w.id, "after", c.seq, "through", lost)
		w.notes = append(w.notes, note{Lost: &lostNote{After: c.seq, Through: lost, Time: now}})
		c.seq = lost
	} else if end.unsigned > 0 || !end.clean {
		w.notes = append(w.notes, note{Recovered: &recoveredNote{After: c.seq, Unsigned: end.unsigned, Time: now}})
	}
	return true, nil
}

// resumeIndex reads where the segments of the stream begin. Where the index does not cover
// the last line, another program has added to the stream: the index begins again, and
// queries add what is before.
func (w *streamWriter) resumeIndex(ctx context.Context) error {
	key := w.names.segments(w.id)
	fields, err := w.client.HGetAll(ctx, key).Result()
	if err != nil {
		return err
	}
	x := stateOf(fields)
	w.index = indexer{segments: x.segments, bytes: x.bytes}
	w.index.forget(w.lines)
	if len(w.index.segments) == 0 {
		if err := w.adopt(ctx); err != nil {
			return err
		}
	}
	if len(fields) == 0 || x.through == w.lines {
		return nil
	}
	return w.client.HSet(ctx, key, coveredFrom, w.lines+1).Err()
}

// bytesOfLine is the usual size of a line, for chains without an index.
const bytesOfLine = 333

// adopt makes all lines of a stream the first segment, which one that was restored has not.
// Its size is an estimate, for the lines are not read.
func (w *streamWriter) adopt(ctx context.Context) error {
	first, err := w.client.XRangeN(ctx, w.stream(), "-", "+", 1).Result()
	if err != nil || len(first) == 0 {
		return err
	}
	at := linePlace("", first[0])
	file := fileOf(at.text)
	if file == nil {
		return nil // it is shown by Verify
	}
	began, err := time.Parse(timeFormat, file.Time)
	if err != nil {
		began = w.now()
	}
	s := segment{number: file.Number, line: at.line, began: began}
	w.index.segments, w.index.bytes = []segment{s}, int64(w.lines-at.line+1)*bytesOfLine
	return w.client.HSet(ctx, w.names.segments(w.id), strconv.Itoa(s.number), s.value()).Err()
}

// restart begins the stream of a chain again of which the store has only the signed head. The
// chain says how many records are lost, as the head tells; a head that is not ours is no
// reason to begin.
func (w *streamWriter) restart(c *chain, published []byte) (bool, error) {
	c.seq = 0
	header := c.header(1, w.now())
	if c.seq = w.signedAfter(published, c); c.seq == 0 {
		l, _ := parseLine(published) // an empty line is signed by no key
		return false, fmt.Errorf("%w: %w", errTail, c.signer.errUnsigned(l, c.id))
	}
	w.logger.Warn("the store has lost a chain of the audit trail", "chain", w.id, "through", c.seq)
	g := &group{seq: c.seq}
	g.follow(c, digest{}, []note{{File: header}, {Lost: &lostNote{Through: c.seq, Time: formatTime(w.now())}}}, w.now())
	return true, errors.Join(w.write(g, c), w.publish(g.head))
}

// signedAfter returns the number of the last record that a published head of ours covers, 0 if
// it is none. A head that others have put there proves nothing.
func (w *streamWriter) signedAfter(published []byte, c *chain) uint64 {
	l, err := parseLine(published)
	if err != nil || !c.signer.signed(l, c.id) {
		return 0
	}
	return l.note.Head.Seq
}

// A streamTail is the end of a stream, and what was found between that and its last signed
// head.
type streamTail struct {
	point
	unsigned uint64 // records after the last signed head
	clean    bool   // the stream ends with a signed head
	former   bool   // a key before that of the signer has signed the head
}

// errTail is wrapped when a stream does not end as one of ours.
var errTail = errors.New("the end of the stream does not follow a signed head of this server")

// tail follows the lines back from the end of the stream to a signed head. Each line must be
// the one whose hash the line behind it has; the head must be one that the signer goes on
// behind. Unlike a file, a stream has no line that is half written, so whatever does not fit
// is an error.
func (w *streamWriter) tail(ctx context.Context, c *chain) (streamTail, error) {
	var t streamTail
	problem, want, first, signed := error(nil), "", true, false
	err := w.backwards(ctx, func(l line) bool {
		if first {
			t.point.prev = l.hash
		}
		isHead := c.signer.signed(l, c.id)
		switch {
		case !first && l.hash.String() != want:
			problem = fmt.Errorf("%w: a line was changed or removed", errTail)
		case isHead:
			t.clean, signed = first, true
			t.former = !l.isHeadOf(c.signer.public(), c.id)
			t.seq = max(t.seq, l.note.Head.Seq)
		case l.note != nil && l.note.Head != nil:
			problem = fmt.Errorf("%w: %w", errTail, c.signer.errUnsigned(l, c.id))
		case l.note != nil && l.note.Rotated != nil && c.signer.isForeign(l.note.Rotated):
			problem = fmt.Errorf("%w: %w", errTail, errCompromised)
		case l.note != nil && l.note.Lost != nil:
			t.seq = max(t.seq, l.note.Lost.Through)
		case l.note == nil:
			t.seq = max(t.seq, l.seq)
			t.unsigned++
		}
		first, want = false, l.prev
		return problem == nil && !signed
	})
	switch {
	case errors.Is(err, errLine):
		err = fmt.Errorf("%w: %w", errTail, err)
	case err == nil && problem == nil && !signed:
		problem = errTail
	}
	return t, errors.Join(err, problem)
}
