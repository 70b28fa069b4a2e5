package expr

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
)

// A Scope resolves names in a frame of a stopped thread. Its methods return
// [symbols.ErrNotFound] for unknown names.
type Scope interface {
	// Language returns the language of the code.
	Language() lang.Lang
	// Variable returns a variable by its name.
	Variable(ctx context.Context, name string) (values.Object, error)
	// Symbol returns the address of a function, or of data without debug
	// information, by its name.
	Symbol(ctx context.Context, name string) (addr uint64, data bool, err error)
	// Type returns a type of the program by its name.
	Type(ctx context.Context, name string) (*types.Type, error)
	// Register returns a register, and its size in bytes.
	Register(name string) (value uint64, size int, err error)
	// Vector returns a vector register or one of the x87 unit, and false for all
	// other names.
	Vector(name string) (o values.Object, ok bool, err error)
	// At returns an object of a type at an address.
	At(t *types.Type, addr uint64) values.Object
}

// An evaluator is the state of one evaluation.
type evaluator struct {
	ctx   context.Context //nolint:containedctx // it lives as long as one call
	scope Scope
	lang  lang.Lang
	// checking makes both sides of && and || be evaluated, see [Expr.Check].
	checking bool
}
