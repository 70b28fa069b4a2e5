package location

import "errors"

// ErrUnavailable means that a register, an argument at entry or the like, which
// an expression needs, is not known any more.
var ErrUnavailable = errors.New("value is not available")

// Memory reads the memory of the program: all of p or an error.
type Memory interface {
	ReadMemory(addr uint64, p []byte) error
}

// A Context is what an expression may ask about the frame and the program.
// Functions that are nil make the expressions that need them unavailable.
type Context struct {
	Memory Memory
	Bias   uint64 // added to addresses of the file

	Register  func(n uint64) (uint64, bool)                   // by DWARF number; false when unknown
	FrameBase func() (uint64, error)                          // DW_OP_fbreg
	CFA       func() (uint64, error)                          // DW_OP_call_frame_cfa
	TLS       func(offset uint64) (uint64, error)             // address of a thread-local
	Entry     func(expr []byte) (uint64, error)               // DW_OP_entry_value
	Address   func(index uint64) (uint64, error)              // .debug_addr, in the file's addresses
	Procedure func(die uint64, relative bool) ([]byte, error) // DW_OP_call*
	Type      func(die uint64) (Type, error)                  // typed operations; relative to the unit

	Object *uint64  // DW_OP_push_object_address
	Stack  []uint64 // pushed beforehand, for member locations and the like
}

func (c *Context) register(n uint64) (uint64, error) {
	if c.Register == nil {
		return 0, ErrUnavailable
	}
	if v, ok := c.Register(n); ok {
		return v, nil
	}
	return 0, ErrUnavailable
}

// ask calls a function of the context that may be missing.
func ask(f func() (uint64, error)) (uint64, error) {
	if f == nil {
		return 0, ErrUnavailable
	}
	return f()
}

// askWith is ask for functions with an argument.
func askWith[T any](f func(T) (uint64, error), arg T) (uint64, error) {
	if f == nil {
		return 0, ErrUnavailable
	}
	return f(arg)
}
