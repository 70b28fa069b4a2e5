package debugger_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/record/recording"
	"github.com/triptych-mcp/triptych/jsonrpc"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/mcptest/sample"
)

// longCalls are calls of tools that may take long in a session with a recording of work.c.
var longCalls = map[string]args{
	"call_trace":       {"function": "main"},
	"call_tree":        {},
	"collect":          {"points": []args{{"at": "mix", "expressions": []string{"x"}, "condition": "x == 1"}}},
	"continue":         {"wait_ms": 60000},
	"evaluate":         {"expression": "table"},
	"export_trace":     {"format": "text"},
	"find":             {"kind": "memory", "pattern": "text:zzz"},
	"get_variables":    {"scope": "all"},
	"heap_block":       {"address": "&planted"},
	"last_write":       {"expression": "planted"},
	"race":             {},
	"reverse_continue": {"wait_ms": 60000},
	"seek":             {"position": 20_000_000, "wait_ms": 60000},
	"step_backward":    {"by": "out", "wait_ms": 60000},
	"step_forward":     {"count": 100_000_000, "wait_ms": 60000},
	"step_line":        {"wait_ms": 60000},
	"step_out":         {"wait_ms": 60000},
	"step_over":        {"wait_ms": 60000},
	"trace_value":      {"expression": "sum", "hops": 100},
}

// quickCalls are the tools that neither run, replay nor search, by what they do instead.
var quickCalls = map[string]string{
	"attach": "takes what the process takes to stop", "launch": "takes what the program takes to main", "restart": "is a launch", "detach": "ends the session",
	"open_core": "reads a file", "open_trace": "is in TestInterruptedOpen", "expose": "opens a socket", "pause": "interrupts", "sessions": "lists",
	"set_breakpoint": "looks a name up", "clear_breakpoint": "lists", "list_breakpoints": "lists", "set_watchpoint": "evaluates", "wait": "ends with its caller",
	"get_stack_trace": "reads a stack of bounded length", "registers": "reads", "threads": "reads", "goroutines": "reads a bounded list",
	"read_memory": "reads 64 KiB", "write_memory": "writes", "disassemble": "reads 64 KiB", "source": "reads a file", "send_input": "writes", "get_output": "reads",
	"license_info": "reads", "quota_status": "reads", "get_comprehensive_audit": "reads pages", "find_similar_bugs": "has a time of its own",
	"validate_schema": "has a process of its own", "xpath_query": "has a process of its own", "preload_documents": "has a process of its own", "cache_stats": "reads",
}

// interruptTime is the time in which a call has ended after it was canceled. It is 200 ms on a
// machine that has nothing else to do.
const interruptTime = 15 * time.Second

// longest is the time after which a call is interrupted, at most.
const longest = 700 * time.Millisecond

// Each tool that may take long ends soon after its caller has gone, at any moment, and leaves
// the session where it was or on its way. A tool that is in neither list fails the test.
func TestInterrupted(t *testing.T) {
	all := map[string]bool{}
	for _, tool := range new(debugger.Config).Tools() {
		name := strings.TrimPrefix(tool.Name, "debugger/")
		all[name] = true
		if _, long := longCalls[name]; !long && quickCalls[name] == "" {
			t.Errorf("%s is in neither list: say how it can be interrupted", tool.Name)
		}
	}
	for name := range quickCalls {
		if !all[name] {
			t.Errorf("there is no tool %s", name)
		}
	}
	s := recordedWork(t, debugger.Config{})
	for name, arguments := range longCalls {
		var worst time.Duration
		at := s.end
		if forward[name] {
			at /= 2 // there is more to come
		}
		for range sample.Count(1, 3) {
			s.home(at)
			before := s.position()
			ctx, cancel := context.WithCancel(t.Context())
			wait := rand.N(longest)
			timer, due := time.AfterFunc(wait, cancel), time.Now().Add(wait)
			answer := s.call(ctx, name, arguments)
			worst = max(worst, time.Since(due))
			timer.Stop()
			cancel()
			if worst > interruptTime {
				t.Fatalf("%s ended %v after its caller had gone: %.300s", name, worst, answer)
			}
			after := s.position()
			if looks[name] && after != before {
				t.Errorf("%s has moved the session from %d to %d", name, before, after)
			}
		}
		t.Logf("%s: at most %v", name, worst)
	}
}

