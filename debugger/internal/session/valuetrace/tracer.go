package valuetrace

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sourcefile"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// A source is memory whose value at a position is to be traced.
type source struct {
	addr, size uint64
	position   uint64
	hop        int    // index of the hop that used the value, -1 for the first
	mask       []byte // the bits of it that matter; nil for all bits
	bits       bool   // a bit-field has them: its last write is one that changes them
	keeps      int    // later writes that wrote the bits again
	pointer    bool   // the value is part of the address that the hop read through
	address    bool   // it is one, or where one comes from
}

// A tracer traces a value.
type tracer struct {
	ctx    context.Context //nolint:containedctx // it lives as long as one call
	s      *stepping.Stepper
	result Result
	queue  []source
	known  map[uint64]int // hops by the positions of their writes
	instrs map[uint64]x86.Inst
	files  sourcefile.Cache
	hop    int            // index of the current hop
	looped map[uint64]int // definitions of registers in the current hop, by address

	pointed  bool // the current hop is of an address, or where one comes from
	pointing bool // the tracer follows registers of an address
	pointers int  // registers of addresses that were followed
}
