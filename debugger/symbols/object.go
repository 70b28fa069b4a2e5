package symbols

import (
	"debug/dwarf"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/symbols/location"
)

// An Object is a typed place: a variable or a part of one. Where it is may be
// memory, registers, several pieces of both, or nowhere.
type Object struct {
	Name     string
	Type     *Type
	Argument bool

	view   *view
	pieces []location.Piece
	offset uint64 // of this part in what the pieces hold, in bytes
	bits   bitField
	err    error
}

// A bitField is the part of its bytes that a bit-field is; no size means none.
type bitField struct{ start, size int64 }

// maxObject bounds how many bytes of an object are read at once.
const maxObject = 16 << 20

// At returns an object of a type in memory, as for a cast of an address.
func (o Object) At(t *Type, addr uint64) Object {
	return Object{Type: t, view: o.view, pieces: inMemory(addr)}
}

// ObjectAt returns an object of a type at an address of the process.
func (p *Program) ObjectAt(t *Type, addr uint64, mem Memory, regs Registers) Object {
	w := &view{image: p.Image(addr), mem: mem, regs: regs}
	if t.d != nil {
		w.image = t.d.image
	}
	return Object{Type: t, view: w, pieces: inMemory(addr)}
}

func inMemory(addr uint64) []location.Piece {
	return []location.Piece{{Kind: location.InMemory, Addr: addr}}
}

// Err says why the object has no value: [ErrOptimizedOut], [ErrUnavailable] or
// something damaged; nil when it may have one.
func (o Object) Err() error { return o.err }

// Address returns where the object is in memory; false when it is not there.
func (o Object) Address() (uint64, bool) {
	if o.err != nil || len(o.pieces) != 1 || o.pieces[0].Kind != location.InMemory || o.pieces[0].Bits != 0 {
		return 0, false
	}
	return o.pieces[0].Addr + o.offset, true
}

// Register returns the DWARF number of the register that holds the object;
// false when no single one does.
func (o Object) Register() (uint64, bool) {
	if o.err != nil || len(o.pieces) != 1 || o.pieces[0].Kind != location.InRegister || o.offset != 0 {
		return 0, false
	}
	return o.pieces[0].Reg, true
}

// Size returns the bytes of the object's type.
func (o Object) Size() int64 { return o.Type.size() }

// Bytes reads the object as it lies in memory.
func (o Object) Bytes() ([]byte, error) {
	size := o.Size()
	if size < 0 || size > maxObject {
		return nil, fmt.Errorf("an object of %d bytes is not read at once", size)
	}
	p := make([]byte, size)
	return p, o.read(0, p)
}

// read reads bytes of the object from an offset on.
func (o Object) read(off uint64, p []byte) error {
	if o.err != nil {
		return o.err
	}
	off += o.offset
	if len(o.pieces) == 1 && o.pieces[0].Bits == 0 {
		return o.view.whole(&o.pieces[0], off, p)
	}
	return o.view.gather(o.pieces, off*8, p)
}

// whole reads from a piece that is the whole object.
func (w *view) whole(pc *location.Piece, off uint64, p []byte) error {
	if pc.Kind == location.InMemory {
		return w.mem.ReadMemory(pc.Addr+off, p)
	}
	b, err := w.held(pc)
	if err != nil {
		return err
	}
	if off > uint64(len(b)) || uint64(len(p)) > uint64(len(b))-off {
		return ErrUnavailable
	}
	copy(p, b[off:])
	return nil
}

// held returns the bytes of a piece that is not in memory.
func (w *view) held(pc *location.Piece) ([]byte, error) {
	switch pc.Kind {
	case location.InRegister:
		if b := w.regs.bytes(pc.Reg); b != nil {
			return b, nil
		}
		return nil, ErrUnavailable
	case location.IsValue:
		b := make([]byte, 16)
		for i := range 8 {
			b[i] = byte(pc.Value >> (8 * i))
		}
		return b, nil
	case location.IsBytes:
		return pc.Data, nil
	}
	return nil, ErrOptimizedOut
}

// gather puts together bytes that are in several pieces.
func (w *view) gather(pieces []location.Piece, bit uint64, p []byte) error {
	end := bit + uint64(len(p))*8
	at := uint64(0)
	for i := range pieces {
		pc := &pieces[i]
		from, to := max(bit, at), min(end, at+pc.Bits)
		if from < to {
			if err := w.part(pc, from-at, to-at, p, from-bit); err != nil {
				return err
			}
		}
		at += pc.Bits
	}
	if at < end {
		return ErrOptimizedOut
	}
	return nil
}

