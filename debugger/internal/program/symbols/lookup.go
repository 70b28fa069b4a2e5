package symbols

import (
	"context"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfread"
	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A Location is a place in the code, for a breakpoint.
type Location struct {
	Addr     uint64
	Function string
	File     string // empty when there is no line
	Line     int
	Image    string // path of the file
}

// Lookup returns the addresses of a function or variable by its linker name or
// its name in the program, qualified or not. The error is [ErrNotFound] when
// no image knows it.
func (p *Program) Lookup(ctx context.Context, name string) ([]uint64, error) {
	var out []uint64
	for _, im := range p.Images() {
		for _, s := range im.symbols().Named(name) {
			out = append(out, s.Addr+im.Bias)
		}
	}
	fs, err := p.functions(ctx, name)
	for _, f := range fs {
		out = append(out, f.Start()+f.image.Bias)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) == 0 && err == nil {
		err = ErrNotFound
	}
	if len(out) > 0 {
		err = nil
	}
	return out, err
}

// An imageFunction is a function and the image that it is in.
type imageFunction struct {
	*dwarfread.Subprogram
	image *Image
}

// functions returns the functions that debug information has under a name. It
// reads all of it first.
func (p *Program) functions(ctx context.Context, name string) ([]imageFunction, error) {
	var out []imageFunction
	for _, im := range p.Images() {
		d := im.DebugInfo()
		if d == nil {
			continue
		}
		if err := d.LoadAll(ctx); err != nil {
			return out, err
		}
		err := d.Do(func() error {
			for _, f := range d.FunctionsLocked(name) {
				out = append(out, imageFunction{f, im})
			}
			return nil
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// Entry returns the addresses to stop at when a function is entered: after the
// prologue, where its arguments have their values, as far as the line table
// tells. Functions of Go are also found by the ends of their names.
func (p *Program) Entry(ctx context.Context, name string) ([]Location, error) {
	fs, err := p.functions(ctx, name)
	if err == nil && len(fs) == 0 {
		fs, err = p.goFunctions(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	var out []Location
	seen := map[uint64]bool{}
	for _, f := range fs {
		err := f.Unit.Info.Do(func() error {
			seen[f.Start()+f.image.Bias] = true
			out = append(out, f.image.locationLocked(f.Unit, f.Subprogram, f.BodyLocked()))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	out = append(out, p.symbolEntries(name, seen)...)
	if len(out) == 0 {
		return nil, ErrNotFound
	}
	return out, nil
}

// symbolEntries returns the functions of a name that have no debug
// information.
func (p *Program) symbolEntries(name string, seen map[uint64]bool) []Location {
	var out []Location
	for _, im := range p.Images() {
		for _, s := range im.symbols().Named(name) {
			addr := s.Addr + im.Bias
			if s.Code && !seen[addr] {
				seen[addr] = true
				out = append(out, Location{Addr: addr, Function: elffile.Demangle(s.Name), Image: im.Path})
			}
		}
	}
	return out
}

// locationLocked describes an address of the file in a unit, and the function
// there, which may be nil. The debug information must be locked.
func (im *Image) locationLocked(u *dwarfread.Unit, f *dwarfread.Subprogram, pc uint64) Location {
	file, line := u.LinesLocked().At(pc)
	return im.location(dwarfread.LineStart{Addr: pc, Function: f, File: file, Line: line})
}

// location turns a line of the file into a location in the process.
func (im *Image) location(c dwarfread.LineStart) Location {
	l := Location{Addr: c.Addr + im.Bias, File: c.File, Line: c.Line, Image: im.Path}
	if c.Function != nil {
		l.Function = c.Function.Name
	}
	return l
}

// Type returns the type of a name, as the debug information has it ("point",
// "app::Box<double>", "long"), from any image.
func (p *Program) Type(ctx context.Context, name string) (*types.Type, error) {
	for _, im := range p.Images() {
		d := im.DebugInfo()
		if d == nil {
			continue
		}
		if err := d.LoadAll(ctx); err != nil {
			return nil, err
		}
		if t := im.Types().Named(name); t != nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("type %s: %w", name, ErrNotFound)
}

// ImageOf returns the image that describes a type, nil when none does.
func (p *Program) ImageOf(t *types.Type) *Image {
	for _, im := range p.Images() {
		if t.Set != nil && im.Types() == t.Set {
			return im
		}
	}
	return nil
}

// Symbols returns the addresses of the functions that the linker knows by a name,
// those of an image first.
func (p *Program) Symbols(name string, first *Image) []uint64 {
	var out []uint64
	for _, im := range inFront(p.Images(), first) {
		for _, s := range im.symbols().Named(name) {
			if s.Code {
				out = append(out, s.Addr+im.Bias)
			}
		}
	}
	return out
}

// inFront moves an image to the front of a list.
func inFront(images []*Image, first *Image) []*Image {
	if i := slices.Index(images, first); i > 0 {
		images = slices.Insert(slices.Delete(images, i, i+1), 0, first)
	}
	return images
}
