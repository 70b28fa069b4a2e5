package dap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/session"
)

// A config is the arguments of launch and attach that matter later.
type config struct {
	// StopOnEntry stops a launched program at main, and a process where it was
	// when it was attached to.
	StopOnEntry bool `json:"stopOnEntry"`
	// Record lets continue record every instruction.
	Record bool `json:"record"`
	// SourceMap maps folders of the debug information to folders of the client.
	SourceMap map[string]string `json:"sourceMap"`
}

// A launchConfig is the arguments of launch: a program, a trace or a core file.
type launchConfig struct {
	config
	Program string            `json:"program"`
	Args    []string          `json:"args"`
	Cwd     string            `json:"cwd"`
	Env     map[string]string `json:"env"`
	Trace   string            `json:"trace"`
	Core    string            `json:"core"`
}

// call returns the tool that begins the session, and its arguments.
func (c launchConfig) call() (tool string, arguments map[string]any, err error) {
	switch {
	case c.Trace != "" && c.Core != "":
		return "", nil, errors.New("give either trace or core")
	case c.Trace != "":
		return "debugger/open_trace", withExecutable("file", c.Trace, c.Program), nil
	case c.Core != "":
		return "debugger/open_core", withExecutable("core", c.Core, c.Program), nil
	case c.Program == "":
		return "", nil, errors.New("give one of program, trace and core")
	}
	return launchTool, map[string]any{"path": c.Program, "args": c.Args, "cwd": c.Cwd, "env": c.Env}, nil
}

// launchTool is the tool that starts a program.
const launchTool = "debugger/launch"

// withExecutable returns the arguments of a tool that opens a file, with the
// program where it is now.
func withExecutable(name, file, program string) map[string]any {
	args := map[string]any{name: file}
	if program != "" {
		args["executable"] = program
	}
	return args
}

// An attachConfig is the arguments of attach.
type attachConfig struct {
	config
	PID processID `json:"pid"`
}

// A processID is a number, or a text with one, as VS Code's ${command:pickProcess} gives.
type processID int

// UnmarshalJSON reads either form.
func (p *processID) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) != nil {
		text = string(b)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return errors.New("pid must be the number of a process")
	}
	*p = processID(n)
	return nil
}

// capabilities returns the requests that clients of all roles can send. A mirror
// refuses the ones that change the session.
func (v *server) capabilities() dap.Capabilities {
	return dap.Capabilities{
		SupportsConfigurationDoneRequest:  true,
		SupportsFunctionBreakpoints:       true,
		SupportsConditionalBreakpoints:    true,
		SupportsHitConditionalBreakpoints: true,
		SupportsLogPoints:                 true,
		SupportsInstructionBreakpoints:    true,
		SupportsDataBreakpoints:           true,
		SupportsExceptionInfoRequest:      true,
		ExceptionBreakpointFilters:        v.settings.exceptionFilters(),
		SupportsEvaluateForHovers:         true,
		SupportsStepBack:                  true,
		SupportsSteppingGranularity:       true,
		SupportsSetVariable:               true,
		SupportsSetExpression:             true,
		SupportsModulesRequest:            true,
		SupportsReadMemoryRequest:         true,
		SupportsWriteMemoryRequest:        true,
		SupportsDisassembleRequest:        true,
		SupportsDelayedStackTraceLoading:  true,
		SupportsTerminateRequest:          v.client.Role == session.Owner,
		SupportTerminateDebuggee:          v.client.Role == session.Owner,
		SupportsRestartRequest:            v.client.Role == session.Owner,
		SupportsCancelRequest:             true,
	}
}

// initialize answers the first request.
func (v *server) initialize(_ context.Context, args initializeArguments) (any, error) {
	switch {
	case v.greeted:
		return nil, errors.New("initialize was answered already")
	case args.PathFormat != "" && args.PathFormat != "path":
		return nil, fmt.Errorf("the path format %q is not known; path is", args.PathFormat)
	}
	v.greeted, v.client.arguments = true, args.InitializeRequestArguments
	v.client.arguments.LinesStartAt1 = args.Lines == nil || *args.Lines
	return v.capabilities(), nil
}

// initializeArguments tell whether lines start at 1, which is the default.
type initializeArguments struct {
	dap.InitializeRequestArguments
	Lines *bool `json:"linesStartAt1"`
}

// launch begins the session of an owner with a program or a file.
func (li *lifecycle) launch(ctx context.Context, args launchConfig) (any, error) {
	if li.client.Role != session.Owner {
		return nil, li.join(args.config)
	}
	tool, arguments, err := args.call()
	if err != nil {
		return nil, err
	}
	return nil, li.begin(ctx, tool, arguments, args.config)
}

// attach begins the session of an owner with a process.
func (li *lifecycle) attach(ctx context.Context, args attachConfig) (any, error) {
	if li.client.Role != session.Owner {
		return nil, li.join(args.config)
	}
	if args.PID == 0 {
		return nil, errors.New("pid is missing")
	}
	return nil, li.begin(ctx, "debugger/attach", map[string]any{"pid": int(args.PID)}, args.config)
}

