package values

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// An Object is a typed location: a variable or a part of one. It may be in
// memory, in registers, in several pieces of both, or nowhere.
type Object struct {
	Name     string
	Type     *types.Type
	Argument bool
	Hidden   bool // an inner variable or member has the same name

	View   *View
	pieces []location.Piece
	offset uint64 // of this part within the pieces, in bytes
	bits   bitField
	err    error
}

// A bitField is the range of bits of a bit-field within the bytes from its first one.
// For other objects its size is 0.
type bitField struct {
	start, size int64       // start is 0 to 7
	owner       *types.Type // the structure, if the field is a member of one
	at          int64       // of the first bit in the structure
}

// maxObject limits the number of bytes of an object that are read at once.
const maxObject = 16 << 20

// At returns the object of type t at addr, as a cast of the address does.
func (o Object) At(t *types.Type, addr uint64) Object {
	return Object{Type: t, View: o.View, pieces: inMemory(addr)}
}

// ObjectAt returns an object of a type at an address of the process.
func ObjectAt(p *symbols.Program, t *types.Type, addr uint64, mem symbols.Memory, regs dwarfregs.Registers) Object {
	w := &View{Image: p.Image(addr), Memory: mem, Registers: regs}
	if im := p.ImageOf(t); im != nil {
		w.Image = im
	}
	return Object{Type: t, View: w, pieces: inMemory(addr)}
}

func inMemory(addr uint64) []location.Piece {
	return []location.Piece{{Kind: location.InMemory, Addr: addr}}
}

// Err returns the reason why the object has no value, such as [ErrOptimizedOut],
// [ErrUnavailable] or damaged debug information. It returns nil if the object may
// have a value.
func (o Object) Err() error { return o.err }

// Address returns the address of the object, and false if it is not in memory.
func (o Object) Address() (uint64, bool) {
	if o.err != nil || len(o.pieces) != 1 || o.pieces[0].Kind != location.InMemory || o.pieces[0].Bits != 0 {
		return 0, false
	}
	return o.pieces[0].Addr + o.offset, true
}

// Register returns the DWARF number of the register that holds the whole object,
// and false if there is none.
func (o Object) Register() (uint64, bool) {
	if o.err != nil || len(o.pieces) != 1 || o.pieces[0].Kind != location.InRegister || o.offset != 0 {
		return 0, false
	}
	return o.pieces[0].Reg, true
}

// Size returns the size of the object's type in bytes.
func (o Object) Size() int64 { return o.Type.ByteSize() }

// Bytes returns the bytes of the object, in the order of memory.
func (o Object) Bytes() ([]byte, error) {
	size := o.Size()
	if size < 0 || size > maxObject {
		return nil, fmt.Errorf("an object of %d bytes is not read at once", size)
	}
	p := make([]byte, size)
	return p, o.read(0, p)
}

// part returns a part of the object at an offset.
func (o Object) part(name string, t *types.Type, off int64) Object {
	p := o
	p.Name, p.Type, p.bits, p.Argument, p.Hidden = name, t, bitField{}, false, false
	p.offset += uint64(off)
	return p
}

// Escaped returns the variable on the heap if the object is a pointer that Go's
// compiler named &name, and the object itself otherwise.
func (o Object) Escaped() Object {
	if o.Type.Lang != lang.Go || len(o.Name) < 2 || o.Name[0] != '&' {
		return o
	}
	v, err := o.Deref()
	if err != nil {
		return o
	}
	v.Name, v.Argument, v.Hidden = o.Name[1:], o.Argument, false
	return v
}

// Unescaped is like Escaped for a variable of this name. If the pointer cannot be
// followed, the result has no value.
func (o Object) Unescaped(name string) Object {
	v := o.Escaped()
	if v.Name != name && v.Type.Strip().Kind == types.KindPointer {
		v = Object{Type: v.Type.Strip().Elem(), View: o.View, err: ErrUnavailable, Argument: o.Argument}
	}
	v.Name = name
	return v
}

// Unreadable returns an object of a type without a value. Its error is reason.
func (o Object) Unreadable(t *types.Type, reason error) Object {
	return Object{Type: t, View: o.View, err: reason}
}

// Global returns a global variable by its name, qualified or not.
func Global(ctx context.Context, p *symbols.Program, name string, mem symbols.Memory, regs dwarfregs.Registers) (Object, error) {
	v, im, err := symbols.Viewpoint{}.Global(ctx, p, name)
	if err != nil {
		return Object{}, err
	}
	w := &View{Image: im, Memory: mem, Registers: regs}
	return w.Object(v), nil
}

// Globals returns the global variables of an image for whose names want
// returns true, in the order of the debug information; a nil want takes all.
func Globals(ctx context.Context, im *symbols.Image, mem symbols.Memory, regs dwarfregs.Registers, want func(name string) bool) ([]Object, error) {
	vs, err := im.Globals(ctx, want)
	w := &View{Image: im, Memory: mem, Registers: regs}
	var out []Object
	for _, v := range vs {
		out = append(out, w.Object(v))
	}
	return out, err
}
