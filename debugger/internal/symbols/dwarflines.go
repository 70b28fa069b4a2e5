package symbols

import (
	"context"
	"debug/dwarf"
	"slices"
	"strings"
)

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

// A codeLine is an address of the file at which a line of the source begins.
type codeLine struct {
	addr     uint64
	function *function // nil when no function is described there
	file     string
	line     int
}

// lineHits searches the line tables of all units for the lowest line, not below
// the one asked for, that has code.
func (d *debugInfo) lineHits(ctx context.Context, file string, line int) ([]codeLine, error) {
	var out []codeLine
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

func (u *unit) lineHitsLocked(file string, line int) []codeLine {
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
func (u *unit) startsLocked(wanted []bool, line int) []codeLine {
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
	var out []codeLine
	for _, s := range order {
		f, pc := owner[s], first[s].addr
		if f != nil && pc == f.start() {
			pc = f.bodyLocked()
		}
		out = append(out, codeLine{addr: pc, function: f, file: t.file(int(first[s].file)), line: line})
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
