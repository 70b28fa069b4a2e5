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

	// Source has what depends on the frame and its unit. It must not be nil.
	Source Source

	Object *uint64  // DW_OP_push_object_address
	Stack  []uint64 // pushed beforehand, for member locations and the like
}

// A Source has the facts of a frame and its unit that expressions use. Methods return
// ErrUnavailable for what they do not have; [None] does so for all.
type Source interface {
	Register(n uint64) (uint64, bool)                    // by DWARF number; false when unknown
	FrameBase() (uint64, error)                          // DW_OP_fbreg
	CFA() (uint64, error)                                // DW_OP_call_frame_cfa
	ThreadLocal(offset uint64) (uint64, error)           // address of a thread-local
	EntryValue(expr []byte) (uint64, error)              // DW_OP_entry_value
	Address(index uint64) (uint64, error)                // .debug_addr, in the file's addresses
	Procedure(die uint64, relative bool) ([]byte, error) // DW_OP_call*
	Type(die uint64) (Type, error)                       // typed operations; relative to the unit
}

// None is a Source that has nothing. Others embed it for what they lack.
type None struct{}

func (None) Register(uint64) (uint64, bool)         { return 0, false }
func (None) FrameBase() (uint64, error)             { return 0, ErrUnavailable }
func (None) CFA() (uint64, error)                   { return 0, ErrUnavailable }
func (None) ThreadLocal(uint64) (uint64, error)     { return 0, ErrUnavailable }
func (None) EntryValue([]byte) (uint64, error)      { return 0, ErrUnavailable }
func (None) Address(uint64) (uint64, error)         { return 0, ErrUnavailable }
func (None) Procedure(uint64, bool) ([]byte, error) { return nil, ErrUnavailable }
func (None) Type(uint64) (Type, error)              { return Type{}, ErrUnavailable }

func (c *Context) register(n uint64) (uint64, error) {
	if v, ok := c.Source.Register(n); ok {
		return v, nil
	}
	return 0, ErrUnavailable
}
