package debugger

import (
	"context"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/mcp"
)

// maxThreads is how many threads or goroutines one answer lists.
const maxThreads = 1000

type threadsArgs struct {
	Select int `json:"select,omitempty" min:"1" doc:"Make this thread the current one"`
	sessionArg
}

// threads is the answer of threads.
type threads struct {
	State   state        `json:"state"`
	Threads []threadItem `json:"threads"`
	More    int          `json:"more,omitempty" doc:"How many threads are not listed"`
}

// A threadItem is a thread as answers have it.
type threadItem struct {
	ID       int    `json:"id"`
	Name     string `json:"name,omitempty"`
	Current  bool   `json:"current,omitempty"`
	Address  string `json:"address,omitempty"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// Text is a line for each thread.
func (t threads) Text() string {
	var b strings.Builder
	b.WriteString("Threads:")
	for _, each := range t.Threads {
		mark := " "
		if each.Current {
			mark = "*"
		}
		place := placeItem{each.Address, each.Function, each.File, each.Line}
		name := plain(each.Name)
		if name != "" { // a trace has none
			name += " "
		}
		fmt.Fprintf(&b, "\n%s %d %sat %s", mark, each.ID, name, place.where())
	}
	if t.More > 0 {
		fmt.Fprintf(&b, "\n(%d more)", t.More)
	}
	return b.String()
}

func (t *lookGroup) threads(_ context.Context, _ *mcp.Call, s *session, args threadsArgs) (threads, error) {
	if args.Select != 0 {
		if err := s.choose(args.Select); err != nil {
			return threads{}, err
		}
	}
	all, err := s.scene.Threads()
	if err != nil {
		return threads{}, err
	}
	answer := threads{State: s.tell(), Threads: []threadItem{}, More: max(0, len(all)-maxThreads)}
	for _, each := range all[:min(len(all), maxThreads)] {
		item := threadItem{ID: each.ID, Name: each.Name, Current: each.Current}
		if regs, err := s.scene.Regs(each.ID); err == nil {
			item.Address = hexadecimal(regs.RIP)
			item.Function = s.symbol(regs.RIP)
			item.File, item.Line, _ = s.program.Line(regs.RIP)
		}
		answer.Threads = append(answer.Threads, item)
	}
	return answer, nil
}

// choose makes another thread the current one.
func (s *session) choose(thread int) error {
	if err := s.scene.SetCurrentThread(thread); err != nil {
		return err
	}
	reason := s.state().Reason
	if thread != s.state().Thread {
		reason = reasons[s.here().Why]
	}
	s.settle(s.here())
	s.mu.Lock()
	s.now.Reason = reason
	s.mu.Unlock()
	return nil
}
