package race

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/record/races"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/waits"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// An Answer has the races of a part of the history, the most suspicious one first.
type Answer struct {
	From  uint64   `json:"from"`
	To    uint64   `json:"to"`
	Total int      `json:"total" doc:"Pairs of lines with races"`
	Races []Race   `json:"races" doc:"The most suspicious one first"`
	Notes []string `json:"notes,omitempty"`
}

// A Race is two accesses without an order, the last ones of two lines.
type Race struct {
	Variable string `json:"variable" doc:"Or its address"`
	Size     uint64 `json:"size" doc:"Bytes that both use"`
	Count    int    `json:"count" doc:"Pairs of accesses"`
	Before   Access `json:"before"`
	After    Access `json:"after"`
}

// An Access is one of the two.
type Access struct {
	Position uint64               `json:"position"`
	Thread   int                  `json:"thread"`
	Kind     string               `json:"kind" doc:"read, write or syscall (a write by the kernel)"`
	Value    string               `json:"value,omitempty" doc:"That was read or written"`
	Frames   []inspect.StackFrame `json:"frames,omitempty"`

	frames []callstack.Frame
}

// Text describes the races.
func (a Answer) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Positions %d to %d: ", a.From, a.To)
	if a.Total == 0 {
		b.WriteString("no accesses of two threads without an order")
	} else {
		fmt.Fprintf(&b, "races of %s", plain.Count(a.Total, "pair")+" of lines")
	}
	for n := range a.Races {
		r := &a.Races[n]
		fmt.Fprintf(&b, "\n\n%d. %s, %s, %s", n+1, plain.Line(r.Variable), plain.Count(int(r.Size), "byte"), plain.Count(r.Count, "time"))
		for _, side := range []*Access{&r.Before, &r.After} {
			fmt.Fprintf(&b, "\nPosition %d, thread %d: %s", side.Position, side.Thread, side.Kind)
			if side.Value != "" {
				b.WriteString(" " + plain.Line(side.Value))
			}
			if len(side.Frames) > 0 {
				b.WriteString("\n" + inspect.StackText(side.Frames))
			}
		}
	}
	for _, note := range a.Notes {
		b.WriteString("\nNote: " + plain.Line(note))
	}
	return b.String()
}

// note adds what is not known.
func (c *search) note(a *Answer, h *history.History) {
	if c.lonely {
		a.Notes = append(a.Notes, fmt.Sprintf("one thread runs alone after position %d", c.last))
	}
	if c.from > h.Oldest() {
		a.Notes = append(a.Notes, fmt.Sprintf("the history begins at %d; for what is before position %d ask there", h.Oldest(), c.from))
	}
	if c.left > 0 {
		a.Notes = append(a.Notes, plain.Count(c.left, "pair")+" of instructions in libraries left out")
	}
	if c.forgotten {
		a.Notes = append(a.Notes, "the program has used much memory, and early accesses were forgotten; ask at an earlier position")
	}
}

// maxStack is the number of frames of a stack in an answer.
const maxStack = 6

// describe adds the races, with stacks and values until it has been enough.
func (c *search) describe(ctx context.Context, answer *Answer, enough func() bool) error {
	answer.Races = make([]Race, len(c.races))
	type moment struct {
		position uint64
		show     func()
	}
	var moments []moment
	for n := range c.races {
		f, r := &c.races[n], &answer.Races[n]
		*r = Race{Variable: plain.Hex(f.Shared.Addr), Size: f.Shared.Len, Count: f.count}
		for _, side := range []struct {
			to   *Access
			from *races.Side
		}{{&r.Before, &f.Before}, {&r.After, &f.After}} {
			*side.to = Access{Position: side.from.Position, Thread: side.from.Thread, Kind: kindOf(side.from)}
			moments = append(moments, moment{side.from.Position, func() { c.show(ctx, r, side.to, side.from, f) }})
		}
	}
	slices.SortFunc(moments, func(a, b moment) int { return int(int64(b.position - a.position)) })
	return c.s.Timeline.AtPosition(ctx, c.to, func() {
		for n, m := range moments {
			if ctx.Err() != nil || n > 1 && enough != nil && enough() {
				break
			}
			if c.s.Timeline.SeekQuietly(m.position) == nil {
				m.show()
			}
		}
	})
}

func kindOf(s *races.Side) string {
	switch {
	case s.Kernel:
		return "syscall"
	case s.Write:
		return "write"
	}
	return "read"
}

// show adds stack and value of an access at the current position, and the name of the memory.
func (c *search) show(ctx context.Context, r *Race, to *Access, from *races.Side, f *found) {
	c.s.Target.LearnSecrets(from.Thread)
	to.frames, _ = c.s.Inspector.Frames(from.Thread, maxStack) // the answer is useful without a stack, too
	to.Frames = inspect.StackFrames(to.frames)
	if strings.HasPrefix(r.Variable, "0x") {
		r.Variable = waits.Name(ctx, c.s.Inspector, f.Shared.Addr, int64(f.Shared.Len), to.frames)
	}
	if from.Write && c.s.Timeline.SeekQuietly(from.Position+1) != nil {
		return
	}
	to.Value = c.value(from.Memory.Addr, from.Memory.Len)
}

// maxValue is the number of bytes of the largest value that is shown.
const maxValue = 16

// value returns memory at the current position as a number, or as bytes.
func (c *search) value(addr, length uint64) string {
	b := make([]byte, min(length, maxValue))
	if n, _ := c.s.Target.View.ReadMemory(addr, b); n < len(b) {
		return ""
	}
	c.s.Target.MaskDisplayed(addr, b)
	if len(b) > 8 || length > maxValue {
		return fmt.Sprintf("% x", b)
	}
	var word [8]byte
	copy(word[:], b)
	n := binary.LittleEndian.Uint64(word[:])
	if n < 1<<16 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%#x", n)
}
