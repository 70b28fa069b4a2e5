package history

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/kernel/ptrace"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/syscalls"
	"github.com/triptych-mcp/triptych/debugger/internal/machine/x86"
)

// A step is a record in the form of text and JSON exports.
type step struct {
	Position    uint64        `json:"position"` // before it
	Kind        string        `json:"kind"`
	Thread      int           `json:"thread"`
	Address     string        `json:"address"`
	Instruction string        `json:"instruction,omitempty"`
	Call        string        `json:"call,omitempty"`
	Signal      uint64        `json:"signal,omitempty"`
	Note        string        `json:"note,omitempty"`
	Registers   []registerSet `json:"registers,omitempty"`
	Memory      []memorySet   `json:"memory,omitempty"`
	Vector      bool          `json:"vector,omitempty"` // the vector state has changed
}

// A registerSet is a register that has changed.
type registerSet struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A memorySet is memory that was written.
type memorySet struct {
	Address string `json:"address"`
	Size    int    `json:"size"`
	Before  string `json:"before"` // hexadecimal, the first shownBytes
	After   string `json:"after"`
}

// shownBytes limits the bytes shown of a piece of memory.
const shownBytes = 64

// Registers that are not listed as changed: every step changes rip, and the
// kernel changes orig_rax.
const (
	wordOrig = 15
	wordRIP  = 16
)

// read moves the view over the next record and describes it.
func (s *step) read(h *History, symbolize x86.Symbolizer) error {
	v := &h.view
	c, i := h.Steps.at(v.position)
	record := c.record(i)
	d := decoder{b: record}
	head := d.head(len(v.threads))
	if d.bad {
		return ErrCorrupt
	}
	before := v.threads[head.thread].regs
	*s = step{
		Position: v.position, Kind: head.kind.String(), Thread: v.threads[head.thread].id,
		Address: fmt.Sprintf("%#x", before.RIP), Registers: s.Registers[:0], Memory: s.Memory[:0],
		Vector: head.parts&partVector != 0,
	}
	if head.kind == Stepped || head.kind == Called {
		s.Instruction = instructionText(v, before.RIP, symbolize)
	}
	s.readParts(&d, head)
	var traversal Traversal
	if err := h.moveOver(false, &traversal); err != nil {
		return err
	}
	s.readAfter(h, &before, &v.threads[head.thread].regs)
	return nil
}

func instructionText(v *View, pc uint64, symbolize x86.Symbolizer) string {
	var code [x86.MaxLen]byte
	n, _ := v.ReadMemory(pc, code[:])
	return x86.Text(code[:n], pc, symbolize)
}

// readParts reads the parts of the record.
func (s *step) readParts(d *decoder, head head) {
	d.skipRegs()
	if head.parts&partMemory != 0 {
		for _, span := range d.spans(nil) {
			s.Memory = append(s.Memory, memorySet{
				Address: fmt.Sprintf("%#x", span.addr), Size: len(span.data),
			})
		}
	}
	if head.parts&partVector != 0 {
		d.moveVector(nil)
	}
	if head.parts&partExtra == 0 {
		return
	}
	d.extras(func(tag byte, p *decoder) {
		switch {
		case tag == extraNote:
			s.Note = string(p.b)
		case tag == extraNumber && head.kind == Signalled:
			s.Signal = p.uvarint()
		case tag == extraNumber:
			s.Call = callName(p.uvarint())
		}
	})
}

func callName(number uint64) string {
	if name := syscalls.Name(number); name != "" {
		return name
	}
	return fmt.Sprintf("call %d", number)
}

// readAfter adds registers and memory after the step, and memory before it.
func (s *step) readAfter(h *History, before, after *ptrace.Regs) {
	for i, value := range after.Words() {
		if i != wordOrig && i != wordRIP && value != before.Words()[i] {
			s.Registers = append(s.Registers, registerSet{ptrace.RegNames[i], fmt.Sprintf("%#x", value)})
		}
	}
	if len(s.Memory) == 0 {
		return
	}
	// The view is after the record, so that its spans hold the old contents.
	spans := h.Steps.spansAt(s.Position)
	for i := range s.Memory {
		m := &s.Memory[i]
		if i >= len(spans) {
			return
		}
		n := min(m.Size, shownBytes)
		now := make([]byte, n)
		k, _ := h.view.ReadMemory(spans[i].addr, now)
		m.Before, m.After = hex.EncodeToString(spans[i].data[:n]), hex.EncodeToString(now[:k])
	}
}

// line returns the step as a line of text.
func (s *step) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %d %s %s", s.Position, s.Thread, s.Kind, s.Address)
	for _, word := range []string{s.Instruction, s.Call, s.Note} {
		if word != "" {
			b.WriteString(" | " + word)
		}
	}
	if s.Signal != 0 {
		fmt.Fprintf(&b, " | signal %d", s.Signal)
	}
	for i, r := range s.Registers {
		b.WriteString(map[bool]string{true: " | ", false: " "}[i == 0] + r.Name + "=" + r.Value)
	}
	for i, m := range s.Memory {
		b.WriteString(map[bool]string{true: " | ", false: " "}[i == 0])
		fmt.Fprintf(&b, "[%s,%d]=%s was %s", m.Address, m.Size, m.After, m.Before)
	}
	return b.String()
}

// traceFormat names the format in the header of JSON.
const traceFormat = "triptych-trace"

// A traceHeader is the first object of a trace in JSON.
type traceHeader struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Program string `json:"program,omitempty"`
	From    uint64 `json:"from"`
	To      uint64 `json:"to"`
}

// json writes one object with one step per line, so that the file can be read in
// parts.
func (e *exporter) json() error {
	head, err := json.Marshal(traceHeader{traceFormat, traceVersion, e.o.Program, e.o.From, e.o.To})
	if err != nil {
		return err
	}
	head = append(head[:len(head)-1], `,"steps":[`...)
	_, _ = e.w.Write(head) // bufio keeps the error
	separator := "\n"
	err = e.each(func(s *step) error {
		b, err := json.Marshal(s)
		if err != nil {
			return err
		}
		_, _ = e.w.WriteString(separator)
		separator = ",\n"
		_, err = e.w.Write(b)
		return err
	})
	if err != nil {
		return err
	}
	_, err = e.w.WriteString("\n]}\n")
	return err
}

// text writes a heading and one line per step.
func (e *exporter) text() error {
	program := ""
	if e.o.Program != "" {
		program = " of " + e.o.Program
	}
	_, _ = fmt.Fprintf(e.w, "# trace%s, positions %d to %d: position thread kind address | what was done | registers after | memory after, before\n",
		program, e.o.From, e.o.To)
	return e.each(func(s *step) error {
		_, err := e.w.WriteString(s.line() + "\n")
		return err
	})
}
