package looktools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/serve/sessiontools"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sourcefile"
	"github.com/triptych-mcp/triptych/mcp"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// sourceArgs holds the arguments of source.
type sourceArgs struct {
	File  string `json:"file,omitempty" doc:"Path or its end"`
	Line  int    `json:"line,omitempty" min:"1" doc:"Line in the middle" bounds:"enforced"`
	Lines int    `json:"lines,omitempty" default:"11" min:"1" max:"1000" bounds:"enforced"`
	Frame int    `json:"frame,omitempty" min:"0" max:"10000" bounds:"enforced"`
	sessiontools.SessionArg
}

// Validate checks rules that the schema cannot express.
func (a sourceArgs) Validate() error {
	if a.File != "" && a.Line == 0 {
		return errors.New("line is needed with file")
	}
	return nil
}

// listing is the answer of source.
type listing struct {
	State *session.State `json:"state,omitempty" doc:"Where the process is, if an answer has not told so already"`
	File  string         `json:"file"`
	Lines []lineItem     `json:"lines"`
}

// A lineItem is a line of a source file.
type lineItem struct {
	Line    int    `json:"line"`
	Text    string `json:"text"`
	Current bool   `json:"current,omitempty"`
}

// Text returns the lines with their numbers, and an arrow at the current one.
func (l listing) Text() string {
	var b strings.Builder
	b.WriteString(plain.Line(l.File) + ":")
	for _, each := range l.Lines {
		arrow := "  "
		if each.Current {
			arrow = "=>"
		}
		fmt.Fprintf(&b, "\n%s %4d  %s", arrow, each.Line, each.Text)
	}
	return b.String()
}

// source returns lines of the program's source files, and of no other files.
func (t *Group) source(ctx context.Context, _ *mcp.Call, s *session.Session, args sourceArgs) (listing, error) {
	frame, err := s.Inspector.Frame(0, args.Frame)
	if err != nil {
		return listing{}, err
	}
	file, middle := frame.File, args.Line
	if middle == 0 {
		middle = frame.Line
	}
	if args.File != "" {
		if file, err = sourceFile(ctx, s, args.File); err != nil {
			return listing{}, err
		}
	}
	if file == "" {
		return listing{}, failure.Errorf("No source", "no source line is known for %#x", frame.PC)
	}
	first := max(1, middle-args.Lines/2)
	lines := sourcefile.Lines(s.Target.SourcePath(file), first, first+args.Lines-1)
	if len(lines) == 0 {
		return listing{}, failure.Errorf("No source", "line %d of %s cannot be read here", first, file)
	}
	answer := listing{State: s.ChangedState(), File: file, Lines: []lineItem{}}
	for i, text := range lines {
		n := first + i
		answer.Lines = append(answer.Lines, lineItem{n, text, file == frame.File && n == frame.Line})
	}
	return answer, nil
}

// sourceFile returns the path of a source file of the program.
func sourceFile(ctx context.Context, s *session.Session, name string) (string, error) {
	found, err := s.Inspector.Program.Addresses(ctx, name, 1)
	if errors.Is(err, symbols.ErrNotFound) || err == nil && len(found) == 0 {
		return "", failure.Errorf("No source", "the program was made of no file %s that is known", name)
	}
	if err != nil {
		return "", err
	}
	return found[0].File, nil
}
