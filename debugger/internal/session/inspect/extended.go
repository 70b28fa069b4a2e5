package inspect

import (
	"errors"
	"regexp"
	"strconv"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

// ExtendedRegisters returns the vector, mask and x87 registers of a thread. Calls do
// not preserve them, so they are known in the innermost frame only.
func (f *FrameScope) ExtendedRegisters() (xsave.Registers, error) {
	if !f.inner {
		return xsave.Registers{}, failure.Errorf("Registers not available", "vector and x87 registers are known in frame 0 only, as calls do not preserve them")
	}
	state, err := f.s.Target.View.XState(f.tid, nil)
	if err != nil {
		return xsave.Registers{}, failure.Errorf("Registers not available", "%v", err)
	}
	layout := xsave.Of(state)
	layout.Normalize(state)
	regs, ok := layout.Registers(state)
	if !ok {
		return xsave.Registers{}, failure.Errorf("Registers not available", "the processor's extended state is not known")
	}
	return regs, nil
}

// numbered matches the names of registers that have numbers.
var numbered = regexp.MustCompile(`^(xmm|ymm|zmm|st|k)([0-9]{1,2})$`)

// numberedRegister splits the name of a register into its set and number.
func numberedRegister(name string) (set string, n int) {
	m := numbered.FindStringSubmatch(name)
	if m == nil {
		return "", 0
	}
	n, _ = strconv.Atoi(m[2]) // cannot fail: two digits
	return m[1], n
}

// vectorSizes are the sizes of vector registers in bytes.
var vectorSizes = map[string]int{"xmm": 16, "ymm": 32, "zmm": 64}

// Vector returns a vector register or one of the x87 unit, and false for all other
// names.
func (f *FrameScope) Vector(name string) (o values.Object, ok bool, err error) {
	set, n := numberedRegister(name)
	size := vectorSizes[set]
	if size == 0 && set != "st" {
		return values.Object{}, false, nil
	}
	regs, err := f.ExtendedRegisters()
	if err != nil {
		return values.Object{}, true, err
	}
	switch {
	case size == 0 && n < len(regs.X87.Stack):
		o = values.Extended(regs.X87.Stack[n][:])
	case size > 0 && n < regs.Count && size <= regs.Width:
		o = values.Vector(regs.Vectors[n][:size])
	default:
		return values.Object{}, true, failure.Errorf("No such register", "$%s is not one of this processor: debugger/registers with set=all shows those that there are", name)
	}
	if b, err := o.Bytes(); err == nil && f.s.Target.HasSecret(b) {
		o = o.Unreadable(o.Type, errMasked)
	}
	return o, true, nil
}

// errMasked is the value of a register that holds a secret.
var errMasked = errors.New("masked")

// extendedRegister returns a mask or control register of the vector and x87 units.
func (f *FrameScope) extendedRegister(name string) (value uint64, size int, err error) {
	set, n := numberedRegister(name)
	get, known := controls[name]
	if set != "k" && !known {
		return 0, 0, failure.Errorf("No such register", "there are rax to r15, rip, eflags, fs_base, gs_base, the segment registers such as cs, the lower halves such as eax, the vector registers such as xmm0, mxcsr, and st0 to st7 with fctrl and the like")
	}
	regs, err := f.ExtendedRegisters()
	switch {
	case err != nil:
		return 0, 0, err
	case known:
		value, size = get(&regs)
		return value, size, nil
	case n >= len(regs.Masks) || !regs.HasMasks:
		return 0, 0, failure.Errorf("No such register", "this processor has no register $%s", name)
	}
	return regs.Masks[n], 8, nil
}

// controls maps the names of control registers, as GDB has them, to their values and sizes.
var controls = map[string]func(r *xsave.Registers) (uint64, int){
	"mxcsr": func(r *xsave.Registers) (uint64, int) { return uint64(r.MXCSR), 4 },
	"fctrl": func(r *xsave.Registers) (uint64, int) { return uint64(r.X87.Control), 4 },
	"fstat": func(r *xsave.Registers) (uint64, int) { return uint64(r.X87.Status), 4 },
	"ftag":  func(r *xsave.Registers) (uint64, int) { return uint64(r.X87.Tags()), 4 },
	"fop":   func(r *xsave.Registers) (uint64, int) { return uint64(r.X87.Opcode), 4 },
	"fioff": func(r *xsave.Registers) (uint64, int) { return r.X87.Instruction, 8 },
	"fooff": func(r *xsave.Registers) (uint64, int) { return r.X87.Operand, 8 },
}
