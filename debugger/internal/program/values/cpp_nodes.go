package values

import (
	"errors"
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// pairing shows the elements of a map or set of C++.
func (r *renderer) pairing(elems []Object, total uint64, isMap bool, depth, pointers int) content {
	c := content{cut: uint64(len(elems)) < total}
	for i, e := range elems {
		e.Name = fmt.Sprintf("[%d]", i)
		v := r.value(e, depth+1, pointers)
		if n := len(v.Children); isMap && n >= 2 { // a pair
			v.Name, v.Text = "["+v.Children[n-2].Text+"]", v.Children[n-1].Text
			v.object, v.Children = v.Children[n-1].object, v.Children[n-1].Children
		}
		c.children = append(c.children, v)
	}
	if isMap {
		c.text = cStyle.join(c.children, c.cut, r.limits.maxText())
	} else {
		c.text = cStyle.list(c.children, c.cut, r.limits.maxText())
	}
	return c
}

func isMap(t *types.Type) bool {
	return strings.Contains(t.Strip().Name()[:strings.IndexByte(t.Strip().Name(), '<')], "map")
}

// Offsets of the links in a tree's node, and their total size.
const (
	treeParent, treeLeft, treeRight = 8, 16, 24
	treeLinks                       = 32
)

// showTree shows the red-black tree behind map and set, in order.
func showTree(r *renderer, o Object, depth, pointers int) (content, error) {
	tree, err := o.Member("_M_t")
	if err != nil {
		return content{}, err
	}
	header, err := tree.descend("_M_impl", "_M_header")
	if err != nil {
		return content{}, err
	}
	n, err := tree.number("_M_impl", "_M_node_count")
	elem := tree.Type.TemplateArg(1)
	head, ok := header.Address()
	if err != nil || elem == nil || !ok {
		return content{}, errors.Join(err, errors.New("map is not valid"))
	}
	w := treeWalk{mem: o.View.Memory, head: head}
	var elems []Object
	at := w.link(head, treeLeft)
	for uint64(len(elems)) < min(n, uint64(r.limits.Elements)) && at != head && w.err == nil {
		elems = append(elems, o.At(elem, at+elem.OffsetAfter(treeLinks)))
		at = w.next(at)
	}
	return r.pairing(elems, n, isMap(o.Type), depth, pointers), w.err
}

// A treeWalk visits the nodes of a tree in order.
type treeWalk struct {
	mem  symbols.Memory
	head uint64
	err  error
}

// maxTreeDepth exceeds the depth of any balanced tree in memory.
const maxTreeDepth = 128

func (w *treeWalk) link(node, which uint64) uint64 {
	v, err := symbols.ReadWord(w.mem, node+which)
	if err != nil {
		w.err = err
	}
	return v
}

// next returns the successor of a node.
func (w *treeWalk) next(node uint64) uint64 {
	if right := w.link(node, treeRight); right != 0 {
		for range maxTreeDepth {
			left := w.link(right, treeLeft)
			if left == 0 || w.err != nil {
				return right
			}
			right = left
		}
		return w.head
	}
	for range maxTreeDepth {
		parent := w.link(node, treeParent)
		if w.err != nil || parent == w.head || w.link(parent, treeRight) != node {
			return parent
		}
		node = parent
	}
	return w.head
}

// showHash shows the linked list of nodes of an unordered container.
func showHash(r *renderer, o Object, depth, pointers int) (content, error) {
	table, err := o.Member("_M_h")
	if err != nil {
		return content{}, err
	}
	n, err := table.number("_M_element_count")
	at, err2 := table.number("_M_before_begin", "_M_nxt")
	elem := table.Type.TemplateArg(1)
	if err := errors.Join(err, err2); err != nil || elem == nil {
		return content{}, errors.Join(err, errors.New("table is not valid"))
	}
	elems, err := followLinks(o, r, elem, at, 0, elem.OffsetAfter(hashLinks), n)
	return r.pairing(elems, n, isMap(o.Type), depth, pointers), err
}

// listLinks is the size of the links before the value in a list's node.
const listLinks = 16

// showList shows a doubly linked list, whose head is a node of its own.
func showList(r *renderer, o Object, depth, pointers int) (content, error) {
	node, err := o.descend("_M_impl", "_M_node")
	if err != nil {
		return content{}, err
	}
	head, _ := node.Address()
	at, err := node.number("_M_next")
	n, err2 := nodeCount(node)
	elem := o.Type.TemplateArg(0)
	if err2 != nil {
		n = uint64(r.limits.Elements) // before C++11, lists did not count their elements
	}
	if err != nil || elem == nil {
		return content{}, errors.Join(err, errors.New("list is not valid"))
	}
	elems, err := followLinks(o, r, elem, at, head, elem.OffsetAfter(listLinks), n)
	return r.pairing(elems, uint64(len(elems)), false, depth, pointers), err
}

// nodeCount returns the number of elements that is stored in the head of a list.
func nodeCount(o Object) (uint64, error) {
	if n, err := o.number("_M_storage"); err == nil {
		return n, nil
	}
	return o.number("_M_size")
}

// followLinks returns up to n elements by following the links, the first word of
// each node, from at to end. value is the offset of the element within a node.
func followLinks(o Object, r *renderer, elem *types.Type, at, end, value, n uint64) ([]Object, error) {
	var out []Object
	for uint64(len(out)) < min(n, uint64(r.limits.Elements)) && at != end && at != 0 {
		out = append(out, o.At(elem, at+value))
		next, err := symbols.ReadWord(o.View.Memory, at)
		if err != nil {
			return out, err
		}
		at = next
	}
	return out, nil
}
