package dap

import (
	"context"
	"encoding/hex"
	"fmt"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// Limits of disassemble.
const (
	maxInstructions = 5000
	maxFunction     = 1 << 16 // bytes of one function that are decoded to go back
)

// disassemble returns exactly as many instructions as the client wants, as the
// specification demands: where there is no code, places for them.
func (l *looks) disassemble(ctx context.Context, args dap.DisassembleArguments) (any, error) {
	addr, err := place(args.MemoryReference, args.Offset)
	if err != nil {
		return nil, err
	}
	if args.InstructionCount < 0 || args.InstructionCount > maxInstructions || abs(args.InstructionOffset) > maxInstructions {
		return nil, fmt.Errorf("at most %d instructions can be shown", maxInstructions)
	}
	all := l.before(addr, max(0, -args.InstructionOffset))
	skip := max(0, args.InstructionOffset)
	for len(all) < args.InstructionCount+skip {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		in, length := l.instruction(addr)
		all = append(all, in)
		addr += uint64(length)
	}
	return dap.DisassembleResponseBody{Instructions: all[skip : skip+args.InstructionCount]}, nil
}

func abs(n int) int { return max(n, -n) }

// before returns the n instructions before an address. Where instructions begin
// is known from the starts of functions.
func (l *looks) before(addr uint64, n int) []dap.DisassembledInstruction {
	var all []dap.DisassembledInstruction
	for end := addr; len(all) < n; {
		f, ok := l.client.s.Inspector.Program.Function(end - 1)
		if !ok || f.Start == 0 || f.Start >= end || end-f.Start > maxFunction {
			break
		}
		all = append(l.between(f.Start, end), all...)
		end = f.Start
	}
	if len(all) > n {
		return all[len(all)-n:]
	}
	missing := make([]dap.DisassembledInstruction, n-len(all))
	first := addr
	if len(all) > 0 {
		first, _ = place(all[0].Address, 0)
	}
	for i := range missing {
		missing[i] = noInstruction(first - uint64(len(missing)-i))
	}
	return append(missing, all...)
}

// between decodes the instructions from an address to before another one.
func (l *looks) between(addr, end uint64) []dap.DisassembledInstruction {
	var all []dap.DisassembledInstruction
	for addr < end {
		in, length := l.instruction(addr)
		all = append(all, in)
		addr += uint64(length)
	}
	return all
}

// instruction describes the instruction at an address, and returns its length,
// at least 1.
func (l *looks) instruction(addr uint64) (dap.DisassembledInstruction, int) {
	var code [x86.MaxLen]byte
	n, _ := l.client.s.Target.View.ReadMemory(addr, code[:]) // fewer at the end of a mapping
	if n == 0 {
		return noInstruction(addr), 1
	}
	in, err := x86.Decode(code[:n], addr)
	length := min(max(1, int(in.Len)), n)
	if err != nil {
		length = 1
	}
	out := dap.DisassembledInstruction{
		Address: plain.Hex(addr), InstructionBytes: hex.EncodeToString(code[:length]),
		Instruction: x86.Text(code[:n], addr, l.client.s.Inspector.Symbolize), Symbol: l.client.s.Inspector.Symbol(addr),
	}
	if file, line, ok := l.client.s.Inspector.Program.Line(addr); ok && line > 0 {
		out.Location, out.Line = l.client.sourceOf(file), l.client.toClientLine(line)
	}
	return out, length
}

// noInstruction stands where there is no code.
func noInstruction(addr uint64) dap.DisassembledInstruction {
	return dap.DisassembledInstruction{Address: plain.Hex(addr), Instruction: "(no code)"}
}
