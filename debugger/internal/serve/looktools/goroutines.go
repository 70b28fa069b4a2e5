package looktools

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/waits"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// goroutines is the answer of goroutines.
type goroutines struct {
	State      *session.State  `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Goroutines []goroutineItem `json:"goroutines"`
	More       int             `json:"more,omitempty" doc:"How many goroutines are not listed"`
}

// A goroutineItem is a goroutine in an answer.
type goroutineItem struct {
	ID       int64  `json:"id"`
	Status   string `json:"status" doc:"idle, runnable, running, syscall, waiting and so on"`
	Wait     string `json:"wait,omitempty" doc:"What it waits for"`
	On       string `json:"on,omitempty" doc:"The channels, the object of package sync or the descriptor that it waits for"`
	Thread   int64  `json:"thread,omitempty" doc:"The thread that runs it"`
	Address  string `json:"address"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Start    string `json:"start,omitempty" doc:"The function that it was begun with"`
}

// Text returns a line for each goroutine.
func (g goroutines) Text() string {
	var b strings.Builder
	b.WriteString("Goroutines:")
	for _, each := range g.Goroutines {
		status := each.Status
		if each.Wait != "" {
			status += ", " + each.Wait
		}
		if each.On != "" {
			status += ": " + each.On
		}
		if each.Thread != 0 {
			status += fmt.Sprintf(", thread %d", each.Thread)
		}
		place := sessiontools.Place{Address: each.Address, Function: each.Function, File: each.File, Line: each.Line}
		fmt.Fprintf(&b, "\n  %d [%s] at %s", each.ID, plain.Line(status), place.String())
		if each.Start != "" {
			b.WriteString(", begun with " + plain.Line(each.Start))
		}
	}
	if g.More > 0 {
		fmt.Fprintf(&b, "\n(%d more)", g.More)
	}
	return b.String()
}

// goStatuses holds the states of a goroutine (runtime2.go of the Go runtime).
var goStatuses = map[uint64]string{
	0: "idle", 1: "runnable", 2: "running", 3: "syscall", inspect.GoWaiting: "waiting", 8: "copystack", 9: "preempted", 10: "leaked",
}

// goroutines lists the goroutines of a Go program.
func (t *Group) goroutines(ctx context.Context, _ *mcp.Call, s *session.Session, _ sessiontools.OnlySession) (goroutines, error) {
	answer := goroutines{State: s.ChangedState(), Goroutines: []goroutineItem{}}
	reasons := sync.OnceValues(func() (values.Object, error) { return s.Inspector.RuntimeGlobal(ctx, "runtime.waitReasonStrings") })
	err := s.Inspector.Goroutines(ctx, func(g inspect.Goroutine) bool {
		if len(answer.Goroutines) == maxThreads {
			answer.More++
		} else {
			answer.Goroutines = append(answer.Goroutines, newGoroutineItem(ctx, s, g, reasons))
		}
		return true
	})
	return answer, err
}

func newGoroutineItem(ctx context.Context, s *session.Session, g inspect.Goroutine, reasons func() (values.Object, error)) goroutineItem {
	item := goroutineItem{ID: g.ID, Status: goStatuses[g.Status], Thread: int64(g.Thread)}
	if item.Status == "" {
		item.Status = fmt.Sprintf("status %d", g.Status)
	}
	frames, err := s.Inspector.GoroutineFrames(g)
	if err != nil {
		s.Inspector.Log.Debug("the stack of a goroutine cannot be read", "goroutine", g.ID, "err", err)
	}
	if g.Status == inspect.GoWaiting {
		item.Wait = waitReason(reasons, g.WaitReason)
		item.On = waits.Goroutine(ctx, s.Inspector, g, frames)
	}
	at := g.UserFrame(frames)
	item.Address, item.Function = plain.Hex(at.PC), s.Inspector.Symbol(at.PC)
	item.File, item.Line = at.File, at.Line
	if at.Inlined {
		item.Function = at.Function
	}
	if f, ok := s.Inspector.Program.Function(g.StartPC); ok {
		item.Start = f.Name
	}
	return item
}

// waitReason returns the runtime's text for the reason why a goroutine waits, of those
// that reasons returns.
func waitReason(reasons func() (values.Object, error), reason uint64) string {
	texts, err := reasons()
	if err != nil {
		return ""
	}
	text, err := texts.Index(int64(reason))
	if err != nil {
		return ""
	}
	return strings.Trim(text.Value(values.DefaultLimits).Text, `"`)
}
