package values

import (
	"errors"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// maxTreeHeight exceeds the height of any B-tree in memory: nodes other than
// the root have at least six children.
const maxTreeHeight = 25

// bTree shows a BTreeMap or BTreeSet, whose map is at a path, in the order of its
// keys.
func bTree(path string, isMap bool) showFunc {
	return func(r *renderer, o Object, depth, pointers int) (content, error) {
		m, err := o.down(path)
		if err != nil {
			return content{}, err
		}
		length, err := m.number("length")
		if err != nil {
			return content{}, err
		}
		w := bTreeWalk{key: m.Type.TemplateArg(0), elem: m.Type.TemplateArg(1), want: int(min(length, uint64(r.limits.Elements)))}
		if length > 0 {
			err = w.tree(m)
		}
		if err != nil {
			return content{}, err
		}
		return r.entries(styles[lang.Rust], w.found, length, isMap, depth, pointers), nil
	}
}

// A bTreeWalk collects the first entries of a tree in order.
type bTreeWalk struct {
	key, elem *types.Type
	want      int
	found     []entry
}

// tree visits the entries of a map, whose root is an Option of a node and a
// height.
func (w *bTreeWalk) tree(m Object) error {
	root, err := m.Member("root")
	if err != nil {
		return err
	}
	some, err := rustVariant(root, root.Type.Strip())
	if err != nil {
		return err
	}
	ref, err := root.Field(&some.Field).Member("__0")
	if err != nil {
		return err
	}
	height, err := ref.number("height")
	if err != nil {
		return err
	}
	node, err := ref.descend("node", "pointer")
	if err != nil {
		return err
	}
	leaf, err := node.Deref()
	if err != nil || w.key == nil || w.elem == nil || height > maxTreeHeight {
		return errors.Join(err, errNoTree)
	}
	return w.node(leaf, height)
}

var errNoTree = errors.New("tree is not valid")

// node visits a node: its keys and, between them, its children. The pointers to
// the children follow the members of a leaf node.
func (w *bTreeWalk) node(n Object, height uint64) error {
	count, err := n.number("len")
	if err != nil || count > 11 { // a node has at most 2*6 - 1 entries
		return errors.Join(err, errNoTree)
	}
	for i := int64(0); i <= int64(count) && len(w.found) < w.want; i++ {
		if height > 0 {
			if err := w.child(n, i, height-1); err != nil {
				return err
			}
		}
		if i < int64(count) && len(w.found) < w.want {
			if err := w.entry(n, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// child visits the nth child of an inner node.
func (w *bTreeWalk) child(parent Object, n int64, height uint64) error {
	at, ok := parent.Address()
	if !ok {
		return errNoTree
	}
	edges := at + uint64(parent.Size()+7)&^7
	child, err := symbols.ReadWord(parent.View.Memory, edges+8*uint64(n))
	if err != nil {
		return err
	}
	return w.node(parent.At(parent.Type, child), height)
}

// entry collects the n-th entry of a node.
func (w *bTreeWalk) entry(node Object, n int64) error {
	keys, err := node.Member("keys")
	elems, err2 := node.Member("vals")
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	w.found = append(w.found, entry{
		keys.part("", w.key, n*w.key.ByteSize()), elems.part("", w.elem, n*w.elem.ByteSize()),
	})
	return nil
}
