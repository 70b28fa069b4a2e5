package location

import "errors"

// ErrUnavailable is returned when an expression needs a register, argument or
// the like that is not known.
var ErrUnavailable = errors.New("value is not available")

// Memory reads the memory of the program: all of p or an error.
type Memory interface {
	ReadMemory(addr uint64, p []byte) error
}

// A Context gives expressions access to the program. Expressions that need a
// function that is nil are unavailable.
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

// ask calls a function of the context, which may be nil.
func ask(f func() (uint64, error)) (uint64, error) {
	if f == nil {
		return 0, ErrUnavailable
	}
	return f()
}

// askWith is like ask for functions with an argument.
func askWith[T any](f func(T) (uint64, error), arg T) (uint64, error) {
	if f == nil {
		return 0, ErrUnavailable
	}
	return f(arg)
}
