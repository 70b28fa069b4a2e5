package calltrace

import "math"

// Numbers of a node, and those of the tree behind them.
const (
	nodeNumbers = 7
	treeNumbers = 2
)

// maxDepth is the depth of the deepest tree that is kept.
const maxDepth = 1 << 12

// numbers returns a whole tree as numbers: callers before their callees.
func (t *Tree) numbers() []uint64 {
	var all []uint64
	for _, root := range t.Roots {
		all = root.appendNumbers(all, 0)
	}
	cut := uint64(0)
	if t.Cut {
		cut = 1
	}
	return append(all, uint64(t.Calls), cut)
}

func (n *Node) appendNumbers(all []uint64, depth uint64) []uint64 {
	all = append(all, depth, n.pc, n.start, uint64(n.Calls), uint64(n.Nested), n.First, n.self)
	for _, c := range n.Callees {
		all = c.appendNumbers(all, depth+1)
	}
	return all
}

// keptTree returns the whole tree between two positions, if it was kept, and else one that ends
// where it begins.
func (c *code) keptTree(key string, thread int, from, to uint64) *Tree {
	none := &Tree{Thread: thread, From: from, To: from}
	numbers, ok := c.s.Target.History.Findings.Kept(key)
	if !ok || len(numbers)%nodeNumbers != treeNumbers {
		return none
	}
	head := numbers[len(numbers)-treeNumbers:]
	if numbers = numbers[:len(numbers)-treeNumbers]; head[0] > math.MaxInt {
		return none
	}
	tree := &Tree{Thread: thread, From: from, To: to, Calls: int(head[0]), Cut: head[1] == 1}
	var path []*Node
	for ; len(numbers) > 0; numbers = numbers[nodeNumbers:] {
		n := c.keptNode(numbers)
		depth := numbers[0]
		if n == nil || depth > uint64(len(path)) || depth > maxDepth || n.First < from || n.First > to {
			return none
		}
		if depth == 0 {
			tree.Roots = append(tree.Roots, n)
		} else {
			above := path[depth-1]
			above.Callees = append(above.Callees, n)
		}
		path = append(path[:depth], n)
	}
	return tree
}

// keptNode returns the node of some numbers, nil if there can be none.
func (c *code) keptNode(numbers []uint64) *Node {
	f := c.function(numbers[1])
	if f.start != numbers[2] || numbers[3] > math.MaxInt || numbers[4] > math.MaxInt {
		return nil // the program may have other symbols than before
	}
	return &Node{
		Function: f.name, pc: numbers[1], start: numbers[2],
		Calls: int(numbers[3]), Nested: int(numbers[4]), First: numbers[5], self: numbers[6],
	}
}
