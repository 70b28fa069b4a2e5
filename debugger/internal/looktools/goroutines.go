package looktools

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/plain"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/types"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols/values"
	"github.com/triptych-mcp/triptych/mcp"
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

// goStatuses holds the states of a goroutine, without the bit that marks a scan
// of its stack (runtime2.go of the Go runtime).
var goStatuses = map[uint64]string{
	0: "idle", 1: "runnable", 2: "running", 3: "syscall", 4: "waiting", 6: "dead", 8: "copystack", 9: "preempted", 10: "leaked",
}

const (
	goScan = 0x1000
	goDead = 6
)

// goroutines lists the goroutines of a Go program.
func (t *Group) goroutines(ctx context.Context, _ *mcp.Call, s *session.Session, _ sessiontools.OnlySession) (goroutines, error) {
	if !s.IsGo() {
		return goroutines{}, failure.Errorf("No goroutines", "the program was not made by Go's compiler, or its symbols are stripped")
	}
	regs, err := s.Registers(0)
	if err != nil {
		return goroutines{}, err
	}
	all, err := values.Global(ctx, s.Program, "runtime.allgs", s.Memory(), regs)
	if err != nil {
		return goroutines{}, failure.Errorf("No goroutines", "the program has no debug information: %v", err)
	}
	length, err := field(all, "len").Int()
	if err != nil {
		return goroutines{}, failure.Errorf("No goroutines", "%v", err)
	}
	answer := goroutines{State: s.ChangedState(), Goroutines: []goroutineItem{}}
	for i := range length {
		g, err := all.Index(i)
		if err != nil || ctx.Err() != nil {
			break
		}
		item, alive := newGoroutineItem(ctx, s, g, regs)
		switch {
		case !alive:
		case len(answer.Goroutines) == maxThreads:
			answer.More++
		default:
			answer.Goroutines = append(answer.Goroutines, item)
		}
	}
	return answer, ctx.Err()
}

// field follows the names of members. If a member does not exist, the result has
// type void.
func field(o values.Object, names ...string) values.Object {
	for _, name := range names {
		m, err := o.Member(name)
		if err != nil {
			return values.Object{Type: &types.Type{}}
		}
		o = m
	}
	return o
}

// number returns the value of an integer member, or 0 if it does not exist.
func number(o values.Object, names ...string) uint64 {
	o = field(o, names...)
	if o.Type.Kind == types.KindVoid {
		return 0
	}
	n, _ := o.Uint() // 0 if it cannot be read
	return n
}

// newGoroutineItem reads a runtime.g. It returns false for a dead goroutine.
func newGoroutineItem(ctx context.Context, s *session.Session, g values.Object, regs dwarfregs.Registers) (goroutineItem, bool) {
	status := number(g, "atomicstatus", "value") &^ goScan
	item := goroutineItem{ID: int64(number(g, "goid")), Status: goStatuses[status]}
	if status == goDead || item.ID == 0 {
		return item, false
	}
	if item.Status == "" {
		item.Status = fmt.Sprintf("status %d", status)
	}
	if item.Status == "waiting" {
		item.Wait = waitReason(ctx, s, number(g, "waitreason"), regs)
	}
	pc := number(g, "sched", "pc")
	if m := number(g, "m"); m != 0 {
		item.Thread = int64(number(g, "m", "procid"))
		if cpu, err := s.View.Regs(int(item.Thread)); err == nil {
			pc = cpu.RIP
		}
	}
	item.Address, item.Function = plain.Hex(pc), s.Symbol(pc)
	item.File, item.Line, _ = s.Program.Line(pc)
	if f, ok := s.Program.Function(number(g, "startpc")); ok {
		item.Start = f.Name
	}
	return item, true
}

// waitReason returns the runtime's text for the reason why a goroutine waits.
func waitReason(ctx context.Context, s *session.Session, reason uint64, regs dwarfregs.Registers) string {
	texts, err := values.Global(ctx, s.Program, "runtime.waitReasonStrings", s.Memory(), regs)
	if err != nil {
		return ""
	}
	text, err := texts.Index(int64(reason))
	if err != nil {
		return ""
	}
	return strings.Trim(text.Value(values.DefaultLimits).Text, `"`)
}
