package dwarfread

import (
	"cmp"
	"context"
	"debug/dwarf"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sort"
	"sync"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// sectionNames lists the sections that are read in parallel on opening, because
// decompressing them takes most of the time.
var sectionNames = []string{"info", "abbrev", "line", "ranges", "str", "addr", "line_str", "str_offsets", "rnglists", "types"}

// readSections reads the sections of sectionNames.
func readSections(o elffile.Reader) map[string][]byte {
	data := make([][]byte, len(sectionNames))
	var wg sync.WaitGroup
	for i, n := range sectionNames {
		wg.Go(func() { data[i] = o.DebugSection(n) })
	}
	wg.Wait()
	out := map[string][]byte{}
	for i, n := range sectionNames {
		out[n] = data[i]
	}
	return out
}

// Open reads the headers of all units, also of those that are in files of their own.
// It returns a *budget.Error if there is not enough memory for them.
func Open(o elffile.Reader, files Files, log *slog.Logger) (*Info, error) {
	if o.Section(".debug_info", ".zdebug_info") == nil {
		return nil, errors.New("no .debug_info")
	}
	if err := o.Take(sectionNames...); err != nil {
		return nil, err
	}
	sec := readSections(o.File.Within(nil)) // which were taken
	d, err := newDebugInfo(sec, o, log)
	if err != nil {
		return nil, err
	}
	skeletons := d.skeletons(sec["abbrev"])
	if len(skeletons) == 0 {
		return d, nil
	}
	var parts map[dwarf.Offset]*splitPart
	err = elffile.CatchPanic(func() error {
		parts = readSplit(sec, o, skeletons, files)
		return nil
	})
	if err != nil {
		return d, nil
	}
	if missing := len(skeletons) - len(parts); missing > 0 {
		log.Warn("debug information is missing: keep the .dwo files, or a .dwp beside the program", "units", missing, "first", skeletons[0].name)
	}
	if d, err = newDebugInfo(sec, o, log); err == nil {
		d.attachSplit(parts)
	}
	return d, err
}

// newDebugInfo reads the headers of the units in sections. It reads location
// lists from the file when they are needed.
func newDebugInfo(sec map[string][]byte, o elffile.Reader, log *slog.Logger) (*Info, error) {
	d := &Info{
		log: log, meter: meter{account: o.Account}, names: map[string][]*Subprogram{},
		global: map[string][]*Variable{}, goType: map[uint64]dwarf.Offset{}, sigs: map[uint64]dwarf.Offset{},
		named: map[string]dwarf.Offset{}, constants: map[string][]constant{}, tables: map[uint64]dwarf.Offset{},
		addr: sec["addr"], ranges4: sec["ranges"], splitLists: sec["splitloc"],
		lists: sync.OnceValue(func() []byte { return o.DebugSection("loc") }),
		list5: sync.OnceValue(func() []byte { return o.DebugSection("loclists") }),
	}
	if lists, ok := sec["loclists"]; ok {
		d.list5 = func() []byte { return lists }
	}
	info := d.appendTypeUnits(sec["info"], sec["types"])
	if err := d.takeUnits(info, sec["abbrev"]); err != nil {
		return nil, err
	}
	err := elffile.CatchPanic(func() (err error) {
		d.data, err = dwarf.New(sec["abbrev"], nil, nil, info, sec["line"], nil, sec["ranges"], sec["str"])
		if err != nil {
			return err
		}
		for _, n := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
			if err := d.data.AddSection(".debug_"+n, sec[n]); err != nil {
				return err
			}
		}
		d.units, err = d.readUnits(info)
		return err
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Do calls f with the lock held. A panic of debug/dwarf becomes an error.
func (d *Info) Do(f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return elffile.CatchPanic(f)
}

// UnitAtLocked returns the unit that contains an entry.
func (d *Info) UnitAtLocked(off dwarf.Offset) *Unit {
	i := sort.Search(len(d.units), func(i int) bool { return d.units[i].Offset > off }) - 1
	if i < 0 || off >= d.units[i].end {
		return nil
	}
	return d.units[i]
}

// unitForLocked returns the unit that contains the code at an address of the
// file.
func (d *Info) unitForLocked(pc uint64) *Unit {
	if !d.ranged {
		d.ranged = true
		d.rangesLocked()
	}
	i := sort.Search(len(d.ranges), func(i int) bool { return d.ranges[i].start > pc }) - 1
	for ; i >= 0; i-- {
		if pc < d.ranges[i].end {
			return d.ranges[i].unit
		}
		if pc-d.ranges[i].start > 1<<30 {
			break
		}
		if i > 0 && d.ranges[i-1].end <= d.ranges[i].start {
			break // ranges do not nest, so no earlier range contains pc
		}
	}
	return nil
}

// rangesLocked sets the ranges of all units. A unit without ranges has the ranges
// of its functions.
func (d *Info) rangesLocked() {
	for _, u := range d.units {
		if u.split != nil || u.HeadLocked() != nil || u.entry == nil {
			continue // a skeleton has the ranges of its unit
		}
		rs, err := d.data.Ranges(u.entry)
		owner := cmp.Or(u.replacement, u)
		if err == nil && len(rs) == 0 && owner.hasFunctionsLocked() {
			rs = owner.functionRangesLocked()
		}
		if d.take(len(rs)*rangeCost) != nil {
			return
		}
		for _, r := range rs {
			if r[0] < r[1] && r[0] != 0 { // the linker sets the address of dropped sections to zero
				d.ranges = append(d.ranges, unitRange{r[0], r[1], owner})
			}
		}
	}
	sort.SliceStable(d.ranges, func(i, j int) bool { return d.ranges[i].start < d.ranges[j].start })
}

// hasFunctionsLocked reports whether a unit may have functions.
func (u *Unit) hasFunctionsLocked() bool {
	return u.HeadLocked() == nil && u.entry != nil && u.entry.Tag == dwarf.TagCompileUnit && u.entry.Children
}

// LoadAll reads all units. It releases the lock between units.
func (d *Info) LoadAll(ctx context.Context) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		d.mu.Lock()
		if more = d.next < len(d.units); more {
			d.units[d.next].load()
			d.next++
		}
		full := d.full
		d.mu.Unlock()
		if full != nil {
			return full
		}
	}
	return nil
}

// Address returns an entry of .debug_addr.
func (u *Unit) Address(index uint64) (uint64, error) {
	at := uint64(u.addrBase) + index*8
	if index > 1<<32 || at+8 > uint64(len(u.Info.addr)) {
		return 0, fmt.Errorf("address %d is outside .debug_addr", index)
	}
	return binary.LittleEndian.Uint64(u.Info.addr[at:]), nil
}

// TypeOffset returns the offset of the entry of a type by name. It reads all
// units first.
func (d *Info) TypeOffset(name string) (dwarf.Offset, bool) {
	if d.LoadAll(context.Background()) != nil {
		return 0, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	off, ok := d.named[name]
	return off, ok
}

// TypeOffsetIn is like TypeOffset, but reads and searches only the unit with the
// given name.
func (d *Info) TypeOffsetIn(unit, name string) (off dwarf.Offset, found bool, err error) {
	err = d.Do(func() error {
		for _, u := range d.units {
			if u.HeadLocked() == nil && u.name == unit {
				u.load()
				off, found = d.named[name]
				break
			}
		}
		return nil
	})
	return off, found, err
}

// FunctionsLocked returns the functions with a name, qualified or not, in the
// units that have been read.
func (d *Info) FunctionsLocked(name string) []*Subprogram { return d.names[name] }

// GlobalsLocked returns the global variables with a name, qualified or not, in
// the units that have been read.
func (d *Info) GlobalsLocked(name string) []*Variable { return d.global[name] }

// GoTypeOffset returns the offset of the entry of a Go type by the address of its
// run-time descriptor.
func (d *Info) GoTypeOffset(descriptor uint64) (dwarf.Offset, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	off, ok := d.goType[descriptor]
	return off, ok
}

// UnitAt returns the unit that contains an entry, or nil.
func (d *Info) UnitAt(off dwarf.Offset) *Unit {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.UnitAtLocked(off)
}

// ReaderLocked returns a reader of the entries that starts at an offset.
func (d *Info) ReaderLocked(off dwarf.Offset) *dwarf.Reader {
	r := d.data.Reader()
	r.Seek(off)
	return r
}

// EachFunction calls visit for all functions, with the lock held. It reads all
// units first.
func (d *Info) EachFunction(ctx context.Context, visit func(*Subprogram)) error {
	return d.eachUnit(ctx, func(u *Unit) {
		for _, f := range u.functions {
			visit(f)
		}
	})
}

// EachGlobal is like EachFunction for global variables.
func (d *Info) EachGlobal(ctx context.Context, visit func(*Variable)) error {
	return d.eachUnit(ctx, func(u *Unit) {
		for _, v := range u.globals {
			visit(v)
		}
	})
}

// EachType calls visit for the qualified names of all types that have a definition,
// in order. It reads all units first.
func (d *Info) EachType(ctx context.Context, visit func(name string)) error {
	if err := d.LoadAll(ctx); err != nil {
		return err
	}
	return d.Do(func() error {
		for _, name := range slices.Sorted(maps.Keys(d.named)) {
			visit(name)
		}
		return nil
	})
}

func (d *Info) eachUnit(ctx context.Context, visit func(*Unit)) error {
	if err := d.LoadAll(ctx); err != nil {
		return err
	}
	return d.Do(func() error {
		for _, u := range d.units {
			visit(u)
		}
		return nil
	})
}
