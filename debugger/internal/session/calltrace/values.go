package calltrace

import (
	"debug/dwarf"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/locals"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// maxFrames bounds the search for a frame: its callees may be deep.
const maxFrames = 400

// frameOf returns the frame of the call with a return address at slot, at the
// current position, and nil if it is not on the stack.
func frameOf(s *stepping.Stepper, thread int, slot uint64) []callstack.Frame {
	for _, limit := range []int{4, maxFrames} {
		frames, err := s.Inspector.Frames(thread, limit)
		if err != nil {
			return nil
		}
		for i := range frames {
			if frames[i].CFA-8 != slot {
				continue
			}
			end := i + 1
			for end < len(frames) && frames[end-1].Inlined {
				end++
			}
			return frames[i:end]
		}
	}
	return nil
}

// differences returns the variables of both lists whose values differ.
func differences(before, after *locals.List) []Change {
	var all []Change
	for _, now := range after.All {
		if was, ok := before.Find(now.Name); ok && was.Text != now.Text {
			all = append(all, Change{now.Name, was.Text, now.Text, now.Addr})
		}
	}
	return all
}

// arguments returns the arguments of the innermost call at the current
// position.
func arguments(s *stepping.Stepper, thread int) []Value {
	frames, err := s.Inspector.Frames(thread, 1)
	if err != nil || len(frames) == 0 {
		return nil
	}
	var all []Value
	for _, o := range frames[0].Variables() {
		if o.Argument && !strings.HasPrefix(o.Name, goResult) {
			all = append(all, Value{o.Name, locals.Short(o.Value(locals.Limits).Text)})
		}
	}
	return all
}

// goResult begins the names that Go's compiler gives to results without one. They
// are arguments in the debug information.
const goResult = "~r"

// goResults returns the results of a function of Go, of its frame before it returns.
func goResults(frames []callstack.Frame) string {
	var all []string
	for _, f := range frames {
		for _, o := range f.Variables() {
			if strings.HasPrefix(o.Name, goResult) {
				all = append(all, locals.Short(o.Value(locals.Limits).Text))
			}
		}
	}
	return strings.Join(all, ", ")
}

// Result registers (System V ABI, AMD64 supplement, 3.2.3).
const (
	maxInRegister = 8
	inMemory      = 16 // larger values are returned in memory, with its address in rax
)

// result returns the result of a function that has just returned, "" if it has
// none or its type is not known.
func result(s *stepping.Stepper, thread int, pc uint64) string {
	im := s.Inspector.Program.Image(pc)
	if im == nil {
		return ""
	}
	site := im.WholeSite(pc)
	if site == nil || site.Function == nil || site.Language() == lang.Go {
		return ""
	}
	off, ok := site.Function.Entry.Val(dwarf.AttrType).(dwarf.Offset)
	if !ok {
		return ""
	}
	t := im.Types().At(off)
	regs, err := s.Target.View.Regs(thread)
	if err != nil || t == nil || t.Strip().Kind == types.KindVoid {
		return ""
	}
	frames, err := s.Inspector.Frames(thread, 1)
	if err != nil || len(frames) == 0 {
		return ""
	}
	value := resultRegister{Memory: s.Target.Memory()}
	binary.LittleEndian.PutUint64(value.bytes[:], regs.RAX)
	addr := resultAddress
	switch size, kind := t.ByteSize(), t.Strip().Kind; {
	case size > inMemory:
		addr = regs.RAX
	case size > maxInRegister:
		return ""
	case kind == types.KindFloat:
		state, err := s.Target.View.XState(thread, nil)
		if err != nil || len(state) < xmm0+8 {
			return ""
		}
		copy(value.bytes[:], state[xmm0:])
	case kind == types.KindStruct || kind == types.KindClass || kind == types.KindUnion:
		return fmt.Sprintf("%#x", regs.RAX)
	}
	return locals.Short(values.ObjectAt(s.Inspector.Program, t, addr, value, frames[0].Registers()).Value(locals.Limits).Text)
}

// xmm0 is the offset of the register in the layout of XSAVE (Intel SDM volume 1,
// table 10-2).
const xmm0 = 160

// resultAddress is an address that no process has, for a value in a register.
const resultAddress = uint64(1) << 63

// A resultRegister is memory that has the value of a register at resultAddress.
type resultRegister struct {
	symbols.Memory
	bytes [8]byte
}

// ReadMemory reads the register or the memory.
func (r resultRegister) ReadMemory(addr uint64, p []byte) error {
	if addr >= resultAddress && addr-resultAddress+uint64(len(p)) <= uint64(len(r.bytes)) {
		copy(p, r.bytes[addr-resultAddress:])
		return nil
	}
	return r.Memory.ReadMemory(addr, p)
}

// Displayed returns the memory from which values are shown, for [symbols.Displayed].
func (r resultRegister) Displayed() (symbols.Memory, bool) {
	shown, ok := symbols.Displayed(r.Memory)
	return resultRegister{shown, r.bytes}, ok
}
