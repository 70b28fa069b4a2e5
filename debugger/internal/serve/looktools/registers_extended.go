package looktools

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// extendedRegisters returns the vector and x87 registers of a thread. Calls do
// not preserve them, so they are known in the innermost frame only.
func extendedRegisters(s *session.Session, scope *inspect.FrameScope, args registersArgs) ([]Register, error) {
	regs, err := scope.ExtendedRegisters()
	if err != nil {
		return nil, err
	}
	var all []Register
	if args.Set != setX87 {
		all = append(all, vectorRegisters(s, &regs)...)
	}
	if args.Set != setVector {
		all = append(all, x87Registers(s, &regs.X87)...)
	}
	return all, nil
}

// vectorNames maps sizes in bytes to the names of vector registers.
var vectorNames = map[int]string{16: "xmm", 32: "ymm", 64: "zmm"}

func vectorRegisters(s *session.Session, regs *xsave.Registers) []Register {
	var all []Register
	for i := range regs.Count {
		all = append(all, Register{
			Name: fmt.Sprintf("%s%d", vectorNames[regs.Width], i), Value: shownRegister(s, regs.Vectors[i][:regs.Width]),
		})
	}
	if regs.HasMasks {
		for i, mask := range regs.Masks {
			all = append(all, Register{Name: fmt.Sprintf("k%d", i), Value: s.Target.ShownWord(mask)})
		}
	}
	return append(all, Register{Name: "mxcsr", Value: plain.Hex(uint64(regs.MXCSR))})
}

// x87Registers returns the registers of the x87 unit with gdb's names.
func x87Registers(s *session.Session, x *xsave.X87) []Register {
	var all []Register
	for i, value := range x.Stack {
		item := Register{Name: fmt.Sprintf("st%d", i), Value: shownRegister(s, value[:]), Number: value.String()}
		switch {
		case x.Empty(i):
			item.Number = "empty"
		case item.Value == target.Masked:
			item.Number = ""
		}
		all = append(all, item)
	}
	for _, word := range []struct {
		name  string
		value uint64
	}{
		{"fctrl", uint64(x.Control)}, {"fstat", uint64(x.Status)}, {"ftag", uint64(x.Tags())},
		{"fop", uint64(x.Opcode)}, {"fioff", x.Instruction}, {"fooff", x.Operand},
	} {
		all = append(all, Register{Name: word.name, Value: plain.Hex(word.value)})
	}
	return all
}

// shownRegister returns the value of a little-endian register as it may be shown.
func shownRegister(s *session.Session, b []byte) string {
	if s.Target.HasSecret(b) {
		return target.Masked
	}
	return bigEndianHex(b)
}

// bigEndianHex formats a little-endian register as one number.
func bigEndianHex(b []byte) string {
	b = slices.Clone(b)
	slices.Reverse(b)
	digits := strings.TrimLeft(hex.EncodeToString(b), "0")
	if digits == "" {
		digits = "0"
	}
	return "0x" + digits
}
