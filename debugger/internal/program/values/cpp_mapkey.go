package values

import (
	"errors"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// cppMaps lists the libstdc++ maps with unique keys, by the start of their names,
// with the function that searches for a key.
var cppMaps = []struct {
	prefix string
	find   func(Object, *mapSearch) error
}{
	{"std::map<", searchTree},
	{"std::unordered_map<", searchHash},
}

// cppMapOf returns the search function for a type, or nil.
func cppMapOf(t *types.Type) func(Object, *mapSearch) error {
	name := t.LibraryName()
	for _, row := range cppMaps {
		if name != "" && strings.HasPrefix(name, row.prefix) {
			return row.find
		}
	}
	return nil
}

// pair passes the key and the element of a pair to visit.
func (s *mapSearch) pair(p Object) error {
	key, err := p.Member("first")
	elem, err2 := p.Member("second")
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	return s.visit(key, elem)
}

// searchHash visits the nodes of an unordered map one by one, since its hash
// function belongs to the program.
func searchHash(o Object, s *mapSearch) error {
	table, err := o.Member("_M_h")
	if err != nil {
		return err
	}
	n, err := table.number("_M_element_count")
	at, err2 := table.number("_M_before_begin", "_M_nxt")
	pair := table.Type.TemplateArg(1)
	if err := errors.Join(err, err2); err != nil || pair == nil {
		return errors.Join(err, errors.New("map is not valid"))
	}
	value := pair.OffsetAfter(hashLinks)
	past := uint64(0) // an earlier node; reaching it again means that the links form a loop
	for i := uint64(0); i < n && at != 0; i++ {
		switch {
		case i == maxSearched:
			return s.tooMany(n)
		case at == past:
			return errors.New("map is not valid")
		case i&(i-1) == 0:
			past = at
		}
		if err := s.pair(o.At(pair, at+value)); err != nil {
			return err
		}
		if at, err = symbols.ReadWord(o.View.Memory, at); err != nil {
			return err
		}
	}
	return nil
}

// hashLinks is the size of the link before the value in a node.
const hashLinks = 8

// searchTree descends a map's tree, to one side where the library defines the
// order, else to both.
func searchTree(o Object, s *mapSearch) error {
	tree, err := o.Member("_M_t")
	if err != nil {
		return err
	}
	root, err := tree.number("_M_impl", "_M_header", "_M_parent")
	n, err2 := tree.number("_M_impl", "_M_node_count")
	pair := tree.Type.TemplateArg(1)
	if err := errors.Join(err, err2); err != nil || pair == nil {
		return errors.Join(err, errors.New("map is not valid"))
	}
	w := treeSearch{search: s, owner: o, pair: pair, value: pair.OffsetAfter(treeLinks), nodes: n}
	if keyClassOf(o.Type.TemplateArg(0)) == s.key.class { // pointers to text as keys are ordered by address
		w.less = ascending(o.Type.TemplateArg(2))
	}
	return w.down(root, maxTreeDepth)
}

// ascending returns 1 for a map ordered by std::less, -1 for std::greater, and 0
// if the program defines the order.
func ascending(order *types.Type) int {
	switch {
	case order == nil:
	case strings.HasPrefix(order.LibraryName(), "std::less<"):
		return 1
	case strings.HasPrefix(order.LibraryName(), "std::greater<"):
		return -1
	}
	return 0
}

// A treeSearch searches a tree for a key.
type treeSearch struct {
	search *mapSearch
	owner  Object
	pair   *types.Type
	value  uint64 // offset of the pair within a node
	less   int
	nodes  uint64 // nodes of the tree, as counted by the map
	seen   uint64
}

func (w *treeSearch) down(node uint64, depth int) error {
	if node == 0 {
		return nil
	}
	if depth == 0 || w.seen >= w.nodes {
		return errors.New("map is not valid")
	}
	if w.seen++; w.seen > maxSearched {
		return w.search.tooMany(w.nodes)
	}
	pair := w.owner.At(w.pair, node+w.value)
	if err := w.search.pair(pair); err != nil {
		return err
	}
	side, err := w.side(pair)
	if err != nil {
		return err
	}
	if side <= 0 {
		if err := w.follow(node+treeLeft, depth); err != nil {
			return err
		}
	}
	if side >= 0 {
		return w.follow(node+treeRight, depth)
	}
	return nil
}

func (w *treeSearch) follow(link uint64, depth int) error {
	child, err := symbols.ReadWord(w.owner.View.Memory, link)
	if err != nil {
		return err
	}
	return w.down(child, depth-1)
}

// side returns the side of a node that holds the key: -1 for left, 1 for right, 0
// if unknown.
func (w *treeSearch) side(pair Object) (int, error) {
	if w.less == 0 {
		return 0, nil
	}
	key, err := pair.Member("first")
	if err != nil {
		return 0, err
	}
	order, err := w.search.key.order(key)
	return order * w.less, err
}