// lifecycle answers the requests that begin and end the session of an owner, and those
// that enter and leave one.
type lifecycle struct {
	client      *client
	breakpoints *breakpoints
	looks       *looks
	moves       *moves
	settings    *settings

	origin  origin         // how the session of an owner began
	begins  sync.WaitGroup // calls of tools that begin a session
	touched time.Time
}

// An origin is the call of a tool that has begun the session of an owner.
type origin struct {
	tool      string
	arguments map[string]any
}

// begin begins a session by a call of a tool.
func (li *lifecycle) begin(ctx context.Context, tool string, arguments map[string]any, c config) error {
	if li.client.s != nil {
		return errors.New("a session has begun already")
	}
	if err := li.open(ctx, origin{tool, arguments}); err != nil {
		return err
	}
	return li.join(c)
}

// open begins a session, and makes it the one of the client.
func (li *lifecycle) open(ctx context.Context, o origin) error {
	defer li.client.slowly(ctx, "Loading")()
	id, err := li.callToBegin(ctx, o)
	if err != nil {
		return err
	}
	s := li.sessionOf(id)
	if s == nil {
		return errExited
	}
	li.client.s, li.origin = s, o
	_, li.client.seen, _ = s.LastStop()
	return s.LeavePanics(ctx) // the client has a filter for them
}

// sessionOf returns the session with an id, nil if it has ended.
func (li *lifecycle) sessionOf(id string) *session.Session {
	for _, s := range li.client.sessions.All() {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// abandonTime bounds a call that begins a session after its request was
// canceled.
const abandonTime = 15 * time.Second

// callToBegin calls a tool that begins a session. When the request is canceled
// the call goes on for a while, and a session that it begins ends: without its
// answer, which has the id, the process would be left.
func (li *lifecycle) callToBegin(ctx context.Context, o origin) (string, error) {
	type answer struct {
		id  string
		err error
	}
	done := make(chan answer, 1)
	call, cancel := context.WithCancel(context.WithoutCancel(ctx))
	li.begins.Go(func() {
		id, err := li.client.Call(call, o.tool, o.arguments)
		done <- answer{id, err}
	})
	select {
	case a := <-done:
		cancel()
		return a.id, a.err
	case <-ctx.Done():
	}
	li.begins.Go(func() {
		defer cancel()
		timer := time.AfterFunc(abandonTime, cancel)
		defer timer.Stop()
		if a := <-done; a.err == nil {
			li.abandon(context.WithoutCancel(ctx), a.id, o.tool == launchTool)
		}
	})
	return "", errCanceled
}

// abandon ends a session that the client does not know of.
func (li *lifecycle) abandon(ctx context.Context, id string, kill bool) {
	args := map[string]any{"session": id}
	if kill {
		args["kill"] = true
	}
	if _, err := li.client.Call(ctx, "debugger/detach", args); err != nil && li.sessionOf(id) != nil && li.client.Log != nil {
		li.client.Log.Warn("a session whose beginning was canceled could not be ended", "session", id, "err", err)
	}
}

// join lets the client set its breakpoints.
func (li *lifecycle) join(c config) error {
	li.client.config = c
	_, li.client.seen, _ = li.client.s.LastStop()
	li.client.later = append(li.client.later, func() {
		li.client.out.event("initialized", nil)
		li.tellProcess()
	})
	return nil
}

// tellProcess tells the client what is debugged.
func (li *lifecycle) tellProcess() {
	li.client.out.event("process", dap.ProcessEventBody{
		Name: li.client.s.Target.Executable(), SystemProcessId: li.client.s.Target.ProcessID(), IsLocalProcess: true, StartMethod: li.startMethod(), PointerSize: 64,
	})
}

func (li *lifecycle) startMethod() string {
	if li.client.s.Target.Launched() {
		return "launch"
	}
	return "attach"
}

// configurationDone shows where the session is, or lets the process of an owner
// run.
func (li *lifecycle) configurationDone(ctx context.Context, _ dap.ConfigurationDoneArguments) (any, error) {
	if li.client.s == nil {
		return nil, errNoTarget
	}
	if li.client.configured {
		return nil, errors.New("configurationDone was answered already")
	}
	li.client.configured = true
	return nil, li.enter(ctx)
}

// enter lets the process of an owner run, or shows where the session is.
func (li *lifecycle) enter(ctx context.Context) error {
	if li.client.Role == session.Owner && li.client.s.Target.Process != nil && !li.client.config.StopOnEntry {
		return li.moves.start(ctx, li.moves.forward())
	}
	li.client.later = append(li.client.later, func() {
		if li.client.s.State().Status == session.Running {
			li.moves.moving = true
			return
		}
		li.moves.tellStop(li.client.s.State(), nil)
	})
	return nil
}