// part copies the bits [from, to) of a piece to a bit of p.
func (w *view) part(pc *location.Piece, from, to uint64, p []byte, dst uint64) error {
	from, to = from+pc.BitOffset, to+pc.BitOffset
	var b []byte
	var err error
	if pc.Kind == location.InMemory {
		b = make([]byte, (to+7)/8)
		err = w.mem.ReadMemory(pc.Addr, b)
	} else {
		b, err = w.held(pc)
	}
	if err != nil {
		return err
	}
	if to > uint64(len(b))*8 {
		return ErrUnavailable
	}
	for i := from; i < to; i++ {
		if b[i/8]&(1<<(i%8)) != 0 {
			p[dst/8] |= 1 << (dst % 8)
		}
		dst++
	}
	return nil
}

// Uint reads a number of up to eight bytes: integers, pointers, characters,
// booleans and enumerations, zero-extended.
func (o Object) Uint() (uint64, error) {
	if o.bits.size > 0 {
		return o.bitField()
	}
	size := o.Size()
	if size <= 0 || size > 8 {
		return 0, fmt.Errorf("%s is no number of up to 8 bytes", o.Type)
	}
	var p [8]byte
	err := o.read(0, p[:size])
	return word(p[:]), err
}

// Int is Uint with the sign of the type's size extended.
func (o Object) Int() (int64, error) {
	v, err := o.Uint()
	size := o.Size() * 8
	if o.bits.size > 0 {
		size = o.bits.size
	}
	shift := 64 - min(max(size, 1), 64)
	return int64(v<<shift) >> shift, err
}

func (o Object) bitField() (uint64, error) {
	first, last := o.bits.start/8, (o.bits.start+o.bits.size+7)/8
	if o.bits.size > 64 || first < 0 || last-first > 9 {
		return 0, errors.New("bit-field is too wide")
	}
	var p [16]byte
	if err := o.read(uint64(first), p[:last-first]); err != nil {
		return 0, err
	}
	shift := uint(o.bits.start % 8)
	v := word(p[:])>>shift | word(p[8:])<<(64-shift)
	if o.bits.size < 64 {
		v &= 1<<o.bits.size - 1
	}
	return v, nil
}

func word(p []byte) uint64 {
	var v uint64
	for i := range 8 {
		v |= uint64(p[i]) << (8 * i)
	}
	return v
}

// Float reads a floating-point number of four, eight, or ten bytes, the last
// rounded.
func (o Object) Float() (float64, error) {
	b, err := o.Bytes()
	if err != nil {
		return 0, err
	}
	return floatOf(b)
}

func floatOf(b []byte) (float64, error) {
	switch len(b) {
	case 4:
		return float64(math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)), nil
	case 8:
		return math.Float64frombits(word(b)), nil
	case 16:
		return extended(word(b), uint16(b[8])|uint16(b[9])<<8), nil
	}
	return 0, fmt.Errorf("floating-point number of %d bytes", len(b))
}

// extended rounds an x87 number: a sign, 15 bits of exponent, and a mantissa
// with its leading bit written out.
func extended(mantissa uint64, head uint16) float64 {
	exp := int(head&0x7fff) - 16383 - 63
	f := math.Ldexp(float64(mantissa), exp)
	if head&0x7fff == 0x7fff {
		f = math.Inf(1)
		if mantissa<<1 != 0 {
			f = math.NaN()
		}
	}
	if head&0x8000 != 0 {
		return -f
	}
	return f
}

// part returns a part of the object at an offset.
func (o Object) part(name string, t *Type, off int64) Object {
	p := o
	p.Name, p.Type, p.bits, p.Argument = name, t, bitField{}, false
	p.offset += uint64(off)
	return p
}

// Field returns a member by its place in the type's list.
func (o Object) Field(f *Field) Object {
	p := o.part(f.Name, f.Type(), f.Offset)
	switch {
	case f.Static:
		p.err = fmt.Errorf("static member %s: %w", f.Name, ErrNotFound)
	case f.Virtual:
		p = o.virtualBase(f, p)
	case f.BitSize > 0:
		p = o.part(f.Name, f.Type(), 0)
		p.bits = bitField{f.BitStart, f.BitSize}
	}
	return p
}

// virtualBase finds a base class by the expression that the compiler left for
// it: given the object's address it computes the base's.
func (o Object) virtualBase(f *Field, p Object) Object {
	addr, ok := o.Address()
	if !ok {
		p.err = ErrUnavailable
		return p
	}
	c := &location.Context{Memory: o.view.mem, Register: o.view.regs.Get, Stack: []uint64{addr}, Object: &addr}
	base, err := location.Value(f.expr, c)
	p.offset, p.pieces, p.err = 0, inMemory(base), err
	return p
}

// maxBases bounds how deep members are looked for in base classes.
const maxBases = 16

// Member returns a member of a struct, class or union by its name, also one of
// its base classes and of unnamed members. A pointer or reference to one is
// followed.
func (o Object) Member(name string) (Object, error) {
	switch o.Type.Strip().Kind {
	case KindPointer, KindReference, KindRvalueReference:
		to, err := o.Deref()
		if err != nil {
			return Object{}, err
		}
		o = to
	}
	if m, ok := o.member(name, maxBases); ok {
		return m, nil
	}
	return Object{}, fmt.Errorf("%s has no member %s: %w", o.Type, name, ErrNotFound)
}

