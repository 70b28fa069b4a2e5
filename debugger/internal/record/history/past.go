package history

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A Past has the steps of a process between two positions. [Records] have them as they were made, a
// recording makes them again by a replay, and a [Line] has several pasts, one after another. Every
// search of a [History] is written over this interface.
//
// The searches of a Past find what they can without records. Where it can only be found in the
// records, they say so: Hits, Visit, Branches and Accesses do not advance, Last and First answer with the
// nearest position.
type Past interface {
	// Bounds returns the first and the last position.
	Bounds() (first, last uint64)

	// Window returns records around the one at a position. Windows must not overlap, and there
	// must be none without records, except at the present. They can be read until Drop.
	Window(ctx context.Context, position uint64) (*Records, error)

	// Drop releases a window, if it is one of this past.
	Drop(window *Records)

	// Last returns a position from on and before to, such that no place is after it and
	// before to. The position itself may be none. It returns false if there is no place.
	Last(ctx context.Context, places *Places, from, to uint64) (position uint64, ok bool, err error)

	// First returns a position such that no place is before it and not before from.
	First(ctx context.Context, places *Places, from, to uint64) (position uint64, ok bool, err error)

	// Hits calls f with the hits of instructions at positions after from, up to to, in order,
	// until it returns false. It returns the position up to which it has found all.
	Hits(ctx context.Context, code []uint64, from, to uint64, f func(Hit) bool) (reached uint64, err error)

	// Visit is Hits with a view of each of them, which is valid during the call.
	Visit(ctx context.Context, code []uint64, from, to uint64, f func(Hit, *View) bool) (reached uint64, err error)

	// Branches calls f with the transitions from one position to another that are no
	// executed instruction, and with those of wanted instructions, in order, until it returns
	// false. The first and the last step come, too, with Transition.Ordinary. It returns the
	// position up to which it has come.
	Branches(ctx context.Context, wanted Wanted, from, to uint64, f func(*Transition) bool) (reached uint64, err error)

	// Accesses calls f with the accesses to memory from one position to another, in order, until
	// it returns false. It returns the position up to which it has come.
	Accesses(ctx context.Context, from, to uint64, f func(*Access) bool) (reached uint64, err error)

	// Inputs calls f with the positions, kinds and numbers of the steps from one position to another
	// that are system calls, signals or unrecorded runs, and in a recording with switches to another
	// thread.
	Inputs(ctx context.Context, from, to uint64, f func(position uint64, in Input)) error
}

// A Part is a [Past] that its owner can shorten and drop. Its bounds may move forward only,
// except by Cut.
type Part interface {
	Past

	// Bytes returns how much memory the part takes.
	Bytes() int

	// CheckCut returns why the part cannot end at a position in it. Cut makes it end there, or
	// says that nothing follows it any more.
	CheckCut(position uint64) error
	Cut(position uint64)

	// Close drops the part, with the processes that it has.
	Close() error
}

// Places are the aim of a search: positions before certain instructions, and before
// steps that write certain memory.
type Places struct {
	Code   []uint64 // addresses of instructions
	Memory []x86.Span

	// Holds reports whether the search may end at an instruction of Code, to which the
	// view was moved. It must change nothing. A nil Holds reports true.
	Holds func(*View) bool
}

// A Hit is a moment at which a thread has come to an instruction: by executing others, by a
// system call, by a signal, or while the process ran by itself.
type Hit struct {
	Position uint64 // before the instruction
	Thread   int
	PC, SP   uint64
	Kind     Kind // of the record that leads there
}

// A Wanted reports whether an instruction is wanted when it leads to another one than the next, or
// whenever it is executed. Where a conditional jump of the latter kind leads is only known if it is
// of both.
type Wanted func(in *x86.Inst) (jumps, always bool)
