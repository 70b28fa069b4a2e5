package dwarfread

import (
	"debug/dwarf"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/program/location"
)

// FindLocation returns the expression that is valid at an address of the file.
// attr identifies the location list by an offset or an index.
func (u *Unit) FindLocation(attr any, pc uint64) ([]byte, error) {
	list := location.List{Version: u.version, Base: u.low, Index: uint64(u.locBase), Address: u.Address}
	var offset uint64
	switch {
	case u.split != nil && u.split.gnu:
		list.Version, list.Data, offset = location.GNUSplit, u.Info.splitLists, u.split.loc
	case list.Version >= 5:
		list.Data = u.Info.list5()
	default:
		list.Data = u.Info.lists()
	}
	var err error
	switch v := attr.(type) {
	case int64:
		offset += uint64(v)
	case uint64:
		if offset, err = list.At(v); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("location of an unknown form: %T", attr)
	}
	return list.Find(offset, pc)
}

// Procedure returns the expression of an entry that another expression calls
// (DW_OP_call2, DW_OP_call4, DW_OP_call_ref).
func (u *Unit) Procedure(die uint64, relative bool) (expr []byte, err error) {
	off := dwarf.Offset(die)
	if relative {
		off += u.Offset
	}
	err = u.Info.Do(func() error {
		if e := u.Info.EntryLocked(off); e != nil {
			expr, _ = e.Val(dwarf.AttrLocation).([]byte)
		}
		return nil
	})
	return expr, err
}
