package dap_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	godap "github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/kernel/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/dap"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// patience bounds everything that should just happen, on a machine that does
// much else.
const patience = 3 * time.Minute

// caller begins and ends sessions as the tools of the debugger do.
type caller struct {
	sessions *session.Registry
	pid      int // of the last process
}

func (c *caller) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	switch tool {
	case "debugger/launch":
		return c.launch(ctx, args)
	case "debugger/attach":
		process, err := proc.Attach(ctx, args["pid"].(int), proc.Options{})
		if err != nil {
			return "", err
		}
		return c.add(target.OfProcess(process, nil, "attached"))
	case "debugger/open_trace":
		return c.open(ctx, args["file"].(string))
	case "debugger/detach":
		for _, s := range c.sessions.All() {
			if s.ID == args["session"] {
				return "", c.sessions.End(ctx, s, args["kill"] == true, "ended")
			}
		}
	}
	return "", fmt.Errorf("no tool %s", tool)
}

func (c *caller) add(d target.Target) (string, error) {
	s, err := c.sessions.Add("test", d)
	if err != nil {
		return "", err
	}
	c.pid = s.Target.PID
	return s.ID, nil
}

// launch starts a program, which runs to main.
func (c *caller) launch(ctx context.Context, args map[string]any) (string, error) {
	out, err := target.NewOutput()
	if err != nil {
		return "", err
	}
	env := os.Environ()
	for name, value := range args["env"].(map[string]string) {
		env = append(env, name+"="+value)
	}
	process, err := proc.Launch(ctx, proc.Spec{
		Path: args["path"].(string), Args: args["args"].([]string), Env: env, Dir: args["cwd"].(string), Files: out.Files(),
	}, proc.Options{})
	out.Start()
	if err != nil {
		return "", err
	}
	s, err := c.sessions.Add("test", target.OfProcess(process, out, "launched"))
	if err != nil {
		return "", err
	}
	c.pid = s.Target.PID
	_, leave, err := s.Acquire(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	if err := s.RequireStopped(); err != nil {
		return "", err
	}
	_, err = s.Move(ctx, alone{}, patience, func(ctx context.Context) (proc.Stop, error) {
		stop, _, err := s.Stepper.RunTo(ctx, proc.BreakpointSpec{Address: s.Inspector.MainFunction(ctx)})
		return stop, err
	})
	s.SetReason("launched")
	return s.ID, err
}

func (c *caller) open(ctx context.Context, path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	trace, err := target.ReadTrace(ctx, file, nil, func(float64, float64) {})
	if err != nil {
		return "", err
	}
	view, err := target.NewTrace(trace, target.Overrides{})
	if err != nil {
		return "", err
	}
	return c.add(view.Target(path))
}

// alone is a client that waits.
type alone struct{}

func (alone) InputClosed() <-chan struct{}                       { return nil }
func (alone) Progress(context.Context, float64, float64, string) {}

// A client is the other end of a conversation. It speaks go-dap's codec.
type client struct {
	t      testing.TB
	conn   net.Conn
	in     *bufio.Reader
	seq    int
	events []godap.Message // that were not waited for yet
	output string          // all that the program has written
	done   chan error      // of Serve
	*caller
}

// serve begins a conversation about a session, or with an owner of none.
func serve(t testing.TB, r *session.Registry, s *session.Session, role session.Role) *client {
	t.Helper()
	ours, theirs := net.Pipe()
	c := &client{t: t, conn: ours, in: bufio.NewReader(ours), done: make(chan error, 1), caller: &caller{sessions: r}}
	o := dap.Options{Role: role, Log: slog.New(slog.DiscardHandler), Call: c.call}
	go func() { c.done <- dap.Serve(context.Background(), theirs, r, s, o) }()
	t.Cleanup(func() { _ = ours.Close() })
	return c
}

// A response is any response, with its body as it is.
type response struct {
	godap.Response
	Body json.RawMessage `json:"body"`
}

// A custom request has any command and arguments.
type custom struct {
	godap.Request
	Arguments any `json:"arguments,omitempty"`
}

// send sends a request and returns its number.
func (c *client) send(command string, arguments any) int {
	c.t.Helper()
	c.seq++
	m := &custom{Arguments: arguments}
	m.Seq, m.Type, m.Command = c.seq, "request", command
	content, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(content)
	return c.seq
}

func (c *client) write(content []byte) {
	c.t.Helper()
	if err := c.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		c.t.Fatal(err)
	}
	if err := godap.WriteBaseMessage(c.conn, content); err != nil {
		c.t.Fatal(err)
	}
}

