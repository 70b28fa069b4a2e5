package stepping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session/failure"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/debugger/internal/session/sourcefile"
	"github.com/triptych-mcp/triptych/debugger/internal/session/target"
)

// A Site names the place of a breakpoint: an address, a function, a line of a
// file, or an event. Unlike the places that are found for it, it means the same
// in another process and after exec; the zero Site is that of a breakpoint whose
// client finds the places itself.
type Site struct {
	Address  uint64
	Function string
	File     string
	Line     int
	// Expected is text that the line has, "" for any. If it is in another line
	// by now, that one is meant.
	Expected string
	Catch    string // an event instead of a place, see catchFunctions
}

// String returns the site as a client would name it.
func (t Site) String() string {
	switch {
	case t.Catch != "":
		return t.Catch
	case t.Function != "":
		return t.Function
	case t.File == "":
		return fmt.Sprintf("%#x", t.Address)
	case t.Line == 0:
		return t.File
	}
	return fmt.Sprintf("%s:%d", t.File, t.Line)
}

// named reports whether the site is a name, which can be looked up in another
// program.
func (t Site) named() bool { return t.Function != "" || t.File != "" || t.Catch != "" }

// Sites finds the places of sites.
type Sites struct {
	inspector *inspect.Inspector
	target    *target.Target
}

// Places returns the places of a site, and a note on where its text has moved.
func (si *Sites) Places(ctx context.Context, t Site) (places []symbols.Location, note string, err error) {
	switch {
	case t.Catch != "":
		places, err = si.catchPlaces(ctx, t.Catch)
		return places, "", err
	case t.Function != "":
		places, err = si.inspector.FunctionPlaces(ctx, t.Function)
		return places, "", err
	case t.File == "":
		return []symbols.Location{si.inspector.AddressPlace(t.Address)}, "", nil
	}
	if t.Expected != "" {
		if t.Line, note, err = si.expectedLine(ctx, t); err != nil {
			return nil, "", err
		}
	}
	places, err = si.inspector.LinePlaces(ctx, t.File, t.Line)
	return places, note, err
}

// expectedLine returns the line that has the expected text and is nearest to the
// line of the site, and a note unless it is that line.
func (si *Sites) expectedLine(ctx context.Context, t Site) (line int, note string, err error) {
	file, err := si.inspector.LinePlaces(ctx, t.File, max(1, t.Line))
	if err != nil {
		if file, err = si.inspector.LinePlaces(ctx, t.File, 1); err != nil {
			return 0, "", err
		}
	}
	lines := sourcefile.Lines(si.target.SourcePath(file[0].File), 1, math.MaxInt)
	if len(lines) == 0 {
		return 0, "", failure.Breakpointf("the file %s cannot be read, so the text of its lines is not known", file[0].File)
	}
	found := linesWith(lines, t.Expected)
	if len(found) == 0 {
		return 0, "", failure.Breakpointf("no line of %s has the text %q%s", file[0].File, t.Expected, lineIs(lines, t.Line))
	}
	line = found[0]
	for _, n := range found {
		if abs(n-t.Line) < abs(line-t.Line) {
			line = n
		}
	}
	switch {
	case line == t.Line:
		return line, "", nil
	case t.Line == 0 && len(found) > 1:
		return 0, "", failure.Breakpointf("the lines %v of %s have this text; give the line, too", found[:min(len(found), maxListed)], file[0].File)
	case t.Line == 0:
		return line, "", nil
	}
	return line, fmt.Sprintf("the text is in line %d now%s", line, lineIs(lines, t.Line)), nil
}

// maxListed is the maximum number of lines in an error.
const maxListed = 20

// linesWith returns the numbers of the lines that have a text. White space does
// not count.
func linesWith(lines []string, text string) (numbers []int) {
	want := strings.Join(strings.Fields(text), " ")
	for i, line := range lines {
		if strings.Contains(strings.Join(strings.Fields(line), " "), want) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// lineIs returns a part of a sentence with the text of a line, "" if there is no
// such line.
func lineIs(lines []string, n int) string {
	if n < 1 || n > len(lines) {
		return ""
	}
	return fmt.Sprintf("; line %d is %q", n, strings.TrimSpace(lines[n-1]))
}

func abs(n int) int { return max(n, -n) }

// isUnknown reports whether a site was not found, which a library that is
// loaded later can change.
func isUnknown(err error) bool {
	_, ok := errors.AsType[*failure.BreakpointError](err)
	return ok
}
