package symbols

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// A Viewpoint is the code from which a global variable's name is resolved; the
// zero value is none.
type Viewpoint struct {
	image    *Image
	unit     *dwarfread.Unit
	prefixes []string // that the code may omit, longest first
}

// NewViewpoint returns the viewpoint of a function in a unit, which is nil when
// it is not described.
func NewViewpoint(im *Image, u *dwarfread.Unit, function string) Viewpoint {
	from := Viewpoint{image: im, unit: u}
	if u != nil {
		from.prefixes = prefixes(function, u.Lang)
	}
	return from
}

// anonymous is the spelling of namespaces without a name. Lookups see through
// them.
const anonymous = "(anonymous namespace)::"

// prefixes returns the qualifiers that a function may omit from names: for
// app::Doc::add that is app::Doc:: and app::, in Go its package.
func prefixes(function string, language lang.Lang) []string {
	if language == lang.Go {
		return []string{packageOf(function)}
	}
	var out []string
	name := strings.ReplaceAll(function, anonymous, "")
	for {
		base := dwarfread.BaseName(name)
		if base == name {
			return out
		}
		name = strings.TrimSuffix(name, base)
		out = append(out, name)
		name = strings.TrimSuffix(name, "::")
	}
}

// packageOf returns the package of a Go function, with the dot.
func packageOf(function string) string {
	path := function
	if i := strings.IndexByte(path, '['); i >= 0 { // type arguments have paths, too
		path = path[:i]
	}
	last := strings.LastIndexByte(path, '/') + 1
	dot := strings.IndexByte(function[last:], '.')
	return function[:last+dot+1]
}

// Global returns the variable that a name refers to, or the enumerator or constant of
// Go, and its image. A variable that the compiler has removed is returned if it is of the
// code's own file, or if there is no other of its name.
func (from Viewpoint) Global(ctx context.Context, p *Program, name string) (*dwarfread.Variable, *Image, error) {
	var removed *dwarfread.Variable
	var of *Image
	for _, im := range from.images(p) {
		d := im.DebugInfo()
		if d == nil {
			continue
		}
		if err := d.LoadAll(ctx); err != nil {
			return nil, nil, err
		}
		var v *dwarfread.Variable
		err := d.Do(func() error {
			v = from.nearestLocked(d, name)
			if c := from.constantLocked(d, name); c != nil && from.mayMean(p, im) && !from.seesLocked(v) {
				v = c
			}
			if v != nil {
				v.InheritLocked()
			}
			return nil
		})
		switch {
		case err != nil || v == nil:
		case !v.Placeless || v.Unit == from.unit:
			return v, im, nil
		case removed == nil:
			removed, of = v, im
		}
	}
	if removed != nil {
		return removed, of, nil
	}
	return nil, nil, fmt.Errorf("variable %s: %w", name, ErrNotFound)
}

// images returns all images: the code's own first, then the program, which
// lies below its libraries.
func (from Viewpoint) images(p *Program) []*Image {
	return inFront(p.Images(), from.image)
}

// nearestLocked returns the variable of an image that a name refers to, nil
// when there is none.
func (from Viewpoint) nearestLocked(d *dwarfread.Info, name string) *dwarfread.Variable {
	var best *dwarfread.Variable
	lowest := 0
	for _, v := range from.candidatesLocked(d, name) {
		rank, ok := from.rank(v, name)
		if v.Placeless && v.Unit != from.unit {
			rank += removedRank
		}
		if ok && (best == nil || rank < lowest || rank == lowest && best.Placeless) {
			best, lowest = v, rank
		}
	}
	return best
}

// mayMean reports whether the code's names may be constants of an image: those of libraries
// are only known in the libraries.
func (from Viewpoint) mayMean(p *Program, im *Image) bool {
	return im == from.image || from.image == nil || im == p.Images()[0]
}

// seesLocked reports whether the code can name a variable, which may be nil: another file's
// own ones it cannot.
func (from Viewpoint) seesLocked(v *dwarfread.Variable) bool {
	return v != nil && (v.Unit == from.unit || v.ExternalLocked())
}

// constantLocked returns the constant of an image that a name refers to, nil when there is
// none.
func (from Viewpoint) constantLocked(d *dwarfread.Info, name string) *dwarfread.Variable {
	name = strings.ReplaceAll(name, anonymous, "")
	for _, prefix := range from.prefixes {
		if c := d.ConstantLocked(from.unit, prefix+name); c != nil {
			return c
		}
	}
	return d.ConstantLocked(from.unit, name)
}

// removedRank is added to the rank of variables of other files that the compiler has
// removed: all others are nearer.
const removedRank = 1 << 20

func (from Viewpoint) candidatesLocked(d *dwarfread.Info, name string) []*dwarfread.Variable {
	out := d.GlobalsLocked(dwarfread.BaseName(name))
	for _, prefix := range from.prefixes {
		out = append(slices.Clip(out), d.GlobalsLocked(prefix+name)...)
	}
	return out
}

// rank returns how close a variable is, 0 being closest: the qualifiers that
// the code may omit count first, then whether it is in the same file. A name
// that omits other qualifiers fits only when it is not qualified at all.
func (from Viewpoint) rank(v *dwarfread.Variable, name string) (int, bool) {
	own := v.Unit == from.unit
	full := v.Name
	if own || from.unit == nil {
		full = strings.ReplaceAll(full, anonymous, "")
		name = strings.ReplaceAll(name, anonymous, "")
	}
	rank := 2 * len(from.prefixes)
	if i := slices.IndexFunc(from.prefixes, func(p string) bool { return full == p+name }); i >= 0 {
		rank = 2 * i
	} else if full != name {
		rank += 2
		if dwarfread.BaseName(name) != name {
			return 0, false
		}
	}
	if !own {
		rank++
	}
	return rank, true
}

// Globals returns the global variables for whose names want returns true, in
// the order of the debug information; a nil want takes all.
func (im *Image) Globals(ctx context.Context, want func(name string) bool) ([]*dwarfread.Variable, error) {
	d := im.DebugInfo()
	if d == nil {
		return nil, nil
	}
	var out []*dwarfread.Variable
	err := d.EachGlobal(ctx, func(v *dwarfread.Variable) {
		if want == nil || want(v.Name) {
			v.InheritLocked()
			out = append(out, v)
		}
	})
	return out, err
}