// read returns the next message: an event as its type, a response as it is.
func (c *client) read() (godap.Message, *response) {
	c.t.Helper()
	if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		c.t.Fatal(err)
	}
	content, err := godap.ReadBaseMessage(c.in)
	if err != nil {
		c.t.Fatal("the server says nothing: ", err)
	}
	var r response
	if err := json.Unmarshal(content, &r); err != nil {
		c.t.Fatalf("%s: %v", content, err)
	}
	if r.Type == "response" {
		return nil, &r
	}
	m, err := godap.DecodeProtocolMessage(content)
	if err != nil {
		c.t.Fatalf("%s: %v", content, err)
	}
	if e, ok := m.(*godap.OutputEvent); ok && e.Body.Category == "stdout" {
		c.output += e.Body.Output
	}
	return m, nil
}

// await returns the response to a request.
func (c *client) await(seq int) *response {
	c.t.Helper()
	for {
		m, r := c.read()
		switch {
		case r == nil:
			c.events = append(c.events, m)
		case r.RequestSeq == seq:
			return r
		default:
			c.t.Fatalf("the response %+v is not for request %d", r, seq)
		}
	}
}

// ask sends a request that succeeds, and decodes the body of its response.
func ask[B any](c *client, command string, arguments any) B {
	c.t.Helper()
	r := c.await(c.send(command, arguments))
	if !r.Success {
		c.t.Fatalf("%s: %s", command, r.Message)
	}
	var body B
	if len(r.Body) > 0 {
		if err := json.Unmarshal(r.Body, &body); err != nil {
			c.t.Fatalf("%s: %s: %v", command, r.Body, err)
		}
	}
	return body
}

// do sends a request that succeeds.
func (c *client) do(command string, arguments any) {
	c.t.Helper()
	ask[any](c, command, arguments)
}

// refused sends a request that fails, and returns why.
func (c *client) refused(command string, arguments any) string {
	c.t.Helper()
	r := c.await(c.send(command, arguments))
	if r.Success {
		c.t.Fatalf("%s succeeds", command)
	}
	return r.Message
}

// event returns the next event of a type, and drops those before it.
func event[E godap.Message](c *client) E {
	c.t.Helper()
	for {
		for i, m := range c.events {
			if e, ok := m.(E); ok {
				c.events = c.events[i+1:]
				return e
			}
		}
		c.events = nil
		m, r := c.read()
		if r != nil {
			c.t.Fatalf("a response to nothing: %+v", r)
		}
		if _, ended := m.(*godap.TerminatedEvent); ended {
			if e, ok := m.(E); ok {
				return e
			}
			c.t.Fatal("the session has ended")
		}
		c.events = append(c.events, m)
	}
}

// stopped returns the next stop.
func (c *client) stopped() godap.StoppedEventBody {
	c.t.Helper()
	return event[*godap.StoppedEvent](c).Body
}

// begin is the beginning of a conversation, up to the configuration.
func (c *client) begin(command string, arguments any) {
	c.t.Helper()
	c.do("initialize", godap.InitializeRequestArguments{
		AdapterID: "triptych", LinesStartAt1: true, ColumnsStartAt1: true, SupportsVariablePaging: true, SupportsProgressReporting: true,
	})
	c.do(command, arguments)
	event[*godap.InitializedEvent](c)
}

// breakAt replaces the breakpoints of a source by one at each mark.
func (c *client) breakAt(source string, marks ...string) []godap.Breakpoint {
	c.t.Helper()
	var all []godap.SourceBreakpoint
	for _, m := range marks {
		all = append(all, godap.SourceBreakpoint{Line: debuggertest.Line(c.t, source, m)})
	}
	return c.setBreakpoints(source, all...)
}

