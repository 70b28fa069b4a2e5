package controltools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

const (
	maxPlaces  = 64 // maximum number of addresses of a breakpoint
	maxSimilar = 5  // maximum number of similar names for an unknown function
)

// resolvePlaces returns the locations that the arguments specify.
func resolvePlaces(ctx context.Context, s *session.Session, args breakpointArgs) ([]symbols.Location, error) {
	var found []symbols.Location
	var err error
	switch {
	case args.Address != "":
		addr, _ := inspect.ParseAddress(args.Address) // checked by Validate
		at := symbols.Location{Addr: addr}
		at.Function, _, _ = s.Symbolize(addr)
		at.File, at.Line, _ = s.Program.Line(addr)
		return []symbols.Location{at}, nil
	case args.Function != "":
		found, err = s.Program.Entry(ctx, args.Function)
	default:
		found, err = s.Program.Addresses(ctx, args.File, args.Line)
	}
	switch {
	case errors.Is(err, symbols.ErrNotFound) && args.Function != "":
		return nil, noFunction(ctx, s, args.Function)
	case errors.Is(err, symbols.ErrNotFound):
		return nil, noLine(ctx, s, args.File, args.Line)
	case err != nil:
		return nil, err
	case len(found) > maxPlaces:
		return nil, failure.Breakpointf("that is %d places; %d is the limit", len(found), maxPlaces)
	}
	return found, nil
}

// noFunction returns the error for an unknown function. It lists similar names.
func noFunction(ctx context.Context, s *session.Session, name string) error {
	similar, err := s.Program.Similar(ctx, name, maxSimilar)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("no function %s is known", name)
	if len(similar) > 0 {
		text += "; there is " + strings.Join(similar, ", ")
	}
	return failure.Breakpointf("%s", text)
}

// noLine returns the error for a line without code.
func noLine(ctx context.Context, s *session.Session, file string, line int) error {
	has, err := s.Program.HasFile(ctx, file)
	switch {
	case err != nil:
		return err
	case !has:
		return failure.Breakpointf("no source file %s is known in the program or its libraries, so no code is known for its line %d", file, line)
	}
	return failure.Breakpointf("no code is known for line %d of %s", line, file)
}
