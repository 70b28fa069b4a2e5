package audit

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"
)

// A Filter chooses records; its zero value chooses all. A record must fit every field that is
// set, and a text fits only as a whole.
type Filter struct {
	From, To time.Time // From is included, To is not; zero means no bound
	Session  string
	Key      string
	Limit    int // at most so many, the oldest first; 0 means no limit
}

// wants reports whether the filter chooses a record.
func (f *Filter) wants(r *Record) bool {
	return (f.From.IsZero() || !r.Time.Before(f.From)) &&
		(f.To.IsZero() || r.Time.Before(f.To)) &&
		(f.Session == "" || r.Session == f.Session) &&
		(f.Key == "" || r.Key == f.Key)
}

// Query reads the trail of a folder: the records of each chain in their order,
// and of several chains the oldest next. Lines that cannot be read come as a
// [*BreakError] and reading goes on; any other error is the last. Records that are
// not signed yet are among them. Query checks nothing; [Verify] does.
func Query(ctx context.Context, dir string, f Filter) iter.Seq2[Record, error] {
	return query(ctx, newFiles(Config{Dir: dir}), f)
}

// Query reads the trail that the log is part of; see the function [Query].
// Records that were not written yet are not among them.
func (l *Log) Query(ctx context.Context, f Filter) iter.Seq2[Record, error] {
	return query(ctx, l.backend, f)
}

// query merges the chains of a backend.
func query(ctx context.Context, k backend, f Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		chains, err := k.chains(ctx)
		if err != nil {
			yield(Record{}, err)
			return
		}
		var heads []*cursor
		for _, c := range chains {
			cur := newCursor(ctx, c, &f)
			defer cur.stop()
			if cur.next() {
				heads = append(heads, cur)
			}
		}
		merge(heads, f.Limit, yield)
	}
}

// merge yields what the cursors stand on, errors first, then the oldest. Chains are in the
// order of time each, as far as the clock of their process goes forward, and so
// are the records that it yields.
func merge(heads []*cursor, limit int, yield func(Record, error) bool) {
	for n := 0; len(heads) > 0; {
		first := slices.MinFunc(heads, (*cursor).compare)
		if !yield(first.record, first.err) {
			return
		}
		if first.err == nil {
			n++
		}
		if limit > 0 && n == limit {
			return
		}
		if !first.next() {
			heads = slices.DeleteFunc(heads, func(c *cursor) bool { return c == first })
		}
	}
}

// A cursor stands on a record of one chain, or on an error. It reads the chain as far as that,
// so that a query with a limit reads no more than it needs.
type cursor struct {
	record Record
	err    error
	pull   func() (Record, error, bool)
	stop   func()
}

// newCursor returns a cursor before the first record of a chain. The caller calls stop, which
// ends its reading.
func newCursor(ctx context.Context, c stored, f *Filter) *cursor {
	pull, stop := iter.Pull2(records(ctx, c, f))
	return &cursor{pull: pull, stop: stop}
}

// next moves on and reports whether there is anything.
func (c *cursor) next() (ok bool) {
	c.record, c.err, ok = c.pull()
	return ok
}

// compare orders cursors: errors first, then the older record.
func (c *cursor) compare(other *cursor) int {
	switch {
	case c.err != nil:
		return -1
	case other.err != nil:
		return 1
	}
	return c.record.Time.Compare(other.record.Time)
}

// records yields the records of one chain that the filter chooses. It skips an
// unfinished line at the end, which a crash has left.
func records(ctx context.Context, c stored, f *Filter) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		from, to := bound(f.From), bound(f.To)
		for at, err := range c.matching(ctx, f) {
			if err != nil {
				yield(Record{}, fmt.Errorf("reading chain %s: %w", c.id(), err))
				return
			}
			if at.open || outside(at.text, from, to) {
				continue
			}
			r, err := readRecord(c.id(), at)
			if r == nil && err == nil || err == nil && !f.wants(r) {
				continue
			}
			if err != nil {
				r = new(Record)
			}
			if !yield(*r, err) {
				return
			}
		}
	}
}

// bound is a bound of time as records spell it, "" for none.
func bound(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return formatTime(t)
}

// outside reports whether the line is that of a record before from or after to, without
// reading it in full: its time comes right after its number. It reports false in doubt, and
// the caller looks at the parsed record: a query over a short period of a long trail skips
// nearly all lines here.
func outside(text []byte, from, to string) bool {
	if len(text) < prevSize {
		return false
	}
	rest, ok := bytes.CutPrefix(text[prevSize:], []byte(seqStart))
	comma := bytes.IndexByte(rest, ',')
	if !ok || comma < 0 {
		return false
	}
	rest, ok = bytes.CutPrefix(rest[comma:], []byte(timeStart))
	if !ok || len(rest) < len(timeFormat) {
		return false
	}
	at := string(rest[:len(timeFormat)])
	return from != "" && at < from || to != "" && at > to
}

// readRecord reads a line; it is nil for a note. A line that is neither is a [*BreakError].
func readRecord(chain string, at place) (*Record, error) {
	l, err := parseLine(at.text)
	if err == nil && l.note != nil {
		return nil, nil
	}
	var r Record
	if err == nil {
		r, err = parseRecord(at.text)
	}
	if err != nil {
		return nil, &BreakError{Chain: chain, File: at.file, Line: at.line, Seq: l.seq, Reason: err.Error()}
	}
	r.Chain = chain
	return &r, nil
}
