package audit

import (
	"context"
	"crypto/sha256"
	"iter"
)

// A Position is that of a record in a chain. An exporter stores it with what it has passed on,
// and gives it to [Log.After] to go on behind it. The hash finds the record again when it is
// no longer at the same file and line.
type Position struct {
	File string `json:"file"` // or stream
	Line int    `json:"line"`
	Seq  uint64 `json:"seq,omitempty"`
	Hash string `json:"hash,omitempty"` // of the line
	// Origin is the hash of the first line that the chain had when it was read from its
	// beginning, and Began how often a chain of this name has begun anew since.
	Origin string `json:"origin,omitempty"`
	Began  int    `json:"began,omitempty"`
}

// A Placed is a record and its position. Beside an error only the position is set.
type Placed struct {
	Record
	At Position
}

// After reads what follows a position in each chain, all of the chains that have none: one
// chain after the other, the records of each in their order. A chain that has begun anew, such
// as in a store that was emptied, is read from its beginning, with a position that counts so.
// Lines that cannot be read come as a [*BreakError] and reading goes on; any other error is
// the last.
//
// A caller that stores each position after it has dealt with the record misses none but those
// that policy deletes first; after a crash between the two it gets one record twice.
func (l *Log) After(ctx context.Context, done map[string]Position) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		chains, err := l.backend.chains(ctx)
		if err != nil {
			yield(Placed{}, err)
			return
		}
		for _, c := range chains {
			from, err := continueAt(ctx, c, done[c.id()])
			if err != nil {
				yield(Placed{}, err)
				return
			}
			if from != nil && !from.read(ctx, c, yield) {
				return
			}
		}
	}
}

// A readingStart is the line with which reading a chain goes on. The positions that follow
// have its Origin and Began.
type readingStart struct {
	Position        // File and Line are of the first line to read
	skip     uint64 // records up to this number were read before
}

// read yields the records of a chain from its start on, and reports whether to go on with the
// next chain. A line that is still being written is left for the next time.
func (from *readingStart) read(ctx context.Context, c stored, yield func(Placed, error) bool) bool {
	origin := from.Origin
	for at, err := range c.linesFrom(ctx, from.File, from.Line) {
		if err != nil {
			yield(Placed{}, err)
			return false
		}
		if at.open {
			continue // it is just being written
		}
		hash := digest(sha256.Sum256(at.text)).String()
		if origin == "" {
			origin = hash
		}
		r, err := readRecord(c.id(), at)
		if err == nil && (r == nil || r.Seq <= from.skip) {
			continue
		}
		one := Placed{At: Position{File: at.file, Line: at.line, Hash: hash, Origin: origin, Began: from.Began}}
		if err == nil {
			one.Record, one.At.Seq = *r, r.Seq
		}
		if !yield(one, err) {
			return false
		}
	}
	return true
}

// continueAt returns where reading a chain goes on behind a position, nil if the chain has
// nothing to read for now. Usually it reads one line: that of the position, to see that it is
// still there.
func continueAt(ctx context.Context, c stored, p Position) (*readingStart, error) {
	next := &readingStart{Position: p}
	next.Line++
	if p.Hash == "" { // there is none, or an earlier version has stored it
		return next, nil
	}
	for at, err := range c.linesFrom(ctx, p.File, p.Line) {
		if err != nil {
			return nil, err
		}
		if at.file == p.File && at.line == p.Line && digest(sha256.Sum256(at.text)).String() == p.Hash {
			return next, nil
		}
		break
	}
	return findAgain(ctx, c, p)
}

// findAgain returns where reading goes on in a chain in which a position is not in its place:
// the lines were written again elsewhere, deleted by policy, lost by the store, or belong to
// another chain of the same name. It reads the whole chain.
func findAgain(ctx context.Context, c stored, p Position) (*readingStart, error) {
	var first *line
	var last uint64 // record
	lost := false   // a note says that the record of the position is lost
	for at, err := range c.lines(ctx) {
		if err != nil {
			return nil, err
		}
		l, err := parseLine(at.text)
		if err != nil {
			continue // read reports it
		}
		if first == nil {
			first = &l
		}
		if l.hash.String() == p.Hash {
			return &readingStart{Position: Position{File: at.file, Line: at.line + 1, Origin: p.Origin, Began: p.Began}}, nil
		}
		last = max(last, l.seq)
		lost = lost || l.note != nil && l.note.Lost != nil && l.note.Lost.After < p.Seq && p.Seq <= l.note.Lost.Through
	}
	switch {
	case first == nil:
		return nil, nil
	case lost, first.note != nil && first.note.File != nil && first.note.File.After >= p.Seq: // deleted by policy
		return &readingStart{Position: Position{Began: p.Began}, skip: p.Seq}, nil
	case last < p.Seq && first.hash.String() == p.Origin: // the store has lost the end; its server will say so
		return nil, nil
	}
	return &readingStart{Position: Position{Began: p.Began + 1}}, nil
}
