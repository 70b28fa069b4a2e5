package traveltools

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/heap"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// heapBlockArgs holds the arguments of heap_block.
type heapBlockArgs struct {
	Address string `json:"address" doc:"0x55d0c8 or node->next"`
	sessiontools.SessionArg
}

// A heapBlock is the answer of heap_block.
type heapBlock struct {
	State     *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Address   string         `json:"address"`
	Found     bool           `json:"found"`
	Block     string         `json:"block,omitempty" doc:"Where the block begins"`
	Size      uint64         `json:"size,omitempty"`
	Offset    uint64         `json:"offset,omitempty" doc:"Of the address in the block"`
	Status    string         `json:"status,omitempty" doc:"At the current position: allocated, freed or unknown"`
	Allocated *heapEvent     `json:"allocated,omitempty" doc:"The call that allocated it, if that is recorded"`
	Freed     *heapEvent     `json:"freed,omitempty" doc:"The call that freed it"`
	Notes     []string       `json:"notes,omitempty" doc:"What is not known"`
}

// A heapEvent is a call of an allocator in an answer.
type heapEvent struct {
	Position uint64               `json:"position"`
	Thread   int                  `json:"thread"`
	Frames   []inspect.StackFrame `json:"frames"`
}

// Text describes the block and both calls.
func (h heapBlock) Text() string {
	var b strings.Builder
	if h.Found {
		fmt.Fprintf(&b, "%s is at offset %d of a block of %d bytes at %s: %s", h.Address, h.Offset, h.Size, h.Block, h.Status)
	} else {
		fmt.Fprintf(&b, "No block that holds %s is known", h.Address)
	}
	for _, each := range []struct {
		what  string
		event *heapEvent
	}{{"Allocated", h.Allocated}, {"Freed", h.Freed}} {
		if each.event != nil {
			fmt.Fprintf(&b, "\n%s at position %d by thread %d\n%s", each.what, each.event.Position, each.event.Thread, inspect.StackText(each.event.Frames))
		}
	}
	for _, note := range h.Notes {
		b.WriteString("\nNote: " + plain.Line(note))
	}
	return b.String()
}

// heapBlock finds the block of the heap that an address is in.
func (t *Group) heapBlock(ctx context.Context, _ *mcp.Call, s *session.Session, args heapBlockArgs) (heapBlock, error) {
	addr, err := s.Inspector.Address(ctx, args.Address)
	if err != nil {
		return heapBlock{}, err
	}
	answer := heapBlock{State: s.ChangedState(), Address: plain.Hex(addr)}
	if s.Target.History == nil {
		if answer.addChunk(s, addr) {
			return answer, nil
		}
		return heapBlock{}, failure.NoHistoryf("who allocated and freed is found in what was recorded; continue with record, or open a recording")
	}
	found, err := heap.Find(ctx, s.Stepper, addr)
	if err != nil {
		return heapBlock{}, err
	}
	answer.add(s, addr, found)
	return answer, nil
}

// add adds what was found in the history.
func (h *heapBlock) add(s *session.Session, addr uint64, found *heap.Found) {
	block := found.Block
	switch {
	case block == nil:
		h.Notes = append(h.Notes, fmt.Sprintf("of %s of allocators since position %d (%s) none allocated or freed it", plain.Count(found.Calls, "recorded call"), s.Target.History.Oldest(), s.Target.History.StartReason()))
		h.addChunk(s, addr)
	default:
		h.Found, h.Block, h.Size, h.Offset, h.Status = true, plain.Hex(block.Address), block.Size, addr-block.Address, "allocated"
		h.Allocated, h.Freed = newHeapEvent(block.Allocated), newHeapEvent(block.Freed)
		if block.Freed != nil {
			h.Status = "freed"
		}
		if block.Allocated == nil {
			h.Notes = append(h.Notes, "it was allocated before the recording begins; its size is that of glibc's header")
		}
		if found.Collected {
			h.Status = "unknown"
			h.Notes = append(h.Notes, "Go's garbage collector frees blocks without a call: whether it has freed this one is not known")
		}
	}
	if before := found.Before; before != nil {
		h.Notes = append(h.Notes, fmt.Sprintf("before, it was in a block of %s%s, and freed at position %d%s", plain.Count(int(before.Size), "byte"), by(", allocated", before.Allocated), before.Freed.Position, by("", before.Freed)))
	}
	if found.Gaps > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("in %s the process ran by itself; calls there are not known", plain.Count(found.Gaps, "place")))
	}
}

// by tells which function called an allocator, after a text; it returns "" if that is not known.
func by(text string, e *heap.Event) string {
	if e == nil {
		return ""
	}
	for _, f := range e.Frames[min(1, len(e.Frames)):] {
		if f.Line > 0 && f.Function != "" {
			return fmt.Sprintf("%s by %s %s:%d", text, f.Function, filepath.Base(f.File), f.Line)
		}
	}
	return ""
}

// addChunk adds what glibc's headers say at the current position, and reports whether they
// say something.
func (h *heapBlock) addChunk(s *session.Session, addr uint64) bool {
	block, state, ok := heap.Chunk(s.Stepper, addr)
	if !ok {
		return false
	}
	h.Found, h.Block, h.Size, h.Offset, h.Status = true, plain.Hex(block.Address), block.Size, addr-block.Address, "unknown"
	note := "the block is that of glibc's headers, which do not say who allocated it"
	if state == heap.Free {
		h.Status = "freed"
	} else {
		note += ", nor if it is in a list of free ones; a recording tells"
	}
	h.Notes = append(h.Notes, note)
	return true
}

func newHeapEvent(e *heap.Event) *heapEvent {
	if e == nil {
		return nil
	}
	return &heapEvent{Position: e.Position, Thread: e.Thread, Frames: inspect.StackFrames(e.Frames)}
}
