package symbols

import (
	"cmp"
	"context"
	"path"
	"slices"
)

// Addresses returns the addresses to stop at for a line of a source file: the
// first one in each function that has code of it. When the line has no code
// the next line that has some is taken, which Location.Line reports. The file
// is a whole path or the end of one.
func (p *Program) Addresses(ctx context.Context, file string, line int) ([]Location, error) {
	if file == "" || line <= 0 {
		return nil, ErrNotFound
	}
	var hits []Location
	for _, im := range p.Images() {
		if d := im.DebugInfo(); d != nil {
			more, err := d.LineStarts(ctx, path.Clean(file), line)
			if err != nil {
				return nil, err
			}
			for _, c := range more {
				hits = append(hits, im.location(c))
			}
		}
	}
	best := 0
	for _, h := range hits {
		if best == 0 || h.Line < best {
			best = h.Line
		}
	}
	var out []Location
	for _, h := range hits {
		if h.Line == best {
			out = append(out, h)
		}
	}
	if len(out) == 0 {
		return nil, ErrNotFound
	}
	slices.SortFunc(out, func(a, b Location) int { return cmp.Compare(a.Addr, b.Addr) })
	return slices.CompactFunc(out, func(a, b Location) bool { return a.Addr == b.Addr }), nil
}

// HasFile reports whether any code comes from a source file. The file is a
// whole path or the end of one.
func (p *Program) HasFile(ctx context.Context, file string) (bool, error) {
	file = path.Clean(file)
	for _, im := range p.Images() {
		d := im.DebugInfo()
		if d == nil {
			continue
		}
		if has, err := d.HasFile(ctx, file); has || err != nil {
			return has, err
		}
	}
	return false, nil
}
