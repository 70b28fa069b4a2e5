package audit

import (
	"context"
	"iter"
)

// A Position is that of a line in a chain.
type Position struct {
	File string `json:"file"` // or stream
	Line int    `json:"line"`
}

// A Placed is a record and its position.
type Placed struct {
	Record
	At Position
}

// After reads what follows a position in each chain, all of the chains that have none: one
// chain after the other, the records of each in their order. Lines that cannot be read come
// as a [*BreakError] and reading goes on; any other error is the last.
func (l *Log) After(ctx context.Context, done map[string]Position) iter.Seq2[Placed, error] {
	return func(yield func(Placed, error) bool) {
		chains, err := l.backend.chains(ctx)
		if err != nil {
			yield(Placed{}, err)
			return
		}
		for _, c := range chains {
			from := done[c.id()]
			for at, err := range c.linesFrom(ctx, from.File, from.Line+1) {
				if err != nil {
					yield(Placed{}, err)
					return
				}
				if at.open {
					continue // it is just being written
				}
				r, err := readRecord(c.id(), at)
				if r == nil && err == nil {
					continue
				}
				one := Placed{At: Position{at.file, at.line}}
				if err == nil {
					one.Record = *r
				}
				if !yield(one, err) {
					return
				}
			}
		}
	}
}
