package exposetools

import (
	"context"
	"encoding/json"
	"fmt"
	"net"

	"github.com/triptych-mcp/triptych/debugger/internal/serve/expose"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
)

// A Group has the tool.
type Group struct {
	Exposer  *expose.Exposer
	Sessions *session.Registry
}

// Tools returns the rows of the group.
func (t *Group) Tools() []mcp.Tool {
	return []mcp.Tool{{
		Name: "debugger/expose", Title: "Expose to people", Scope: sessiontools.WriteScope, Hints: mcp.Idempotent,
		Doc:     "Let the user's gdb or editor follow this session",
		Details: facts,
		Call:    mcp.Typed(sessiontools.WithSession(t.Sessions, t.expose)),
	}}
}

type exposeArgs struct {
	Protocol string `json:"protocol,omitempty" enum:"gdb|dap" default:"gdb" doc:"dap: for editors"`
	Control  bool   `json:"control,omitempty" doc:"Let it change the process, too"`
	sessiontools.SessionArg
}

// Modes of an exposed session.
const (
	modeLook    = "looking"
	modeControl = "control"
)

func (a exposeArgs) mode() string {
	if a.Control {
		return modeControl
	}
	return modeLook
}

// facts records what the clients may do.
func facts(raw json.RawMessage, _ any) map[string]string {
	var args exposeArgs
	_ = json.Unmarshal(raw, &args) // arguments of another type are rejected
	return map[string]string{"mode": args.mode()}
}

// exposed is the answer of expose.
type exposed struct {
	Socket  string `json:"socket"`
	Command string `json:"command" doc:"What the user types in a shell, or sets in the editor"`
	Control bool   `json:"control" doc:"Whether the user may move and change the process"`
}

// Text tells the user what to type.
func (e exposed) Text() string {
	what := "It follows the session and changes nothing; gdb's continue shows the next stop."
	if e.Control {
		what = "It drives the session together with you."
	}
	return fmt.Sprintf("Exposed. The user types, or sets:\n%s\n%s", e.Command, what)
}

// expose offers a session. It may be called while the process runs.
func (t *Group) expose(ctx context.Context, _ *mcp.Call, s *session.Session, args exposeArgs) (exposed, error) {
	protocol := expose.Protocol(args.Protocol)
	socket, err := t.Exposer.Expose(ctx, s, protocol, args.Control)
	if err != nil {
		return exposed{}, err
	}
	return exposed{Socket: socket, Command: command(protocol, socket), Control: args.Control}, nil
}

// command returns how the user connects to a socket.
func command(p expose.Protocol, socket string) string {
	if p != expose.DAP {
		return fmt.Sprintf("gdb -ex 'target remote %s'", socket)
	}
	if host, port, err := net.SplitHostPort(socket); err == nil {
		return fmt.Sprintf("debug adapter server: host %s, port %s (docs/vscode.md)", host, port)
	}
	return fmt.Sprintf("debug adapter server: pipe %s (docs/vscode.md)", socket)
}
