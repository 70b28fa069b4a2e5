package xpath

import (
	"context"
	"reflect"
	"slices"

	helium "github.com/lestrrat-go/helium"
)

// isNilNode checks for both interface nil and typed nil (Go interface nil trap).
// IsNilNode returns true if n is nil or a nil pointer wrapped in a
// non-nil interface.
func IsNilNode(n helium.Node) bool {
	if n == nil {
		return true
	}
	v := reflect.ValueOf(n)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// AxisType identifies one of the 13 XPath axes.
type AxisType int

// AxisChild and the other AxisType constants identify the thirteen XPath axes.
const (
	AxisChild AxisType = iota
	AxisDescendant
	AxisParent
	AxisAncestor
	AxisFollowingSibling
	AxisPrecedingSibling
	AxisFollowing
	AxisPreceding
	AxisAttribute
	AxisNamespace
	AxisSelf
	AxisDescendantOrSelf
	AxisAncestorOrSelf
)

var axisNames = map[AxisType]string{
	AxisChild:            "child",
	AxisDescendant:       "descendant",
	AxisParent:           "parent",
	AxisAncestor:         "ancestor",
	AxisFollowingSibling: "following-sibling",
	AxisPrecedingSibling: "preceding-sibling",
	AxisFollowing:        "following",
	AxisPreceding:        "preceding",
	AxisAttribute:        "attribute",
	AxisNamespace:        "namespace",
	AxisSelf:             "self",
	AxisDescendantOrSelf: "descendant-or-self",
	AxisAncestorOrSelf:   "ancestor-or-self",
}

func (a AxisType) String() string {
	if s, ok := axisNames[a]; ok {
		return s
	}
	return "unknown-axis"
}

// AxisFromName maps an axis name string to its AxisType.
// Returns the axis and true if recognized, or AxisChild and false otherwise.
func AxisFromName(name string) (AxisType, bool) {
	for k, v := range axisNames {
		if v == name {
			return k, true
		}
	}
	return AxisChild, false
}

// TraverseAxis returns the nodes along the given axis from the context node,
// in the order defined by the XPath spec. maxNodes limits the result size
// for unbounded axes; use DefaultMaxNodeSetLength if unsure. ctx is checked
// inside the unbounded descendant/following/preceding walks so a cancelled
// context aborts the traversal promptly, leaving the rest of the subtree unwalked.
func TraverseAxis(ctx context.Context, axis AxisType, node helium.Node, maxNodes int) ([]helium.Node, error) {
	if IsNilNode(node) {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch axis {
	case AxisDescendant, AxisDescendantOrSelf:
		return AppendAxis(ctx, nil, axis, node, maxNodes)
	case AxisFollowing:
		return axisFollowing(ctx, node, maxNodes)
	case AxisPreceding:
		return axisPreceding(ctx, node, maxNodes)
	}
	return TraverseAxisSimple(ctx, axis, node)
}

// maxInt is the largest value an int can hold, used to saturate the node-set
// limit when offsetting it past the nodes already in the destination slice
// would overflow.
const maxInt = int(^uint(0) >> 1)

// AppendAxis appends the nodes along axis from node to dst, in the order
// defined by the XPath spec, and returns the grown slice. It lets a caller
// accumulate several traversals in one buffer instead of allocating a fresh
// slice per traversal.
//
// maxNodes limits how many nodes THIS traversal may append; nodes already in
// dst do not count against it, so the limit means the same thing it does in
// TraverseAxis. ctx is checked inside the unbounded descendant walks so a
// cancelled context aborts the traversal promptly. On error dst is discarded
// and the returned slice is nil, as in TraverseAxis.
func AppendAxis(ctx context.Context, dst []helium.Node, axis AxisType, node helium.Node, maxNodes int) ([]helium.Node, error) {
	if IsNilNode(node) {
		return dst, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch axis {
	case AxisDescendant, AxisDescendantOrSelf:
		limit := maxNodes
		if n := len(dst); n > 0 {
			limit = maxNodes + n
			if limit < n { // overflow: maxNodes was near maxInt
				limit = maxInt
			}
		}
		if axis == AxisDescendantOrSelf {
			if err := appendAxisNode(&dst, node, limit); err != nil {
				return nil, err
			}
		}
		if err := collectDescendants(ctx, node, &dst, limit); err != nil {
			return nil, err
		}
		return dst, nil
	}

	nodes, err := TraverseAxis(ctx, axis, node, maxNodes)
	if err != nil {
		return nil, err
	}
	return append(dst, nodes...), nil
}

// TraverseAxisSimple handles axes whose result size is bounded by the tree
// shape (children, attributes, siblings, ancestors, namespaces).  Although
// these axes never hit the node-set limit, their enumeration loops still
// consult ctx so a cancelled context aborts a wide traversal promptly rather
// than materializing the whole node-set.
func TraverseAxisSimple(ctx context.Context, axis AxisType, node helium.Node) ([]helium.Node, error) {
	if IsNilNode(node) {
		return nil, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch axis {
	case AxisChild:
		return axisChild(ctx, node)
	case AxisParent:
		return axisParent(node), nil
	case AxisAncestor:
		return axisAncestor(ctx, node)
	case AxisAncestorOrSelf:
		return axisAncestorOrSelf(ctx, node)
	case AxisFollowingSibling:
		return axisFollowingSibling(ctx, node)
	case AxisPrecedingSibling:
		return axisPrecedingSibling(ctx, node)
	case AxisSelf:
		return []helium.Node{node}, nil
	case AxisAttribute:
		return axisAttribute(ctx, node)
	case AxisNamespace:
		return axisNamespace(ctx, node)
	}
	return nil, nil
}

// IsXDMChild returns true if the node is a valid child in the XPath Data
// Model.  DTD, entity declarations, notation nodes, and other non-XDM
// node types that may appear in the DOM tree are excluded.
func IsXDMChild(n helium.Node) bool {
	switch n.Type() {
	case helium.ElementNode,
		helium.TextNode,
		helium.CDATASectionNode,
		helium.CommentNode,
		helium.ProcessingInstructionNode:
		return true
	}
	return false
}

func axisChild(ctx context.Context, node helium.Node) ([]helium.Node, error) {
	// In XPath, attributes have no children
	if _, ok := node.(*helium.Attribute); ok {
		return nil, nil
	}
	var result []helium.Node
	for c := range helium.Children(node) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if IsXDMChild(c) {
			result = append(result, c)
		}
	}
	return result, nil
}

func appendAxisNode(result *[]helium.Node, node helium.Node, maxNodes int) error {
	*result = append(*result, node)
	if len(*result) > maxNodes {
		return ErrNodeSetLimit
	}
	return nil
}

func collectDescendants(ctx context.Context, node helium.Node, result *[]helium.Node, maxNodes int) error {
	// In XPath, attributes have no children
	if _, ok := node.(*helium.Attribute); ok {
		return nil
	}
	var stack []helium.Node
	for c := node.LastChild(); c != nil; c = c.PrevSibling() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if IsXDMChild(c) {
			stack = append(stack, c)
		}
	}
	for len(stack) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		last := len(stack) - 1
		cur := stack[last]
		stack = stack[:last]

		if err := appendAxisNode(result, cur, maxNodes); err != nil {
			return err
		}
		for child := cur.LastChild(); child != nil; child = child.PrevSibling() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if IsXDMChild(child) {
				stack = append(stack, child)
			}
		}
	}
	return nil
}

