package dwarfread

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// maxRows limits the rows of the line table of one unit.
const maxRows = 1 << 24

// LinesLocked returns the unit's line table, reading it on first use.
func (u *Unit) LinesLocked() *LineTable {
	if u.lines != nil {
		return u.lines
	}
	u.lines = &LineTable{}
	if u.replacement != nil || u.HeadLocked() != nil || u.entry == nil {
		return u.lines
	}
	err := elffile.CatchPanic(func() error {
		r, err := u.Info.data.LineReader(u.entry)
		if err != nil || r == nil {
			return err
		}
		err = u.lines.read(r, u)
		return err
	})
	if err != nil {
		u.Info.log.Debug("line table is damaged", "unit", u.name, "err", err)
	}
	u.lines.sort()
	return u.lines
}

// read reads the rows. The reader may add files meanwhile, so they are copied at
// the end.
func (t *LineTable) read(r *dwarf.LineReader, u *Unit) error {
	index := map[*dwarf.LineFile]uint32{}
	var last *dwarf.LineFile // most rows have the same file as the row before
	var lastNumber uint32
	number := func(f *dwarf.LineFile) uint32 {
		if n, ok := index[f]; ok {
			return n
		}
		for i, g := range r.Files() {
			if g != nil {
				if _, ok := index[g]; !ok {
					index[g] = uint32(i)
				}
			}
		}
		return index[f]
	}
	var err error
	for len(t.rows) < maxRows {
		var e dwarf.LineEntry
		if err = r.Next(&e); err != nil {
			break
		}
		if e.File != last {
			last, lastNumber = e.File, number(e.File)
		}
		if len(t.rows) == cap(t.rows) { // append would copy a large table more often
			more := max(16, len(t.rows)/2)
			if err = u.Info.take(more * lineCost); err != nil {
				break
			}
			t.rows = slices.Grow(t.rows, more)
		}
		t.rows = append(t.rows, lineRow{
			addr: e.Address, line: uint32(max(e.Line, 0)), file: lastNumber,
			stmt: e.IsStmt, prologue: e.PrologueEnd, end: e.EndSequence,
		})
	}
	for _, f := range r.Files() {
		name := ""
		if f != nil {
			name = u.path(f.Name)
		}
		if full := u.Info.take(len(name) + lineCost); full != nil {
			return full
		}
		t.files = append(t.files, name)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// sort orders the rows by address. The end of a sequence precedes the start of
// the next one at the same address. Sequences that the linker dropped start at
// zero and are removed.
func (t *LineTable) sort() {
	kept := t.rows[:0]
	start := true
	drop := false
	for _, r := range t.rows {
		if start {
			drop = r.addr == 0
		}
		start = r.end
		if !drop {
			kept = append(kept, r)
		}
	}
	t.rows = kept
	less := func(a, b lineRow) int {
		switch {
		case a.addr != b.addr:
			return cmp.Compare(a.addr, b.addr)
		case a.end && !b.end:
			return -1
		case b.end && !a.end:
			return 1
		}
		return 0
	}
	if !slices.IsSortedFunc(t.rows, less) {
		slices.SortStableFunc(t.rows, less)
	}
}

func (t *LineTable) file(n int) string {
	if n < 0 || n >= len(t.files) {
		return ""
	}
	return t.files[n]
}

// At returns the file and line of an address, or "" and 0. Of several rows at an
// address, the last one applies, or the last one that begins a statement.
func (t *LineTable) At(pc uint64) (string, int) {
	i := sort.Search(len(t.rows), func(i int) bool { return t.rows[i].addr > pc }) - 1
	if i < 0 || t.rows[i].end {
		return "", 0
	}
	best := t.rows[i]
	for j := i; j >= 0 && !best.stmt && t.rows[j].addr == t.rows[i].addr && !t.rows[j].end; j-- {
		if t.rows[j].stmt {
			best = t.rows[j]
		}
	}
	if best.line == 0 {
		return "", 0
	}
	return t.file(int(best.file)), int(best.line)
}

// matchesFile reports whether a path equals a name or ends in it after a slash.
func matchesFile(whole, name string) bool {
	if !strings.HasSuffix(whole, name) {
		return false
	}
	rest := len(whole) - len(name)
	return rest == 0 || whole[rest-1] == '/' || name[0] == '/'
}

// before returns the file and line of the last row before an address that has a
// line, for compiler-generated code of line 0. All rows in between must satisfy
// want.
func (t *LineTable) before(pc uint64, want func(pc uint64) bool) (string, int) {
	i := sort.Search(len(t.rows), func(i int) bool { return t.rows[i].addr > pc }) - 1
	for ; i >= 0 && !t.rows[i].end && want(t.rows[i].addr); i-- {
		if r := t.rows[i]; r.line != 0 {
			return t.file(int(r.file)), int(r.line)
		}
	}
	return "", 0
}
