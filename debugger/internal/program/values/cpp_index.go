package values

import (
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// A container is a library type whose elements can be counted and, if at is set,
// accessed by index, but are not contiguous.
type container struct {
	prefix string // start of the type's name
	length func(Object) (int64, error)
	at     func(Object, int64) (Object, error) // returns the element of a valid index; nil if elements have no index
}

// containers lists these types. Types with contiguous elements are sequences
// instead.
var containers = []container{
	{"std::array<", arrayLength, arrayAt},
	{"std::deque<", dequeLength, dequeAt},
	{"std::vector<bool,", bitsLength, bitAt},
	{"std::list<", listLength, nil},
	{"std::map<", treeLength, nil},
	{"std::multimap<", treeLength, nil},
	{"std::set<", treeLength, nil},
	{"std::multiset<", treeLength, nil},
	{"std::unordered_map<", hashLength, nil},
	{"std::unordered_multimap<", hashLength, nil},
	{"std::unordered_set<", hashLength, nil},
	{"std::unordered_multiset<", hashLength, nil},

	{"std::collections::hash::map::HashMap<", countAt("base.table.table.items"), nil},
	{"std::collections::hash::set::HashSet<", countAt("base.map.table.table.items"), nil},
	{"alloc::collections::btree::map::BTreeMap<", countAt("length"), nil},
	{"alloc::collections::btree::set::BTreeSet<", countAt("map.length"), nil},
	{"alloc::collections::vec_deque::VecDeque<", countAt("len"), ringAt},
}

// containerOf returns the container for a type, or nil.
func containerOf(t *types.Type) *container {
	name := libraryName(t)
	for i := range containers {
		if name != "" && strings.HasPrefix(name, containers[i].prefix) {
			return &containers[i]
		}
	}
	return nil
}

// outOfRange returns the error for an index without an element.
func outOfRange(n, length int64) error {
	if n >= 0 && n < length {
		return nil
	}
	return fmt.Errorf("index %d is out of range: there are %d", n, length)
}

// index returns the element at an index.
func (c *container) index(o Object, n int64) (Object, error) {
	if c.at == nil {
		return Object{}, fmt.Errorf("%s has no indices", o.Type)
	}
	length, err := c.length(o)
	if err == nil {
		err = outOfRange(n, length)
	}
	if err != nil {
		return Object{}, err
	}
	return c.at(o, n)
}

// showIndexed shows the elements of a container in the order of their indices.
func showIndexed(r *renderer, o Object, depth, pointers int) (content, error) {
	c := containerOf(o.Type)
	if c == nil || c.at == nil {
		return content{}, errors.New("container is not valid")
	}
	n, err := c.length(o)
	if err != nil {
		return content{}, err
	}
	at := func(i int64) Object {
		e, err := c.at(o, i)
		if err != nil {
			e = Object{Type: types.Void, View: o.View, err: err}
		}
		return e
	}
	return r.elements(n, styleOf(o.Type), at, depth, pointers)
}

func arrayLength(o Object) (int64, error) {
	elems, err := o.Member("_M_elems")
	if err != nil {
		return 0, err
	}
	if dims := elems.dimensions(elems.Type.Strip()); len(dims) > 0 {
		return max(dims[0], 0), nil
	}
	return 0, nil // std::array<T, 0> has no array member
}

func arrayAt(o Object, n int64) (Object, error) {
	elems, err := o.Member("_M_elems")
	if err != nil {
		return Object{}, err
	}
	t := elems.Type.Strip()
	return elems.element(t, elems.dimensions(t), n), nil
}

// dequeBlock is the size of a block of a deque in bytes, unless an element is
// larger.
const dequeBlock = 512

// A deque keeps its elements in blocks, and pointers to the blocks in an
// array.
type deque struct {
	elem   *types.Type
	size   int64
	block  int64  // elements in each block
	node   uint64 // of the pointer to the first block
	skip   int64  // unused elements at the start of the first block
	length int64
}

func dequeOf(o Object) (deque, error) {
	impl, err := o.Member("_M_impl")
	if err != nil {
		return deque{}, err
	}
	var at [6]uint64
	for i, path := range [6][2]string{
		{"_M_start", "_M_cur"},
		{"_M_start", "_M_first"},
		{"_M_start", "_M_node"},
		{"_M_finish", "_M_cur"},
		{"_M_finish", "_M_first"},
		{"_M_finish", "_M_node"},
	} {
		if at[i], err = impl.number(path[:]...); err != nil {
			return deque{}, err
		}
	}
	d := deque{elem: o.Type.TemplateArg(0), node: at[2]}
	if d.elem == nil || d.elem.ByteSize() <= 0 || at[0] < at[1] || at[3] < at[4] || at[5] < at[2] || at[5]-at[2] > 1<<40 {
		return deque{}, errors.New("deque is not valid")
	}
	d.size = d.elem.ByteSize()
	d.block = max(dequeBlock/d.size, 1)
	d.skip = int64(at[0]-at[1]) / d.size
	d.length = int64(at[5]-at[2])/8*d.block - d.skip + int64(at[3]-at[4])/d.size
	return d, nil
}

func dequeLength(o Object) (int64, error) {
	d, err := dequeOf(o)
	return d.length, err
}

func dequeAt(o Object, n int64) (Object, error) {
	d, err := dequeOf(o)
	if err != nil {
		return Object{}, err
	}
	n += d.skip
	block, err := symbols.ReadWord(o.View.Memory, d.node+uint64(n/d.block*8))
	return o.At(d.elem, block+uint64(n%d.block*d.size)), err
}

// bitsOf returns the first word of a vector<bool>, the number of its first bit
// in that word, and the number of elements.
func bitsOf(o Object) (from, first uint64, n int64, err error) {
	first, err = o.number("_M_impl", "_M_start", "_M_offset")
	from, err1 := o.number("_M_impl", "_M_start", "_M_p")
	to, err2 := o.number("_M_impl", "_M_finish", "_M_p")
	last, err3 := o.number("_M_impl", "_M_finish", "_M_offset")
	if err := errors.Join(err, err1, err2, err3); err != nil {
		return 0, 0, 0, err
	}
	if to < from || to-from > 1<<40 || first > 64 || last > 64 {
		return 0, 0, 0, errors.New("vector is not valid")
	}
	return from, first, int64((to-from)*8+last) - int64(first), nil
}

func bitsLength(o Object) (int64, error) {
	_, _, n, err := bitsOf(o)
	return n, err
}

func bitAt(o Object, n int64) (Object, error) {
	from, first, _, err := bitsOf(o)
	elem := o.Type.TemplateArg(0)
	if err != nil || elem == nil {
		return Object{}, errors.Join(err, errors.New("vector is not valid"))
	}
	bit := first + uint64(n)
	e := o.At(elem, from+bit/8)
	e.bits = bitField{start: int64(bit % 8), size: 1}
	return e, nil
}

func listLength(o Object) (int64, error) {
	head, err := o.descend("_M_impl", "_M_node")
	if err != nil {
		return 0, err
	}
	n, err := nodeCount(head)
	return int64(n), err
}

func treeLength(o Object) (int64, error) {
	n, err := o.number("_M_t", "_M_impl", "_M_node_count")
	return int64(n), err
}

func hashLength(o Object) (int64, error) {
	n, err := o.number("_M_h", "_M_element_count")
	return int64(n), err
}
