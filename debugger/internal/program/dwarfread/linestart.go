package dwarfread

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// BodyLocked returns the address after the function's prologue: the address that
// the line table marks, or else that of the second line. For optimized code of
// gcc it is the first instruction, where the locations of parameters are already
// valid, and for code of Go, which marks each prologue: without a mark there is none.
func (f *Subprogram) BodyLocked() uint64 {
	start := f.Start()
	if f.Unit.optimized && strings.HasPrefix(f.Unit.producer, "GNU ") {
		return start
	}
	for _, r := range f.Unit.LinesLocked().rowsFrom(start) {
		if !within(f.ranges, r.addr) || r.end {
			break
		}
		if r.prologue {
			return r.addr
		}
		if f.Unit.Lang != lang.Go && r.addr > start && r.stmt && r.line != 0 {
			return r.addr
		}
	}
	return start
}

// rowsFrom returns the rows at and after an address.
func (t *LineTable) rowsFrom(pc uint64) []lineRow {
	i, _ := slices.BinarySearchFunc(t.rows, pc, func(r lineRow, pc uint64) int { return cmp.Compare(r.addr, pc) })
	for i < len(t.rows) && t.rows[i].end && t.rows[i].addr == pc {
		i++
	}
	return t.rows[i:]
}

// HasFile reports whether a line table names a source file, given by its path or
// by the end of it.
func (d *Info) HasFile(ctx context.Context, file string) (has bool, err error) {
	for _, u := range d.units {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		err := d.Do(func() error {
			has = slices.ContainsFunc(u.LinesLocked().files, func(f string) bool { return f != "" && matchesFile(f, file) })
			return nil
		})
		if has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// A LineStart is an address of the file at which code of a source line begins.
type LineStart struct {
	Addr     uint64
	Function *Subprogram // nil if no function is described there
	File     string
	Line     int
}

// LineStarts returns the addresses where the code of a line begins. Each unit
// without code for that line contributes the next line that has code.
func (d *Info) LineStarts(ctx context.Context, file string, line int) ([]LineStart, error) {
	var out []LineStart
	for _, u := range d.units {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := d.Do(func() error {
			out = append(out, u.lineHitsLocked(file, line)...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (u *Unit) lineHitsLocked(file string, line int) []LineStart {
	t := u.LinesLocked()
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

// bestLine returns the lowest line that has code and is not below the given one.
func (t *LineTable) bestLine(wanted []bool, line int) int {
	best := 0
	for _, r := range t.rows {
		if n := int(r.line); t.counts(r, wanted) && n >= line && (best == 0 || n < best) {
			best = n
		}
	}
	return best
}

func (t *LineTable) counts(r lineRow, wanted []bool) bool {
	return r.stmt && !r.end && int(r.file) < len(wanted) && wanted[r.file]
}

// startsLocked returns the first address of a line in each block that has code
// of the line, as gdb does. One address a function would not do: the lowest one
// may be code that runs only when a panic unwinds the stack, as in Rust.
func (u *Unit) startsLocked(wanted []bool, line int) []LineStart {
	t := u.LinesLocked()
	first := map[*Scope]lineRow{}
	owner := map[*Scope]*Subprogram{}
	var order []*Scope
	for _, r := range t.rows {
		if !t.counts(r, wanted) || int(r.line) != line {
			continue
		}
		f, s := u.blockLocked(r.addr)
		if _, ok := first[s]; !ok {
			first[s], owner[s] = r, f
			order = append(order, s)
		}
	}
	var out []LineStart
	for _, s := range order {
		f, pc := owner[s], first[s].addr
		if f != nil && pc == f.Start() {
			pc = f.BodyLocked()
		}
		out = append(out, LineStart{Addr: pc, Function: f, File: t.file(int(first[s].file)), Line: line})
	}
	return out
}

// blockLocked returns the function at an address, and its innermost block there:
// nil if there is no function, or none of its blocks is known.
func (u *Unit) blockLocked(pc uint64) (*Subprogram, *Scope) {
	f := u.functionAtLocked(pc)
	if f == nil {
		return nil, nil
	}
	tree, _ := f.ScopesLocked()
	if tree == nil {
		return f, nil
	}
	path := tree.path(pc)
	return f, path[len(path)-1]
}
