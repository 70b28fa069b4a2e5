package values

import (
	"errors"
	"math/bits"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// Groups of Go's maps: a word of control bytes and eight slots.
const (
	groupSlots = 8
	groupFull  = 0x8080808080808080 // bits that are clear for slots in use
)

// goMapOf returns the header of a map and the number of its elements. A nil map
// has none.
func goMapOf(o Object) (m Object, used uint64, err error) {
	addr, err := o.Uint()
	if err != nil || addr == 0 {
		return Object{}, 0, err
	}
	t := o.Type.Strip()
	if t.Kind == types.KindPointer {
		t = t.Elem()
	}
	m = o.At(t, addr)
	if used, err = m.number("used"); err != nil {
		used, err = m.number("count") // before Go 1.24
	}
	return m, used, err
}

// showGoMap shows a map: one group, or a directory of tables of groups.
func showGoMap(r *renderer, o Object, _ *types.Type, depth, pointers int) (content, error) {
	m, used, err := goMapOf(o)
	if err != nil {
		return content{}, err
	}
	if _, ok := m.Address(); !ok {
		return content{text: "nil"}, nil
	}
	var pairs [][2]Object
	w := mapWalk{left: min(used, uint64(r.limits.Elements)), visit: func(key, elem Object) error {
		pairs = append(pairs, [2]Object{key, elem})
		return nil
	}}
	if err := w.walk(o.Type.GoType(), m); err != nil {
		return content{}, err
	}
	c := content{cut: uint64(len(pairs)) < used}
	for _, p := range pairs {
		v := r.value(p[1], depth+1, pointers)
		v.Name = r.value(p[0], depth+1, pointers).Text
		c.children = append(c.children, v)
	}
	c.text = "{" + styles[lang.Go].commas(c.children, c.cut, true, r.limits.maxText()) + "}"
	return c, nil
}

// A mapWalk visits the used slots of a map until left is 0 or visit fails.
type mapWalk struct {
	left  uint64
	visit func(key, elem Object) error

	key, elem *types.Type // from the type of the map
	seen      uint64      // groups or buckets visited
}

// walk visits the slots of a map of a type.
func (w *mapWalk) walk(t *types.Type, m Object) error {
	w.key, w.elem = t.MapTypes()
	if _, err := m.Member("buckets"); err == nil {
		return w.buckets(m)
	}
	return w.tables(m)
}

// maxInSlot is the size of the largest keys and elements that slots hold. For
// larger ones slots hold pointers.
const maxInSlot = 128

// slot visits a key and its element.
func (w *mapWalk) slot(key, elem Object) error {
	key, err := slotValue(key, w.key)
	elem, err2 := slotValue(elem, w.elem)
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	w.left--
	return w.visit(key, elem)
}

func slotValue(o Object, t *types.Type) (Object, error) {
	if t.ByteSize() <= maxInSlot {
		return o, nil
	}
	return o.Deref()
}

const (
	maxTables = 1 << 16 // in the directory of a map
	maxGroups = 1 << 16 // of a table; those of Go have 128 at most
	maxLooks  = 1 << 19 // visited groups of one map, all of which may be empty
)

func (w *mapWalk) tables(m Object) error {
	dir, err := m.Member("dirPtr")
	if err != nil {
		return err
	}
	n, err := m.number("dirLen")
	if err != nil {
		return err
	}
	first, err := dir.Uint()
	if err != nil {
		return err
	}
	table := dir.Type.Strip().Elem() // *table
	if n == 0 {
		group, err := groupType(m.At(table.Strip().Elem(), 0))
		if err != nil || first == 0 {
			return err
		}
		return w.group(m.At(group, first))
	}
	last := uint64(0)
	for i := range min(n, maxTables) {
		p, err := symbols.ReadWord(m.View.Memory, first+8*i)
		if err != nil {
			return err
		}
		if p == last { // adjacent entries may share a table
			continue
		}
		last = p
		if err := w.table(m.At(table.Strip().Elem(), p)); err != nil {
			return err
		}
	}
	return nil
}

// groupType finds the type of a table's groups.
func groupType(table Object) (*types.Type, error) {
	data, err := table.Member("groups")
	if err != nil {
		return nil, err
	}
	fields := data.Type.Fields()
	for i := range fields {
		if f := &fields[i]; f.Name == "data" {
			return f.Type().Strip().Elem(), nil
		}
	}
	return nil, errors.New("map is not valid")
}

func (w *mapWalk) table(t Object) error {
	group, err := groupType(t)
	if err != nil {
		return err
	}
	data, err := t.number("groups", "data")
	mask, err2 := t.number("groups", "lengthMask")
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	if mask >= maxGroups {
		return errors.New("map is not valid")
	}
	size := uint64(group.ByteSize())
	for i := uint64(0); i <= mask && w.left > 0; i++ {
		if err := w.group(t.At(group, data+i*size)); err != nil {
			return err
		}
	}
	return nil
}

// group visits the slots of a group whose control byte has its high bit clear.
func (w *mapWalk) group(g Object) error {
	if w.seen++; w.seen > maxLooks {
		return errors.New("map has too many groups to be looked through")
	}
	ctrl, err := g.number("ctrl")
	if err != nil {
		return err
	}
	slots, err := g.Member("slots")
	if err != nil {
		return err
	}
	for free := ^ctrl & groupFull; free != 0 && w.left > 0; free &= free - 1 {
		i := int64(bits.TrailingZeros64(free) / groupSlots)
		slot, err := slots.Index(i)
		if err != nil {
			return err
		}
		key, err := slot.Member("key")
		elem, err2 := slot.Member("elem")
		if err := errors.Join(err, err2); err != nil {
			return err
		}
		if err := w.slot(key, elem); err != nil {
			return err
		}
	}
	return nil
}