func (o Object) member(name string, depth int) (Object, bool) {
	fields := o.Type.Fields()
	for i := range fields {
		if f := &fields[i]; f.Name == name && !f.Base {
			return o.Field(f), true
		}
	}
	for i := range fields {
		f := &fields[i]
		if depth > 0 && (f.Base || f.Name == "") && !f.Static {
			if m, ok := o.Field(f).member(name, depth-1); ok {
				return m, true
			}
		}
	}
	return Object{}, false
}

// Deref follows a pointer or reference.
func (o Object) Deref() (Object, error) {
	t := o.Type.Strip()
	switch t.Kind {
	case KindPointer, KindReference, KindRvalueReference:
	default:
		return Object{}, fmt.Errorf("%s is no pointer", o.Type)
	}
	if o.err == nil && len(o.pieces) == 1 && o.pieces[0].Kind == location.IsPointer {
		return o.implied(t)
	}
	addr, err := o.Uint()
	if err != nil {
		return Object{}, err
	}
	return o.At(t.Elem(), addr), nil
}

// implied follows a pointer to an object that has no address: the pointer says
// which variable it is.
func (o Object) implied(t *Type) (Object, error) {
	pc := o.pieces[0]
	d := o.view.image.debug()
	if d == nil {
		return Object{}, ErrOptimizedOut
	}
	var v *variable
	err := d.do(func() error {
		e := d.entryLocked(offsetOf(pc.DIE))
		if u := d.unitAtLocked(offsetOf(pc.DIE)); e != nil && u != nil {
			v = u.variableLocked(e)
		}
		return nil
	})
	if err != nil || v == nil {
		return Object{}, errors.Join(err, ErrOptimizedOut)
	}
	to := o.view.object(v)
	to.Type, to.offset = t.Elem(), uint64(pc.Offset)
	return to, to.err
}

// Index returns an element of an array, or of what a pointer points to.
func (o Object) Index(n int64) (Object, error) {
	t := o.Type.Strip()
	switch t.Kind {
	case KindPointer:
		to, err := o.Deref()
		if err != nil {
			return Object{}, err
		}
		return to.part("", to.Type, n*to.Size()), nil
	case KindArray:
		return o.element(t, o.dimensions(t), n), nil
	}
	if e, ok, err := o.sequence(); ok || err != nil {
		if err == nil && (n < 0 || n >= e.length) {
			err = fmt.Errorf("index %d is out of range: there are %d", n, e.length)
		}
		if err != nil {
			return Object{}, err
		}
		return e.at(n), nil
	}
	return Object{}, fmt.Errorf("%s has no elements", o.Type)
}

// dimensions returns the lengths of an array, those that the program computed
// included; -1 where it cannot be told.
func (o Object) dimensions(t *Type) []int64 {
	dims := slices.Clone(t.dimensions())
	for i, bound := range t.bounds {
		if n, err := o.view.bound(t, bound); bound != nil && err == nil {
			dims[i] = n + 1
		}
	}
	return dims
}

// bound evaluates what an array type says of its highest index: an expression,
// or a variable that the compiler made for it.
func (w *view) bound(t *Type, bound any) (int64, error) {
	u := t.unit()
	switch b := bound.(type) {
	case []byte:
		if u == nil {
			break
		}
		pieces, err := location.Evaluate(b, w.context(u))
		if err != nil {
			return 0, err
		}
		// What an expression leaves is the number itself, not its place.
		if p := pieces[0]; p.Kind == location.InMemory || p.Kind == location.IsValue {
			return int64(p.Addr | p.Value), nil
		}
	case dwarf.Offset:
		var v *variable
		err := t.d.do(func() error {
			e, u := t.d.entryLocked(b), t.d.unitAtLocked(b)
			if e != nil && u != nil {
				v = u.variableLocked(e)
			}
			return nil
		})
		if err != nil || v == nil {
			return 0, errors.Join(err, ErrUnavailable)
		}
		return w.object(v).Int()
	}
	return 0, ErrUnavailable
}

// unit returns the unit that describes a type.
func (t *Type) unit() *unit {
	t.d.mu.Lock()
	defer t.d.mu.Unlock()
	return t.d.unitAtLocked(t.off)
}

// element returns an element of an array of some dimensions: for more than one
// it is an array itself.
func (o Object) element(t *Type, dims []int64, n int64) Object {
	elem := t.Elem()
	if len(dims) > 1 {
		elem = t.inner(dims[1:])
	}
	size := elem.size()
	if t.stride > 0 && len(dims) < 2 {
		size = t.stride
	}
	return o.part("", elem, n*size)
}

// inner is the type of an array's rows.
func (t *Type) inner(dims []int64) *Type {
	row := &Type{Kind: KindArray, Lang: t.Lang, d: t.d, off: t.off, elem: t.elem, hasElem: t.hasElem, stride: t.stride, dims: dims}
	row.once.Do(func() {})
	return row
}