// forward are the tools that begin in the middle of the recording.
var forward = map[string]bool{
	"continue": true, "seek": true, "step_forward": true, "step_line": true, "step_out": true, "step_over": true,
}

// looks are the tools that leave the session at its position.
var looks = map[string]bool{
	"call_trace": true, "call_tree": true, "collect": true, "evaluate": true, "export_trace": true, "find": true,
	"get_variables": true, "heap_block": true, "last_write": true, "race": true, "trace_value": true,
}

// A recordedSession is a session with a recording of work.c, of a client that can go.
type recordedSession struct {
	t       *testing.T
	handler *mcp.Handler
	end     uint64
	sent    *progressOf
}

// recordedWork starts a session that has recorded work.c to the end of its work.
func recordedWork(t *testing.T, cfg debugger.Config) *recordedSession {
	t.Helper()
	s := clientOf(t, cfg)
	must := func(tool string, arguments args) string {
		t.Helper()
		answer := s.lookUp(tool, arguments)
		if strings.Contains(answer, `"error":`) {
			t.Fatalf("%s: %s", tool, answer)
		}
		return answer
	}
	must("launch", args{"path": debuggertest.Build(t, "work.c", "-O1", "-pthread"), "args": []string{"10", "300000"}})
	must("set_breakpoint", args{"function": "done"})
	contains(t, must("continue", args{"record": true, "wait_ms": 60000}), "breakpoint 1")
	s.end = s.position()
	return s
}