func axisParent(node helium.Node) []helium.Node {
	if p := node.Parent(); p != nil {
		return []helium.Node{p}
	}
	return nil
}

func axisAncestor(ctx context.Context, node helium.Node) ([]helium.Node, error) {
	var result []helium.Node
	for p := node.Parent(); p != nil; p = p.Parent() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		result = append(result, p)
	}
	return result, nil
}

func axisAncestorOrSelf(ctx context.Context, node helium.Node) ([]helium.Node, error) {
	if IsNilNode(node) {
		return nil, nil
	}
	result := []helium.Node{node}
	for p := node.Parent(); p != nil; p = p.Parent() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		result = append(result, p)
	}
	return result, nil
}

func axisFollowingSibling(ctx context.Context, node helium.Node) ([]helium.Node, error) {
	// Per XPath spec: if the context node is an attribute or namespace node,
	// the following-sibling axis is empty.
	switch node.(type) {
	case *helium.Attribute, *helium.NamespaceNodeWrapper:
		return nil, nil
	}
	var result []helium.Node
	for s := node.NextSibling(); s != nil; s = s.NextSibling() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if IsXDMChild(s) {
			result = append(result, s)
		}
	}
	return result, nil
}

func axisPrecedingSibling(ctx context.Context, node helium.Node) ([]helium.Node, error) {
	// Per XPath spec: if the context node is an attribute or namespace node,
	// the preceding-sibling axis is empty.
	switch node.(type) {
	case *helium.Attribute, *helium.NamespaceNodeWrapper:
		return nil, nil
	}
	var result []helium.Node
	for s := node.PrevSibling(); s != nil; s = s.PrevSibling() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if IsXDMChild(s) {
			result = append(result, s)
		}
	}
	return result, nil
}

