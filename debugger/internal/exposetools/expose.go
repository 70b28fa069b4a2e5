package exposetools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/expose"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/sessiontools"
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
		Name: "debugger/expose", Title: "Expose to gdb", Scope: sessiontools.WriteScope, Hints: mcp.Idempotent,
		Doc:    "Let the user's own gdb follow this session, over a local socket",
		Phrase: "Session exposed{ for $mode}", Details: facts,
		Call: mcp.Typed(sessiontools.WithSession(t.Sessions, t.expose)),
	}}
}

type exposeArgs struct {
	Control bool `json:"control,omitempty" doc:"gdb may also move and change the process"`
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
	Command string `json:"command" doc:"What the user types in a shell"`
	Control bool   `json:"control" doc:"Whether gdb may move and change the process"`
}

// Text tells the user what to type.
func (e exposed) Text() string {
	what := "gdb follows the session and changes nothing; its continue shows the next stop."
	if e.Control {
		what = "gdb drives the session together with you."
	}
	return fmt.Sprintf("Exposed. Type:\n%s\n%s", e.Command, what)
}

// expose offers a session. It may be called while the process runs.
func (t *Group) expose(ctx context.Context, _ *mcp.Call, s *session.Session, args exposeArgs) (exposed, error) {
	socket, err := t.Exposer.Expose(ctx, s, args.Control)
	if err != nil {
		return exposed{}, err
	}
	return exposed{Socket: socket, Command: fmt.Sprintf("gdb -ex 'target remote %s'", socket), Control: args.Control}, nil
}
