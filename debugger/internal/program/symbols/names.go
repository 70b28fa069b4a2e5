package symbols

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// eachFunction calls visit for all functions that debug information has. It
// reads all of it first.
func (p *Program) eachFunction(ctx context.Context, visit func(f imageFunction)) error {
	for _, im := range p.Images() {
		d := im.DebugInfo()
		if d == nil {
			continue
		}
		if err := d.EachFunction(ctx, func(f *dwarfread.Subprogram) { visit(imageFunction{f, im}) }); err != nil {
			return err
		}
	}
	return nil
}

// goFunctions returns the functions of Go whose names end in a name, after a
// dot or slash, with all instances of generic ones. Whole names come before
// ends, and ends in package main before others.
func (p *Program) goFunctions(ctx context.Context, name string) ([]imageFunction, error) {
	var found [3][]imageFunction
	err := p.eachFunction(ctx, func(f imageFunction) {
		if f.Unit.Lang != lang.Go {
			return
		}
		bare := withoutArguments(f.Name)
		switch {
		case bare == name:
			found[0] = append(found[0], f)
		case !endsIn(bare, name) && !endsIn(f.Name, name):
		case strings.HasPrefix(bare, "main."):
			found[1] = append(found[1], f)
		default:
			found[2] = append(found[2], f)
		}
	})
	for _, fs := range found {
		if len(fs) > 0 {
			return fs, err
		}
	}
	return nil, err
}

// endsIn reports whether a name ends in another, behind a dot or slash.
func endsIn(name, end string) bool {
	before, ok := strings.CutSuffix(name, end)
	return ok && end != "" && (strings.HasSuffix(before, ".") || strings.HasSuffix(before, "/"))
}

// withoutArguments removes type arguments in brackets.
func withoutArguments(name string) string {
	if strings.IndexByte(name, '[') < 0 {
		return name
	}
	var b strings.Builder
	depth := 0
	for _, c := range []byte(name) {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth <= 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Similar returns up to n names of functions that resemble one that is not
// known, the nearest first.
func (p *Program) Similar(ctx context.Context, name string, n int) ([]string, error) {
	far := map[string]int{}
	want := lastPart(name)
	err := p.eachFunction(ctx, func(f imageFunction) {
		if d, ok := distance(want, lastPart(f.Name), max(1, len(want)/3)); ok {
			far[withoutArguments(f.Name)] = d
		}
	})
	var names []string
	for each := range far {
		names = append(names, each)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(far[a]-far[b], cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return names[:min(n, len(names))], err
}

// lastPart returns a function's own name in lower case.
func lastPart(name string) string {
	name = dwarfread.BaseName(withoutArguments(name))
	return strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
}

// distance returns the edit distance of two names; false when it exceeds most.
func distance(a, b string, most int) (int, bool) {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return 0, false
	}
	d := levenshtein.ComputeDistance(a, b)
	return d, d <= most
}
