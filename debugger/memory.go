package debugger

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/expr"
	"github.com/triptych-mcp/triptych/debugger/internal/x86"
	"github.com/triptych-mcp/triptych/mcp"
)

// maxMemory is how many bytes of memory one answer shows.
const maxMemory = 64 << 10

// maxInstructions is how many instructions one answer shows.
const maxInstructions = 1000

type readArgs struct {
	Address string `json:"address" min:"1" doc:"Address such as 0x404010, or an expression such as $rsp, &total or p"`
	Length  int    `json:"length,omitempty" default:"64" min:"1" max:"65536" doc:"How many bytes"`
	sessionArg
}

// contents is the answer of read_memory.
type contents struct {
	State   state  `json:"state"`
	Address string `json:"address"`
	Hex     string `json:"hex" doc:"The bytes in hexadecimal"`
	Missing int    `json:"missing,omitempty" doc:"How many bytes behind these cannot be read"`

	from uint64
	data []byte
}

func (c contents) AuditAddress() string { return c.Address }

// Text is a line for each 16 bytes.
func (c contents) Text() string {
	var b strings.Builder
	for at := 0; at < len(c.data); at += 16 {
		row := c.data[at:min(at+16, len(c.data))]
		if at > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%#x: %-47s  %s", c.from+uint64(at), spaced(row), ascii(row))
	}
	if c.Missing > 0 {
		fmt.Fprintf(&b, "\n(%d more bytes cannot be read)", c.Missing)
	}
	return b.String()
}

// spaced are bytes in hexadecimal with spaces between.
func spaced(row []byte) string { return fmt.Sprintf("% x", row) }

// ascii shows what is printable, and points for the rest.
func ascii(row []byte) string {
	out := make([]byte, len(row))
	for i, c := range row {
		out[i] = '.'
		if c >= ' ' && c < 0x7f {
			out[i] = c
		}
	}
	return string(out)
}

// address evaluates an argument that is an address.
func (s *inspector) address(ctx context.Context, text string) (uint64, error) {
	if addr, err := parseAddress(text); err == nil {
		return addr, nil
	}
	value, err := s.evaluate(ctx, text, 0, 0)
	if err != nil {
		return 0, expressionError(err)
	}
	addr, err := value.Address()
	return addr, expressionError(err)
}

// expressionError tells what is wrong with an expression from what is wrong
// with the process.
func expressionError(err error) error {
	_, reported := errors.AsType[*failure](err)
	if err == nil || reported || isAccess(err) || isProcess(err) {
		return err
	}
	if _, ok := errors.AsType[*expr.SyntaxError](err); ok {
		return wrongArgument("the expression cannot be understood: %s", err)
	}
	return failed("Expression failed", "%v", err)
}

func (t *lookGroup) readMemory(ctx context.Context, _ *mcp.Call, s *session, args readArgs) (contents, error) {
	addr, err := s.address(ctx, args.Address)
	if err != nil {
		return contents{}, err
	}
	data := make([]byte, min(args.Length, maxMemory))
	n, err := s.scene.ReadMemory(addr, data)
	if err != nil && (n == 0 || !isAccess(err)) {
		return contents{}, err
	}
	data = data[:n]
	return contents{
		State: s.tell(), Address: hexadecimal(addr), Hex: hex.EncodeToString(data), Missing: args.Length - n,
		from: addr, data: data,
	}, nil
}

type writeArgs struct {
	Address string `json:"address" min:"1" doc:"Address such as 0x404010, or an expression such as $rsp or &total"`
	Hex     string `json:"hex" min:"2" max:"131072" doc:"The bytes in hexadecimal, such as 2a000000"`
	sessionArg
}

// Validate checks what the schema does not say.
func (a writeArgs) Validate() error {
	if _, err := decodeHex(a.Hex); err != nil {
		return errors.New("hex must be pairs of hexadecimal digits")
	}
	return nil
}

// decodeHex reads bytes, with or without spaces between.
func decodeHex(text string) ([]byte, error) {
	return hex.DecodeString(strings.Join(strings.Fields(text), ""))
}

