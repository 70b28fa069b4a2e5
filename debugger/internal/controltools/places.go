package controltools

import (
	"context"

	"github.com/triptych-mcp/triptych/debugger/internal/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
)

// resolvePlaces returns the locations that the arguments specify.
func resolvePlaces(ctx context.Context, s *session.Session, args breakpointArgs) ([]symbols.Location, error) {
	switch {
	case args.Address != "":
		addr, _ := inspect.ParseAddress(args.Address) // checked by Validate
		return []symbols.Location{s.AddressPlace(addr)}, nil
	case args.Function != "":
		return s.FunctionPlaces(ctx, args.Function)
	}
	return s.LinePlaces(ctx, args.File, args.Line)
}
