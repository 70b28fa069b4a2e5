package calltrace

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A Line is a node of a tree in a flat list.
type Line struct {
	Level    int    `json:"level"`
	Function string `json:"function"`
	Calls    int    `json:"calls" doc:"0: it was called before"`
	Nested   int    `json:"nested,omitempty" doc:"Calls of the function by itself among them"`
	First    uint64 `json:"first" doc:"Position at its start; call_trace opens it with at"`
	Steps    uint64 `json:"steps" doc:"Instructions, with those of its callees"`
	Hidden   int    `json:"hidden,omitempty" doc:"Functions below it that are deeper than depth"`
}

// Text returns the line, preceded by a line feed.
func (l Line) Text() string {
	text := "\n" + strings.Repeat("  ", l.Level) + plain.Line(l.Function)
	if l.Calls > 0 {
		text += " ×" + plain.Thousands(int64(l.Calls))
	}
	if l.Nested > 0 {
		text += fmt.Sprintf(" (%s nested)", plain.Thousands(int64(l.Nested)))
	}
	text += fmt.Sprintf(" at %d, %s steps", l.First, plain.Thousands(int64(l.Steps)))
	if l.Hidden > 0 {
		text += ", calls " + plain.Count(l.Hidden, "function")
	}
	return text
}

// Lines returns the nodes of a tree, callers before their callees, down to a
// depth. If match is not nil, it returns only nodes whose names match, at any
// depth, and their callers.
func (t *Tree) Lines(depth int, match func(name string) bool) []Line {
	var all []Line
	for _, root := range t.Roots {
		all = root.lines(all, 0, depth, match)
	}
	return all
}

func (n *Node) lines(all []Line, level, depth int, match func(string) bool) []Line {
	at := len(all)
	all = append(all, Line{Level: level, Function: n.Function, Calls: n.Calls, Nested: n.Nested, First: n.First, Steps: n.Steps})
	if match == nil && level+1 >= depth {
		all[at].Hidden = len(n.Callees)
		return all
	}
	for _, c := range n.Callees {
		all = c.lines(all, level+1, depth, match)
	}
	if match != nil && len(all) == at+1 && !match(n.Function) {
		return all[:at]
	}
	return all
}

// A Node stands for all calls of a function from the same chain of callers.
type Node struct {
	Function string
	Calls    int    // calls that began between the tree's positions
	Nested   int    // of these, direct recursive calls
	First    uint64 // position at the start of the first call
	Steps    uint64 // in the function and its callees
	Callees  []*Node

	pc    uint64 // of the first instruction of its first call
	start uint64
	level int
	self  uint64
}

// A Tree is the calls of a thread between two positions. The second one is that up to which they
// are known.
type Tree struct {
	Thread   int
	From, To uint64
	Calls    int
	Roots    []*Node // one for each stack, in the order of their first steps
	Cut      bool    // there are more than maxNodes chains of callers
}
