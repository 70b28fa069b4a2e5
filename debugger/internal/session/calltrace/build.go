package calltrace

import (
	"context"
	"fmt"

	"github.com/triptych-mcp/triptych/debugger/internal/record/history"
	"github.com/triptych-mcp/triptych/debugger/internal/session/stepping"
)

// Limits of a tree. Deeper calls count as steps of their callers.
const (
	maxNodes  = 100_000
	maxLevels = 200
)

// A builder makes the tree of one thread.
type builder struct {
	tree  *Tree
	nodes int
	last  int // the thread that has made the last step
	walk  *walk
	path  []*Node            // of walk.stack
	paths map[uint64][]*Node // of other stacks, by the entry of their first activation
}

// Calls returns the tree of calls that a thread made between two positions, which must be
// recorded. If enough is not nil and returns true, the tree ends before, see Tree.To. The history
// remembers it, and the next call goes on there.
func Calls(ctx context.Context, s *stepping.Stepper, thread int, from, to uint64, enough func() bool) (*Tree, error) {
	key := fmt.Sprintf("calls %d %d %d", thread, from, to)
	b, ok := s.Target.History.Findings.Remembered(key).(*builder)
	code := newCode(s)
	if !ok {
		b = &builder{tree: code.keptTree(key, thread, from, to)}
	}
	at := b.tree.To
	in := history.Stretch{From: at, To: to, Enough: enough}
	_, err := s.Target.History.Steps.Branches(ctx, code.isEvent, in, func(t *history.Transition) bool {
		b.pass(code, t)
		return true
	})
	if err == nil {
		s.Target.History.Findings.Remember(key, b)
		if at < to && b.tree.To == to {
			s.Target.History.Findings.Keep(key, nodeNumbers, b.tree.numbers)
		}
	}
	for _, root := range b.tree.Roots {
		root.sum()
	}
	tree := *b.tree
	return &tree, err
}

// pass adds the steps up to a transition. Those before it are steps of the thread that made the
// last one.
func (b *builder) pass(code *code, t *history.Transition) {
	if before := t.Position - min(t.Position, b.tree.To); b.last == b.tree.Thread && b.walk != nil {
		b.top().self += before
	}
	if b.last = t.Thread; t.Thread == b.tree.Thread {
		if b.walk == nil {
			b.begin(code, t)
		}
		b.walk.code = code
		b.top().self += t.Position + 1 - max(b.tree.To, t.Position)
		if !t.Ordinary {
			b.walk.step(t)
		}
	}
	b.tree.To = t.Position + 1
}

// top returns the node of the current activation.
func (b *builder) top() *Node { return b.path[len(b.path)-1] }

// begin begins the tree with a first step.
func (b *builder) begin(code *code, t *history.Transition) {
	b.walk, b.paths = newWalk(code, t.PC, t.Position), map[uint64][]*Node{}
	b.walk.entered, b.walk.left, b.walk.resumed, b.walk.moved, b.walk.changed = b.entered, b.left, b.resumed, b.moved, b.changed
	b.addRoot(t.PC, t.Position)
}

func (b *builder) addRoot(pc, position uint64) {
	f := b.walk.code.function(pc)
	root := &Node{Function: f.name, pc: pc, start: f.start, First: position}
	b.tree.Roots = append(b.tree.Roots, root)
	b.path = []*Node{root}
}

func (b *builder) entered() {
	top := b.walk.top()
	b.tree.Calls++
	b.path = append(b.path, b.callee(b.top(), top.pc, top.entry))
}

// callee returns the node of a call from another one.
func (b *builder) callee(from *Node, pc, position uint64) *Node {
	f := b.walk.code.function(pc)
	if f.start == from.start && f.name == from.Function {
		from.Calls++
		from.Nested++
		return from
	}
	for _, n := range from.Callees {
		if n.start == f.start && n.Function == f.name {
			n.Calls++
			return n
		}
	}
	if b.nodes == maxNodes || from.level == maxLevels {
		b.tree.Cut = true
		return from
	}
	b.nodes++
	n := &Node{Function: f.name, pc: pc, start: f.start, First: position, Calls: 1, level: from.level + 1}
	from.Callees = append(from.Callees, n)
	return n
}

func (b *builder) left(*history.Transition, bool) { b.path = b.path[:len(b.path)-1] }

// resumed makes the function that was returned to the caller of the root.
func (b *builder) resumed(t *history.Transition) {
	old := b.path[0]
	f := b.walk.code.function(t.NextPC)
	root := &Node{Function: f.name, pc: t.NextPC, start: f.start, First: old.First, Callees: []*Node{old}, level: old.level - 1}
	for i, r := range b.tree.Roots {
		if r == old {
			b.tree.Roots[i] = root
		}
	}
	b.path[0] = root
}

// moved replaces the node of a stub by that of its function.
func (b *builder) moved() {
	stub := b.top()
	from := b.path[len(b.path)-2]
	if stub == from {
		return
	}
	stub.Calls--
	if last := len(from.Callees) - 1; stub.Calls == 0 && len(stub.Callees) == 0 && from.Callees[last] == stub {
		from.Callees = from.Callees[:last]
	}
	top := b.walk.top()
	n := b.callee(from, top.pc, top.entry)
	n.self += stub.self
	stub.self = 0
	b.path[len(b.path)-1] = n
}

func (b *builder) changed(old, now []activation) {
	b.paths[old[0].entry] = b.path
	if path := b.paths[now[0].entry]; path != nil {
		b.path = path
		return
	}
	b.addRoot(now[0].pc, now[0].entry)
}

// sum sets the steps of a node and of its callees. Nodes are at most maxLevels
// deep below the outermost root.
func (n *Node) sum() uint64 {
	n.Steps = n.self
	for _, c := range n.Callees {
		n.Steps += c.sum()
	}
	return n.Steps
}
