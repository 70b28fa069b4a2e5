package history

import (
	"context"
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// An AccessKind is the kind of an Access.
type AccessKind uint8

// The kinds of accesses.
const (
	AccessRead   AccessKind = iota
	AccessWrite             // also one that reads before
	AccessAtomic            // reads and writes at once
	AccessCall              // a system call, which has returned
	AccessEnd               // the thread has ended
	AccessSignal            // a signal was delivered to the thread
)

// An Access is an access to memory by an instruction, or what a system call has done. It is valid
// during the call that it is passed to.
type Access struct {
	Position uint64 // before it
	Kind     AccessKind
	Thread   int
	PC       uint64
	Memory   x86.Span  // of AccessRead, AccessWrite and AccessAtomic
	Made     *CallMade // of AccessCall and AccessEnd
}

// A CallMade describes a system call that has returned, or the end of a thread.
type CallMade struct {
	Number    uint64
	Arguments [6]uint64
	Result    int64
	Started   []int // ids of threads
	Writes    []Piece
	Unmapped  x86.Span // memory whose contents are gone; of no length if there is none
}

// A Piece is memory with its contents.
type Piece struct {
	Address uint64
	Data    []byte
}

// ErrNoAccesses reports that a history has no recording from which accesses can be found.
var ErrNoAccesses = errors.New("accesses to memory are found in recordings only, not in steps that were recorded one by one")

// Accesses calls f with the accesses to memory from one position to another, in order, until it
// returns false. It does not move the view.
func (st *Steps) Accesses(ctx context.Context, from, to uint64, f func(*Access) bool) error {
	defer st.request.Within(ctx)()
	if first, last := st.past.Bounds(); from < first || to > last {
		return ErrNoAccesses
	}
	ended := false
	for at := from; at < to && !ended; {
		reached, err := st.past.Accesses(ctx, at, to, func(a *Access) bool {
			ended = !f(a)
			return !ended
		})
		switch {
		case err != nil:
			return err
		case reached == at && !ended:
			return ErrNoAccesses
		}
		at = reached
	}
	return nil
}

// LastSwitch returns the last position before one at which another thread went on, and false if
// there is none. Records of steps have none.
func (st *Steps) LastSwitch(ctx context.Context, before uint64) (position uint64, ok bool, err error) {
	err = st.past.Inputs(ctx, st.oldest(), before, func(at uint64, in Input) {
		if in.Switches {
			position, ok = at, true
		}
	})
	return position, ok, err
}
