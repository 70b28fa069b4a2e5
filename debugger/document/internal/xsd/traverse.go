package xsd

import (
	"iter"

	"github.com/lestrrat-go/helium"
)

// maxWalk limits the depth of a walk; a deeper tree must be a cycle, since the parser
// refuses such documents.
const maxWalk = 1 << 16

// walkTree visits a node and all below it in document order, as helium.Walk does,
// which records every node in maps to detect cycles. Trees that a parser made have none.
func walkTree(n helium.Node, visit helium.NodeWalkerFunc) error {
	return walkBelow(n, visit, 0)
}

func walkBelow(n helium.Node, visit helium.NodeWalkerFunc, depth int) error {
	if depth > maxWalk {
		return helium.ErrWalkCycle
	}
	if err := visit(n); err != nil {
		return err
	}
	for child := n.FirstChild(); child != nil; child = nextChild(n, child) {
		if err := walkBelow(child, visit, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// childrenOf iterates over the children of a node, as helium.Children does, without
// its map of those that were seen.
func childrenOf(n helium.Node) iter.Seq[helium.Node] {
	return func(yield func(helium.Node) bool) {
		for child := n.FirstChild(); child != nil; child = nextChild(n, child) {
			if !yield(child) {
				return
			}
		}
	}
}

// nextChild returns the sibling after child. The child of an entity reference belongs
// to the document type, whose siblings are no children of n.
func nextChild(n, child helium.Node) helium.Node {
	if child.Parent() != n {
		return nil
	}
	return child.NextSibling()
}
