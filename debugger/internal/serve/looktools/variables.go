package looktools

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/callstack"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// variablesArgs holds the arguments of get_variables.
type variablesArgs struct {
	Scope  string `json:"scope,omitempty" enum:"local|global|all" default:"local" doc:"Globals of libraries need a filter"`
	Filter string `json:"filter,omitempty" doc:"Part of a name, or with * and ?"`
	Frame  int    `json:"frame,omitempty" min:"0" max:"10000" doc:"0: innermost" bounds:"enforced"`
	Thread int    `json:"thread,omitempty" min:"1" bounds:"enforced"`
	goroutineArg
	sessiontools.SessionArg
}

// variables is the answer of get_variables.
type variables struct {
	State  *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	Local  []variable     `json:"local,omitempty"`
	Global []variable     `json:"global,omitempty"`
	More   bool           `json:"more,omitempty" doc:"Whether there are more than were shown; a filter chooses"`

	scope string
}

// A variable is a variable in an answer.
type variable struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Value    string `json:"value"`
	Address  string `json:"address,omitempty"`
	Argument bool   `json:"argument,omitempty"`
	Hidden   bool   `json:"hidden,omitempty" doc:"Whether an inner one of this name hides it: in expressions the name means that one"`
}

// NewVariable returns the description of a variable with its value.
func NewVariable(o values.Object) variable {
	v := o.Value(values.DefaultLimits)
	answer := variable{Name: v.Name, Type: v.Type, Value: v.Text, Argument: o.Argument, Hidden: o.Hidden}
	if v.Addr != 0 {
		answer.Address = plain.Hex(v.Addr)
	}
	return answer
}

// Text returns the documented text form.
func (v variables) Text() string {
	var b strings.Builder
	if v.scope != "global" {
		writeVariables(&b, "Local variables:", v.Local)
	}
	if v.scope == "all" {
		b.WriteString("\n")
	}
	if v.scope != "local" {
		writeVariables(&b, "Global variables:", v.Global)
	}
	if v.More {
		b.WriteString("\n  (there are more; filter chooses)")
	}
	return b.String()
}

// writeVariables writes a line for each variable, under a title.
func writeVariables(b *strings.Builder, title string, all []variable) {
	b.WriteString(title)
	for _, v := range all {
		fmt.Fprintf(b, "\n  %s: %s = %s", plain.Line(v.Name), plain.Line(v.Type), plain.Line(v.Value))
		if v.Hidden {
			b.WriteString(" (hidden)")
		}
	}
	if len(all) == 0 {
		b.WriteString("\n  (none)")
	}
}

// maxGlobals is the maximum number of global variables in an answer.
const maxGlobals = 300

// variables returns the arguments, locals and, on request, globals of a frame.
func (t *Group) variables(ctx context.Context, _ *mcp.Call, s *session.Session, args variablesArgs) (variables, error) {
	want, err := NameFilter(args.Filter)
	if err != nil {
		return variables{}, err
	}
	answer := variables{State: s.ChangedState(), scope: args.Scope}
	frame, err := s.Inspector.Frame(args.threadOr(args.Thread), args.Frame)
	if err != nil {
		return variables{}, err
	}
	if args.Scope != "global" {
		for _, o := range frame.Variables() {
			if want(o.Name) {
				answer.Local = append(answer.Local, NewVariable(o))
			}
		}
	}
	if args.Scope != "local" {
		images := s.Inspector.Program.Images()
		if args.Filter == "" {
			images, want = ownImages(s, frame), ownNames(frame)
		}
		answer.Global, answer.More, err = globals(ctx, s, images, frame, want)
	}
	return answer, err
}

// ownImages returns the program and the library of a frame. The globals of other
// libraries must be requested by name.
func ownImages(s *session.Session, frame *callstack.Frame) []*symbols.Image {
	executable := s.Target.Executable()
	return slices.DeleteFunc(s.Inspector.Program.Images(), func(im *symbols.Image) bool {
		return im.Path != executable && im.Path != frame.Image
	})
}

// ownNames selects variables outside the language's standard library: in Go,
// where all packages are in one image, those of main and of the frame's package.
func ownNames(frame *callstack.Frame) func(string) bool {
	if frame.Language != lang.Go {
		return func(string) bool { return true }
	}
	slash := strings.LastIndex(frame.Function, "/") + 1
	name, _, _ := strings.Cut(frame.Function[slash:], ".")
	own := frame.Function[:slash] + name + "."
	return func(name string) bool { return strings.HasPrefix(name, "main.") || strings.HasPrefix(name, own) }
}

// globals returns global variables of the images, as a frame sees them.
func globals(ctx context.Context, s *session.Session, images []*symbols.Image, frame *callstack.Frame, want func(string) bool) (found []variable, more bool, err error) {
	for _, im := range images {
		objects, err := values.Globals(ctx, im, s.Target.Memory(), frame.Registers(), want)
		if err != nil {
			return nil, false, err
		}
		for _, o := range objects {
			if len(found) == maxGlobals {
				return found, true, nil
			}
			o.Hidden = frame.Hides(o.Name)
			found = append(found, NewVariable(o))
		}
	}
	return found, false, nil
}

// NameFilter returns a function that reports whether a name matches a pattern.
func NameFilter(pattern string) (func(string) bool, error) {
	if !strings.ContainsAny(pattern, `*?[\`) {
		return func(name string) bool { return strings.Contains(name, pattern) }, nil
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, mcp.InvalidParams("filter must be a pattern such as buf* or a part of a name")
	}
	return func(name string) bool {
		ok, _ := path.Match(pattern, strings.ReplaceAll(name, "/", "."))
		return ok
	}, nil
}
