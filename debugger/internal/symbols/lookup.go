package symbols

import (
	"context"
	"slices"
	"strings"
)

// A Location is a place in the code, for a breakpoint.
type Location struct {
	Addr     uint64
	Function string
	File     string // empty when there is no line
	Line     int
	Image    string // path of the file
}

// Lookup returns the addresses of a function or variable by its name as the
// linker, or as the program has it, with or without what it is qualified with.
// The error is [ErrNotFound] when no image knows it.
func (p *Program) Lookup(ctx context.Context, name string) ([]uint64, error) {
	var out []uint64
	for _, im := range p.Images() {
		for _, s := range im.symbols().named(name) {
			out = append(out, s.addr+im.Bias)
		}
	}
	fs, err := p.functions(ctx, name)
	for _, f := range fs {
		out = append(out, f.start()+f.unit.d.image.Bias)
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

// functions returns the functions that debug information has under a name. It
// reads all of it first, if that was not done yet.
func (p *Program) functions(ctx context.Context, name string) ([]*function, error) {
	var out []*function
	for _, im := range p.Images() {
		d := im.debug()
		if d == nil {
			continue
		}
		if err := d.loadAll(ctx); err != nil {
			return out, err
		}
		err := d.do(func() error {
			out = append(out, d.names[name]...)
			return nil
		})
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// Entry returns where to stop when a function is entered: behind the prologue,
// where its arguments have their values, as far as the line table tells. Go's
// functions are known by the ends of their names, too.
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
		d := f.unit.d
		err := d.do(func() error {
			pc := f.bodyLocked()
			seen[f.start()+d.image.Bias] = true
			out = append(out, d.locationLocked(f.unit, f, pc))
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

// symbolEntries are the functions of that name without debug information.
func (p *Program) symbolEntries(name string, seen map[uint64]bool) []Location {
	var out []Location
	for _, im := range p.Images() {
		for _, s := range im.symbols().named(name) {
			addr := s.addr + im.Bias
			if s.code && !seen[addr] {
				seen[addr] = true
				out = append(out, Location{Addr: addr, Function: readable(s.name), Image: im.Path})
			}
		}
	}
	return out
}

// bodyLocked is the address behind the prologue: where the line table says that
// it ends, else where the second line begins. Optimized code of gcc says where
// its arguments are from the first instruction on, so there is nothing to skip.
func (f *function) bodyLocked() uint64 {
	start := f.start()
	if f.unit.optimized && strings.HasPrefix(f.unit.producer, "GNU ") {
		return start
	}
	second := uint64(0)
	for _, r := range f.unit.linesLocked().rowsFrom(start) {
		if !within(f.ranges, r.addr) || r.end {
			break
		}
		if r.prologue {
			return r.addr
		}
		if r.addr > start && r.stmt && r.line != 0 && second == 0 {
			second = r.addr
			if f.unit.lang != Go {
				break
			}
		}
	}
	if second != 0 {
		return second
	}
	return start
}

// rowsFrom returns the rows from an address on.
func (t *lineTable) rowsFrom(pc uint64) []lineRow {
	i, _ := slices.BinarySearchFunc(t.rows, pc, func(r lineRow, pc uint64) int { return compareUint(r.addr, pc) })
	for i < len(t.rows) && t.rows[i].end && t.rows[i].addr == pc {
		i++
	}
	return t.rows[i:]
}

func (d *debugInfo) locationLocked(u *unit, f *function, pc uint64) Location {
	file, line := u.linesLocked().at(pc)
	l := Location{Addr: pc + d.image.Bias, File: file, Line: line, Image: d.image.Path}
	if f != nil {
		l.Function = f.name
	}
	return l
}