func axisFollowing(ctx context.Context, node helium.Node, maxNodes int) ([]helium.Node, error) {
	// Per XPath data model: attribute and namespace nodes are ordered after
	// their parent element and before the parent's children.  Therefore the
	// following axis from an attribute/namespace node includes the parent's
	// descendants, then the parent's following siblings (+ their descendants),
	// and so on up the ancestor chain.
	switch node.(type) {
	case *helium.Attribute, *helium.NamespaceNodeWrapper:
		parent := node.Parent()
		if IsNilNode(parent) {
			return nil, nil
		}
		var result []helium.Node
		// Parent's descendants come first (they follow attrs in document order).
		if err := collectDescendants(ctx, parent, &result, maxNodes); err != nil {
			return nil, err
		}
		// Then the parent's following siblings + their descendants, and up
		// through ancestors — same as the normal following axis from the parent.
		for p := parent; p != nil; p = p.Parent() {
			for s := p.NextSibling(); s != nil; s = s.NextSibling() {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if !IsXDMChild(s) {
					continue
				}
				if err := appendAxisNode(&result, s, maxNodes); err != nil {
					return nil, err
				}
				if err := collectDescendants(ctx, s, &result, maxNodes); err != nil {
					return nil, err
				}
			}
		}
		return result, nil
	}

	var result []helium.Node
	for s := node.NextSibling(); s != nil; s = s.NextSibling() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !IsXDMChild(s) {
			continue
		}
		if err := appendAxisNode(&result, s, maxNodes); err != nil {
			return nil, err
		}
		if err := collectDescendants(ctx, s, &result, maxNodes); err != nil {
			return nil, err
		}
	}
	for p := node.Parent(); p != nil; p = p.Parent() {
		for s := p.NextSibling(); s != nil; s = s.NextSibling() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !IsXDMChild(s) {
				continue
			}
			if err := appendAxisNode(&result, s, maxNodes); err != nil {
				return nil, err
			}
			if err := collectDescendants(ctx, s, &result, maxNodes); err != nil {
				return nil, err
			}
		}
	}
	return result, nil
}

func axisPreceding(ctx context.Context, node helium.Node, maxNodes int) ([]helium.Node, error) {
	// Per XPath data model: attribute and namespace nodes are ordered after
	// their parent element and before the parent's children.  Therefore the
	// preceding axis from an attribute/namespace node contains the same nodes
	// as the preceding axis from the parent element (the parent's preceding
	// siblings + their descendants, and up the ancestor chain).  The parent
	// element itself is excluded because it is an ancestor.
	switch node.(type) {
	case *helium.Attribute, *helium.NamespaceNodeWrapper:
		parent := node.Parent()
		if IsNilNode(parent) {
			return nil, nil
		}
		var result []helium.Node
		for s := parent.PrevSibling(); s != nil; s = s.PrevSibling() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !IsXDMChild(s) {
				continue
			}
			if err := collectDescendantsReverse(ctx, s, &result, maxNodes); err != nil {
				return nil, err
			}
			if err := appendAxisNode(&result, s, maxNodes); err != nil {
				return nil, err
			}
		}
		for p := parent.Parent(); p != nil; p = p.Parent() {
			for s := p.PrevSibling(); s != nil; s = s.PrevSibling() {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				if !IsXDMChild(s) {
					continue
				}
				if err := collectDescendantsReverse(ctx, s, &result, maxNodes); err != nil {
					return nil, err
				}
				if err := appendAxisNode(&result, s, maxNodes); err != nil {
					return nil, err
				}
			}
		}
		return result, nil
	}

	var result []helium.Node
	for s := node.PrevSibling(); s != nil; s = s.PrevSibling() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !IsXDMChild(s) {
			continue
		}
		if err := collectDescendantsReverse(ctx, s, &result, maxNodes); err != nil {
			return nil, err
		}
		if err := appendAxisNode(&result, s, maxNodes); err != nil {
			return nil, err
		}
	}
	for p := node.Parent(); p != nil; p = p.Parent() {
		for s := p.PrevSibling(); s != nil; s = s.PrevSibling() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if !IsXDMChild(s) {
				continue
			}
			if err := collectDescendantsReverse(ctx, s, &result, maxNodes); err != nil {
				return nil, err
			}
			if err := appendAxisNode(&result, s, maxNodes); err != nil {
				return nil, err
			}
		}
	}
	return result, nil
}

