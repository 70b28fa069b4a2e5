package looktools

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/waits"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// maxThreads is the maximum number of threads or goroutines in an answer.
const maxThreads = 1000

// threadsArgs holds the arguments of threads.
type threadsArgs struct {
	Select int `json:"select,omitempty" min:"1" bounds:"enforced"`
	sessiontools.SessionArg
}

// threads is the answer of threads.
type threads struct {
	State   *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Threads []threadItem   `json:"threads"`
	More    int            `json:"more,omitempty" doc:"How many threads are not listed"`
	Cycles  []string       `json:"cycles,omitempty" doc:"Threads that wait for each other"`
}

// A threadItem is a thread in an answer.
type threadItem struct {
	ID       int    `json:"id"`
	Name     string `json:"name,omitempty"`
	Current  bool   `json:"current,omitempty"`
	Address  string `json:"address,omitempty"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Wait     string `json:"wait,omitempty" doc:"What it waits for"`
	Holder   int    `json:"holder,omitempty" doc:"The thread that must act first, if it is known"`
}

// Text returns a line for each thread, and one for each cycle.
func (t threads) Text() string {
	var b strings.Builder
	b.WriteString("Threads:")
	for _, each := range t.Threads {
		mark := " "
		if each.Current {
			mark = "*"
		}
		place := sessiontools.Place{Address: each.Address, Function: each.Function, File: each.File, Line: each.Line}
		name := plain.Line(each.Name)
		if name != "" { // traces do not record names
			name += " "
		}
		fmt.Fprintf(&b, "\n%s %d %sat %s", mark, each.ID, name, place.String())
		if each.Wait != "" {
			b.WriteString(", waits for " + plain.Line(each.Wait))
		}
	}
	if t.More > 0 {
		fmt.Fprintf(&b, "\n(%d more)", t.More)
	}
	for _, line := range t.Cycles {
		b.WriteString("\n" + plain.Line(line))
	}
	return b.String()
}

// threads lists the threads with their current functions, and what they wait for.
func (t *Group) threads(ctx context.Context, _ *mcp.Call, s *session.Session, args threadsArgs) (threads, error) {
	if args.Select != 0 {
		if err := s.SelectThread(args.Select); err != nil {
			return threads{}, err
		}
	}
	all, err := s.Target.View.Threads()
	if err != nil {
		return threads{}, err
	}
	answer := threads{State: s.ChangedState(), Threads: []threadItem{}, More: max(0, len(all)-maxThreads)}
	listed := all[:min(len(all), maxThreads)]
	waiting := waits.Threads(ctx, s.Inspector, listed, all)
	answer.Cycles = waits.Cycles(waiting)
	for _, each := range listed {
		item := threadItem{ID: each.ID, Name: each.Name, Current: each.Current, Wait: waiting[each.ID].For, Holder: waiting[each.ID].Holder}
		if regs, err := s.Target.View.Regs(each.ID); err == nil {
			item.Address = plain.Hex(regs.RIP)
			item.Function = s.Inspector.Symbol(regs.RIP)
			item.File, item.Line, _ = s.Inspector.Program.Line(regs.RIP)
		}
		answer.Threads = append(answer.Threads, item)
	}
	return answer, nil
}