// clientOf starts a client without a session.
func clientOf(t *testing.T, cfg debugger.Config) *recordedSession {
	t.Helper()
	server, err := mcp.New(mcp.Config{Name: "test", Version: "1"}, table(t, cfg))
	if err != nil {
		t.Fatal(err)
	}
	sent := new(progressOf)
	s := &recordedSession{t: t, sent: sent, handler: server.Bind(host.Caller{Principal: host.Principal{ID: "ann", Scopes: host.Local().Scopes}, Send: sent, Connection: true}, nil)}
	t.Cleanup(func() { s.handler.End(context.WithoutCancel(t.Context())) })
	s.ask(t.Context(), "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`)
	return s
}

// call calls a tool and returns its answer.
func (s *recordedSession) call(ctx context.Context, tool string, arguments args) string {
	params, err := json.Marshal(map[string]any{"name": "debugger/" + tool, "arguments": arguments, "_meta": args{"progressToken": "p"}})
	if err != nil {
		s.t.Fatal(err)
	}
	return s.ask(ctx, "tools/call", string(params))
}

// ask makes a request and returns its answer.
func (s *recordedSession) ask(ctx context.Context, method, params string) string {
	req := jsonrpc.Request{ID: jsonrpc.NumberID(1), Method: method, Params: []byte(params)}
	return string(jsonrpc.Answer(ctx, s.handler, &req, nil))
}

// home goes to a position, as soon as what was interrupted has ended.
func (s *recordedSession) home(at uint64) {
	s.t.Helper()
	var answer string
	for range 100 {
		if answer = s.call(s.t.Context(), "seek", args{"position": at, "wait_ms": 60000}); !strings.Contains(answer, `"error":`) {
			return
		}
		s.call(s.t.Context(), "pause", nil)
	}
	s.t.Fatalf("the session does not answer: %s", answer)
}

// position returns where the session is.
func (s *recordedSession) position() uint64 {
	s.t.Helper()
	var a struct {
		Result struct {
			StructuredContent struct{ Sessions []when }
		}
	}
	answer := s.lookUp("sessions", nil)
	if err := json.Unmarshal([]byte(answer), &a); err != nil || len(a.Result.StructuredContent.Sessions) != 1 {
		s.t.Fatalf("%v: %s", err, answer)
	}
	return a.Result.StructuredContent.Sessions[0].State.History.Position
}

// progressOf holds the messages of progress that a client got.
type progressOf struct{ list []string }

func (p *progressOf) Notify(_ context.Context, method string, params []byte) error {
	if method == "notifications/progress" {
		p.list = append(p.list, string(params))
	}
	return nil
}

func (*progressOf) Call(context.Context, string, []byte) ([]byte, error) {
	return nil, context.Canceled
}

// shortTime is not enough for a search. A look-up takes milliseconds of it, unless the machine is busy.
const shortTime = time.Second

// A call whose time is used up says so, how far it came, and how to go on. Shorter calls have
// their answers.
func TestSearchTime(t *testing.T) {
	s := recordedWork(t, debugger.Config{Live: debugger.Live{SearchTime: shortTime}})
	s.lookUp("set_breakpoint", args{"function": "mix", "condition": "x == 1"})
	for tool, want := range map[string]string{
		"export_trace":     "Search time used up: the limit of 1s for a call is reached",
		"reverse_continue": "go on with debugger/seek to position ",
	} {
		before, began := s.position(), time.Now()
		answer := s.call(t.Context(), tool, longCalls[tool])
		if !strings.Contains(answer, want) || !strings.Contains(answer, `"code":-1`) {
			t.Errorf("%s: %s, want %q", tool, answer, want)
		}
		if took := time.Since(began); took < shortTime || took > shortTime+interruptTime {
			t.Errorf("%s ended after %v", tool, took)
		}
		if at := s.position(); looks[tool] && at != before {
			t.Errorf("%s has moved the session from %d to %d", tool, before, at)
		}
	}
	if answer := s.lookUp("registers", nil); strings.Contains(answer, `"error":`) {
		t.Error(answer)
	}
}

// lookUp asks again while a busy machine has used up the time of the look-up.
func (s *recordedSession) lookUp(tool string, arguments args) (answer string) {
	for range 30 {
		if answer = s.call(s.t.Context(), tool, arguments); !strings.Contains(answer, "Search time used up") {
			break
		}
	}
	return answer
}

// A client that asks for progress hears how many positions of how many are done. A call tree may be
// there before the first message.
func TestSearchProgress(t *testing.T) {
	s := recordedWork(t, debugger.Config{Live: debugger.Live{SearchTime: shortTime}})
	s.lookUp("set_breakpoint", args{"function": "mix", "condition": "x == 1"})
	for tool, long := range map[string]bool{"call_tree": false, "reverse_continue": true} {
		s.sent.list = nil
		s.call(t.Context(), tool, longCalls[tool])
		last := -1.0
		for _, text := range s.sent.list {
			var m struct {
				Progress, Total float64
				Message         string
			}
			if err := json.Unmarshal([]byte(text), &m); err != nil {
				t.Fatal(err)
			}
			if m.Progress <= last || m.Total > 0 && (m.Progress > m.Total || m.Total > float64(s.end) || !strings.Contains(m.Message, "positions")) {
				t.Errorf("%s: after %v came %s", tool, last, text)
			}
			last = m.Progress
		}
		if long && last < 1000 {
			t.Errorf("%s: %q", tool, s.sent.list)
		}
	}
}

// Opening a recording ends with its caller, and has the time of a call.
func TestInterruptedOpen(t *testing.T) {
	folder := t.TempDir()
	file, err := os.Create(filepath.Join(folder, "work.rec"))
	if err != nil {
		t.Fatal(err)
	}
	program := debuggertest.Build(t, "work.c", "-O1", "-pthread")
	_, err = recording.Record(t.Context(), recording.Program{Path: program, Args: []string{program, "10", "1000000"}}, file)
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	cfg := debugger.Config{Traces: debugger.Traces{folder}, Live: debugger.Live{SearchTime: 20 * time.Millisecond}}
	s := clientOf(t, cfg)
	arguments := args{"file": filepath.Join(folder, "work.rec")}
	contains(t, s.call(t.Context(), "open_trace", arguments), "Search time used up")
	cfg.Live.SearchTime = 0
	s = clientOf(t, cfg)
	for range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		wait := rand.N(100 * time.Millisecond)
		timer, due := time.AfterFunc(wait, cancel), time.Now().Add(wait)
		answer := s.call(ctx, "open_trace", arguments)
		if took := time.Since(due); took > interruptTime {
			t.Errorf("it ended %v after its caller had gone: %.300s", took, answer)
		}
		timer.Stop()
		cancel()
	}
}
