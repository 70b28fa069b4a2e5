package symbols

import (
	"context"
	"debug/dwarf"
	"path"
	"slices"
)

// Addresses returns where to stop for a line of a source file: the first
// address of each piece of code that the line became, in each function once. A
// line without code means the next one that has some, as the result says. The
// file is a whole path or the end of one.
func (p *Program) Addresses(ctx context.Context, file string, line int) ([]Location, error) {
	if file == "" || line <= 0 {
		return nil, ErrNotFound
	}
	var hits []hit
	for _, im := range p.Images() {
		if d := im.debug(); d != nil {
			more, err := d.lineHits(ctx, path.Clean(file), line)
			if err != nil {
				return nil, err
			}
			hits = append(hits, more...)
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
			out = append(out, h.Location)
		}
	}
	if len(out) == 0 {
		return nil, ErrNotFound
	}
	slices.SortFunc(out, func(a, b Location) int { return compareUint(a.Addr, b.Addr) })
	return slices.CompactFunc(out, func(a, b Location) bool { return a.Addr == b.Addr }), nil
}

// HasFile says whether code of a source file is known, be it of no line that was
// asked for. The file is a whole path or the end of one.
func (p *Program) HasFile(ctx context.Context, file string) (bool, error) {
	file = path.Clean(file)
	for _, im := range p.Images() {
		d := im.debug()
		if d == nil {
			continue
		}
		if has, err := d.hasFile(ctx, file); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

func (d *debugInfo) hasFile(ctx context.Context, file string) (has bool, err error) {
	for _, u := range d.units {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		err := d.do(func() error {
			has = slices.ContainsFunc(u.linesLocked().files, func(f string) bool { return f != "" && matchesFile(f, file) })
			return nil
		})
		if has || err != nil {
			return has, err
		}
	}
	return false, nil
}

type hit struct{ Location }

// lineHits searches the line tables of all units for the lowest line, not below
// the one asked for, that has code.
func (d *debugInfo) lineHits(ctx context.Context, file string, line int) ([]hit, error) {
	var out []hit
	for _, u := range d.units {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := d.do(func() error {
			out = append(out, u.lineHitsLocked(file, line)...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (u *unit) lineHitsLocked(file string, line int) []hit {
	t := u.linesLocked()
	wanted := make([]bool, len(t.files))
	some := false
	for i, f := range t.files {
		wanted[i] = f != "" && matchesFile(f, file)
		some = some || wanted[i]
	}
	if !some {
		return nil
	}
	best := t.bestLine(wanted, line)
	if best == 0 {
		return nil
	}
	return u.startsLocked(wanted, best)
}

// bestLine is the lowest line from one on that has code.
func (t *lineTable) bestLine(wanted []bool, line int) int {
	best := 0
	for _, r := range t.rows {
		if n := int(r.line); t.counts(r, wanted) && n >= line && (best == 0 || n < best) {
			best = n
		}
	}
	return best
}

func (t *lineTable) counts(r lineRow, wanted []bool) bool {
	return r.stmt && !r.end && int(r.file) < len(wanted) && wanted[r.file]
}

// startsLocked returns the first address of a line in each function or inlined
// function that has it.
func (u *unit) startsLocked(wanted []bool, line int) []hit {
	t := u.linesLocked()
	first := map[*scope]lineRow{}
	owner := map[*scope]*function{}
	var order []*scope
	for _, r := range t.rows {
		if !t.counts(r, wanted) || int(r.line) != line {
			continue
		}
		f, s := u.innermostLocked(r.addr)
		if _, ok := first[s]; !ok {
			first[s], owner[s] = r, f
			order = append(order, s)
		}
	}
	var out []hit
	for _, s := range order {
		f, pc := owner[s], first[s].addr
		if f != nil && pc == f.start() {
			pc = f.bodyLocked()
		}
		h := hit{u.d.locationLocked(u, f, pc)}
		h.Line, h.File = line, t.file(int(first[s].file))
		out = append(out, h)
	}
	return out
}

// innermostLocked returns the function at an address and the scope of the
// innermost function inlined there, or the function's own.
func (u *unit) innermostLocked(pc uint64) (*function, *scope) {
	f := u.functionAtLocked(pc)
	if f == nil {
		return nil, nil
	}
	tree, _ := f.treeLocked()
	if tree == nil {
		return f, nil
	}
	var s *scope
	for _, c := range tree.path(pc) {
		if c == tree || c.tag == dwarf.TagInlinedSubroutine {
			s = c
		}
	}
	return f, s
}