// written is the answer of write_memory.
type written struct {
	State   state  `json:"state"`
	Address string `json:"address"`
	Length  int    `json:"length" doc:"How many bytes were written"`
	Before  string `json:"before" doc:"What was there before, in hexadecimal"`
}

func (w written) AuditAddress() string { return w.Address }

// Text says what was done.
func (w written) Text() string {
	return fmt.Sprintf("Wrote %d bytes at %s (before: %s)", w.Length, w.Address, w.Before)
}

func (t *lookGroup) writeMemory(ctx context.Context, _ *mcp.Call, s *session, args writeArgs) (written, error) {
	if t.noWrite {
		return written{}, &refusedError{"the server was started with --no-write"}
	}
	addr, err := s.address(ctx, args.Address)
	if err != nil {
		return written{}, err
	}
	data, _ := decodeHex(args.Hex) // Validate has read it
	before := make([]byte, len(data))
	if _, err := s.scene.ReadMemory(addr, before); err != nil {
		return written{}, err
	}
	n, err := s.write(addr, data)
	if err != nil {
		return written{}, err
	}
	return written{State: s.tell(), Address: hexadecimal(addr), Length: n, Before: hex.EncodeToString(before)}, nil
}

// write writes memory of the process. A history that has begun tells of it.
func (s *session) write(addr uint64, data []byte) (int, error) {
	if s.recorder == nil {
		return s.process.WriteMemory(addr, data)
	}
	n, err := s.recorder.WriteMemory(addr, data)
	s.mu.Lock()
	s.now.History = s.moment()
	s.mu.Unlock()
	return n, err
}

type disassembleArgs struct {
	Address string `json:"address,omitempty" doc:"Address such as 0x401000, or an expression such as main; where the current thread is if not given"`
	Count   int    `json:"count,omitempty" default:"10" min:"1" max:"1000" doc:"How many instructions"`
	sessionArg
}

// code is the answer of disassemble.
type code struct {
	State        state             `json:"state"`
	Instructions []instructionItem `json:"instructions"`
}

// An instructionItem is an instruction as answers have it.
type instructionItem struct {
	Address string `json:"address"`
	Text    string `json:"text"`
	Bytes   string `json:"bytes" doc:"In hexadecimal"`
	Symbol  string `json:"symbol,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Current bool   `json:"current,omitempty" doc:"Whether it is the next one of the current thread"`
}

// Text is a line for each instruction.
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
			fmt.Fprintf(&b, " <%s>", plain(in.Symbol))
		}
		b.WriteString("  " + plain(in.Text))
	}
	return b.String()
}

func (t *lookGroup) disassemble(ctx context.Context, _ *mcp.Call, s *session, args disassembleArgs) (code, error) {
	now := s.tell()
	addr, err := s.address(ctx, cmp.Or(args.Address, now.Address))
	if err != nil {
		return code{}, err
	}
	data := make([]byte, min(args.Count, maxInstructions)*x86.MaxLen)
	n, err := s.scene.ReadMemory(addr, data)
	if n == 0 && err != nil {
		return code{}, err
	}
	answer := code{State: now, Instructions: []instructionItem{}}
	for data = data[:n]; len(data) > 0 && len(answer.Instructions) < args.Count; {
		item, length := newInstructionItem(s, addr, data)
		item.Current = item.Address == now.Address
		answer.Instructions = append(answer.Instructions, item)
		addr, data = addr+uint64(length), data[length:]
	}
	return answer, nil
}

// newInstructionItem is the first instruction of some code.
func newInstructionItem(s *session, addr uint64, data []byte) (instructionItem, int) {
	in, err := x86.Decode(data, addr)
	length := int(in.Len)
	if err != nil {
		length = max(1, length)
	}
	length = min(length, len(data))
	item := instructionItem{
		Address: hexadecimal(addr), Text: x86.Text(data, addr, s.symbolize),
		Bytes: hex.EncodeToString(data[:length]), Symbol: s.symbol(addr),
	}
	item.File, item.Line, _ = s.program.Line(addr)
	return item, length
}