func collectDescendantsReverse(ctx context.Context, node helium.Node, result *[]helium.Node, maxNodes int) error {
	type frame struct {
		node     helium.Node
		expanded bool
	}

	var stack []frame
	for c := range helium.Children(node) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if IsXDMChild(c) {
			stack = append(stack, frame{node: c})
		}
	}
	for len(stack) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		last := len(stack) - 1
		cur := stack[last]
		stack = stack[:last]

		if cur.expanded {
			if err := appendAxisNode(result, cur.node, maxNodes); err != nil {
				return err
			}
			continue
		}

		stack = append(stack, frame{node: cur.node, expanded: true})
		for child := cur.node.FirstChild(); child != nil; child = child.NextSibling() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if IsXDMChild(child) {
				stack = append(stack, frame{node: child})
			}
		}
	}
	return nil
}

func axisAttribute(ctx context.Context, node helium.Node) ([]helium.Node, error) {
	elem, ok := node.(*helium.Element)
	if !ok {
		return nil, nil
	}
	// Keep the zero-attribute case allocation-free; the small append growth
	// cost for the common 1-3 attribute case is an acceptable tradeoff here.
	var result []helium.Node
	var ctxErr error
	elem.ForEachAttribute(func(attr *helium.Attribute) bool {
		if err := ctx.Err(); err != nil {
			ctxErr = err
			return false
		}
		result = append(result, attr)
		return true
	})
	if ctxErr != nil {
		return nil, ctxErr
	}
	return result, nil
}

func axisNamespace(ctx context.Context, node helium.Node) ([]helium.Node, error) {
	elem, ok := node.(*helium.Element)
	if !ok {
		return nil, nil
	}

	var ancestors []helium.Node
	for cur := helium.Node(elem); cur != nil; cur = cur.Parent() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ancestors = append(ancestors, cur)
	}

	inScope, err := NamespacePrefixesInScope(ctx, ancestors)
	if err != nil {
		return nil, err
	}
	return CollectNamespaceNodes(ctx, ancestors, inScope, elem)
}

// NamespacePrefixesInScope returns a map of prefix → active (non-empty URI)
// by walking ancestors from outermost to innermost so inner declarations win.
// It checks ctx for cancellation in both its outer and inner loops so a long
// namespace::* traversal can be aborted promptly.
func NamespacePrefixesInScope(ctx context.Context, ancestors []helium.Node) (map[string]bool, error) {
	type nser interface{ Namespaces() []*helium.Namespace }
	inScope := map[string]bool{}
	for _, v := range slices.Backward(ancestors) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ns, ok := v.(nser)
		if !ok {
			continue
		}
		for _, n := range ns.Namespaces() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			inScope[n.Prefix()] = n.URI() != ""
		}
	}
	return inScope, nil
}

// CollectNamespaceNodes builds the namespace node list for an element, adding
// the xml prefix first and then ancestor-declared prefixes in document order.
// For each prefix, the innermost (closest ancestor) declaration provides the
// URI, but the output order follows document order (outermost first).
// It checks ctx for cancellation in both passes (outer and inner loops) so a
// long namespace::* traversal can be aborted promptly.
func CollectNamespaceNodes(ctx context.Context, ancestors []helium.Node, inScope map[string]bool, elem *helium.Element) ([]helium.Node, error) {
	type nser interface{ Namespaces() []*helium.Namespace }

	// First pass: find the correct namespace for each prefix (innermost wins).
	// ancestors[0] is the element itself (innermost), ancestors[len-1] outermost.
	winner := map[string]*helium.Namespace{}
	for _, anc := range ancestors {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ns, ok := anc.(nser)
		if !ok {
			continue
		}
		for _, n := range ns.Namespaces() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			prefix := n.Prefix()
			if _, found := winner[prefix]; found {
				continue // innermost already recorded
			}
			if !inScope[prefix] || n.URI() == "" {
				continue
			}
			winner[prefix] = n
		}
	}

	var result []helium.Node

	xmlNS := helium.NewNamespace("xml", "http://www.w3.org/XML/1998/namespace")
	result = append(result, helium.NewNamespaceNodeWrapper(xmlNS, elem))

	// Second pass: output in document order (outermost to innermost), but
	// use the innermost URI for each prefix.
	emitted := map[string]struct{}{"xml": {}}
	for _, v := range slices.Backward(ancestors) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ns, ok := v.(nser)
		if !ok {
			continue
		}
		for _, n := range ns.Namespaces() {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			prefix := n.Prefix()
			if _, done := emitted[prefix]; done {
				continue
			}
			w := winner[prefix]
			if w == nil {
				continue
			}
			emitted[prefix] = struct{}{}
			result = append(result, helium.NewNamespaceNodeWrapper(w, elem))
		}
	}

	return result, nil
}
