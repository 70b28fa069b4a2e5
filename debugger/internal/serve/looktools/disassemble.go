package looktools

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// maxInstructions is the maximum number of instructions in an answer.
const maxInstructions = 1000

// disassembleArgs holds the arguments of disassemble.
type disassembleArgs struct {
	Address string `json:"address,omitempty" doc:"0x401000 or main; default: current"`
	Count   int    `json:"count,omitempty" default:"10" min:"1" max:"1000" bounds:"enforced"`
	sessiontools.SessionArg
}

// code is the answer of disassemble.
type code struct {
	State        *session.State    `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Instructions []instructionItem `json:"instructions"`
}

// An instructionItem is an instruction in an answer.
type instructionItem struct {
	Address string `json:"address"`
	Text    string `json:"text"`
	Bytes   string `json:"bytes" doc:"In hexadecimal"`
	Symbol  string `json:"symbol,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Current bool   `json:"current,omitempty" doc:"Whether it is the next one of the current thread"`
}

// Text returns a line for each instruction.
func (c code) Text() string {
	var b strings.Builder
	for i, in := range c.Instructions {
		if i > 0 {
			b.WriteString("\n")
		}
		arrow := "  "
		if in.Current {
			arrow = "=>"
		}
		fmt.Fprintf(&b, "%s %s", arrow, in.Address)
		if in.Symbol != "" {
			fmt.Fprintf(&b, " <%s>", plain.Line(in.Symbol))
		}
		b.WriteString("  " + plain.Line(in.Text))
	}
	return b.String()
}

// disassemble returns the instructions at an address or at the current one.
func (t *Group) disassemble(ctx context.Context, _ *mcp.Call, s *session.Session, args disassembleArgs) (code, error) {
	now := s.State()
	addr, err := s.Inspector.Address(ctx, cmp.Or(args.Address, now.Address))
	if err != nil {
		return code{}, err
	}
	data := make([]byte, min(args.Count, maxInstructions)*x86.MaxLen)
	n, err := s.Target.View.ReadMemory(addr, data)
	if n == 0 && err != nil {
		return code{}, err
	}
	s.Target.MaskDisplayed(addr, data[:n])
	answer := code{State: s.ChangedState(), Instructions: []instructionItem{}}
	for data = data[:n]; len(data) > 0 && len(answer.Instructions) < args.Count; {
		item, length := newInstructionItem(s, addr, data)
		item.Current = item.Address == now.Address
		answer.Instructions = append(answer.Instructions, item)
		addr, data = addr+uint64(length), data[length:]
	}
	return answer, nil
}

// newInstructionItem returns the description of the first instruction in data,
// and its length.
func newInstructionItem(s *session.Session, addr uint64, data []byte) (instructionItem, int) {
	in, err := x86.Decode(data, addr)
	length := int(in.Len)
	if err != nil {
		length = max(1, length)
	}
	length = min(length, len(data))
	item := instructionItem{
		Address: plain.Hex(addr), Text: x86.Text(data, addr, s.Inspector.Symbolize),
		Bytes: hex.EncodeToString(data[:length]), Symbol: s.Inspector.Symbol(addr),
	}
	item.File, item.Line, _ = s.Inspector.Program.Line(addr)
	return item, length
}
