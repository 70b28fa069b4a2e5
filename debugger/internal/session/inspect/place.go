package inspect

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
)

const (
	maxPlaces  = 64 // of one breakpoint
	maxSimilar = 5  // names of functions in place of one that is not known
)

// AddressPlace describes an address for a breakpoint.
func (s *Inspector) AddressPlace(addr uint64) symbols.Location {
	at := symbols.Location{Addr: addr}
	at.Function, _, _ = s.Symbolize(addr)
	at.File, at.Line, _ = s.Program.Line(addr)
	return at
}

// FunctionPlaces returns where a breakpoint stops in a function: after its
// prologue. The error for an unknown function has similar names.
func (s *Inspector) FunctionPlaces(ctx context.Context, name string) ([]symbols.Location, error) {
	found, err := s.Program.Entry(ctx, name)
	if errors.Is(err, symbols.ErrNotFound) {
		return nil, s.noFunction(ctx, name)
	}
	return limitPlaces(found, err)
}

// LinePlaces returns where a breakpoint stops in a line of a source file, or in
// the next line that has code.
func (s *Inspector) LinePlaces(ctx context.Context, file string, line int) ([]symbols.Location, error) {
	found, err := s.Program.Addresses(ctx, file, line)
	if errors.Is(err, symbols.ErrNotFound) {
		return nil, s.noLine(ctx, file, line)
	}
	return limitPlaces(found, err)
}

func limitPlaces(found []symbols.Location, err error) ([]symbols.Location, error) {
	switch {
	case err != nil:
		return nil, err
	case len(found) > maxPlaces:
		return nil, failure.Breakpointf("that is %d places; %d is the limit", len(found), maxPlaces)
	}
	return found, nil
}

// noFunction returns the error for an unknown function, with similar names.
func (s *Inspector) noFunction(ctx context.Context, name string) error {
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
func (s *Inspector) noLine(ctx context.Context, file string, line int) error {
	has, err := s.Program.HasFile(ctx, file)
	switch {
	case err != nil:
		return err
	case !has:
		return failure.Breakpointf("no source file %s is known in the program or its libraries, so no code is known for its line %d", file, line)
	}
	return failure.Breakpointf("no code is known for line %d of %s", line, file)
}