func (c *client) setBreakpoints(source string, all ...godap.SourceBreakpoint) []godap.Breakpoint {
	c.t.Helper()
	return ask[godap.SetBreakpointsResponseBody](c, "setBreakpoints", godap.SetBreakpointsArguments{
		Source: godap.Source{Path: debuggertest.Source(source)}, Breakpoints: all,
	}).Breakpoints
}

// frames returns frames of a thread.
func (c *client) frames(thread, start, levels int) godap.StackTraceResponseBody {
	c.t.Helper()
	return ask[godap.StackTraceResponseBody](c, "stackTrace", godap.StackTraceArguments{ThreadId: thread, StartFrame: start, Levels: levels})
}

// at checks where a stop is, and returns its innermost frame.
func (c *client) at(stop godap.StoppedEventBody, source, mark string) godap.StackFrame {
	c.t.Helper()
	f := c.frames(stop.ThreadId, 0, 1).StackFrames[0]
	if f.Source == nil || !strings.HasSuffix(f.Source.Path, "/"+source) || f.Line != debuggertest.Line(c.t, source, mark) {
		c.t.Errorf("stopped for %s at %+v in line %d, want %s:%d, %s", stop.Reason, f.Source, f.Line, source, debuggertest.Line(c.t, source, mark), mark)
	}
	return f
}

// value evaluates an expression in a frame.
func (c *client) value(expression string, frame int) string {
	c.t.Helper()
	return ask[godap.EvaluateResponseBody](c, "evaluate", godap.EvaluateArguments{Expression: expression, FrameId: frame, Context: "watch"}).Result
}

// scope returns the variables of a scope of a frame.
func (c *client) scope(frame int, name string) []godap.Variable {
	c.t.Helper()
	for _, s := range ask[godap.ScopesResponseBody](c, "scopes", godap.ScopesArguments{FrameId: frame}).Scopes {
		if s.Name == name {
			return c.variables(s.VariablesReference, 0, 0)
		}
	}
	c.t.Fatalf("the frame has no scope %s", name)
	return nil
}

func (c *client) variables(reference, start, count int) []godap.Variable {
	c.t.Helper()
	return ask[godap.VariablesResponseBody](c, "variables", godap.VariablesArguments{VariablesReference: reference, Start: start, Count: count}).Variables
}

// named returns a variable.
func named(t testing.TB, all []godap.Variable, name string) godap.Variable {
	t.Helper()
	for _, v := range all {
		if v.Name == name {
			return v
		}
	}
	t.Fatalf("there is no variable %s: %+v", name, all)
	return godap.Variable{}
}

// position is the position in the history, as the console tells.
func (c *client) position() string {
	c.t.Helper()
	return ask[godap.EvaluateResponseBody](c, "evaluate", godap.EvaluateArguments{Expression: ":position", Context: "repl"}).Result
}

// end disconnects, and waits for the server.
func (c *client) end() {
	c.t.Helper()
	c.do("disconnect", nil)
	c.wait()
}

// wait returns when the server has ended.
func (c *client) wait() {
	c.t.Helper()
	go func() { _, _ = io.Copy(io.Discard, c.conn) }()
	select {
	case err := <-c.done:
		if err != nil {
			c.t.Errorf("serving: %v", err)
		}
	case <-time.After(patience):
		c.t.Fatal("the client has gone, and Serve has not returned")
	}
}

// gone waits until a process does not exist.
func (c *client) gone(pid int) {
	c.t.Helper()
	for began := time.Now(); time.Since(began) < patience; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); errors.Is(err, os.ErrNotExist) {
			return
		}
	}
	c.t.Errorf("process %d is still there", pid)
}

// exportTrace writes the history of a session into a file.
func exportTrace(t *testing.T, s *session.Session) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Target.History.Export(t.Context(), file, history.ExportOptions{Format: history.Binary, Program: s.Target.Executable()})
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}
