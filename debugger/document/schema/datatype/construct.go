package datatype

import "slices"

// maxCost limits the types that a value may have to be compared with: the members of
// unions, and their members.
const maxCost = 10_000

// NewList returns the type of lists of items. Its base is anySimpleType.
func NewList(name Name, item *Type) (*Type, []Problem) {
	return newList(name, item, builtins["anySimpleType"])
}

func newList(name Name, item, base *Type) (*Type, []Problem) {
	t := &Type{name: name, base: base, variety: List, item: item, contextual: item.contextual, ids: item.ids, refs: item.refs, cost: item.cost}
	t.facets.white, t.facets.whiteFixed = collapse, true
	if item.holdsList() {
		t.item = base
		return t, []Problem{{-1, "The items of a list cannot be lists."}}
	}
	return t, nil
}

// holdsList reports whether values of the type may be lists.
func (t *Type) holdsList() bool {
	return t.variety == List || slices.ContainsFunc(t.members, (*Type).holdsList)
}

// NewUnion returns the type that has the values of all members. Its base is
// anySimpleType.
func NewUnion(name Name, members []*Type) (*Type, []Problem) {
	t := &Type{name: name, base: builtins["anySimpleType"], variety: Union}
	for _, m := range members {
		if slices.Contains(t.members, m) {
			continue
		}
		if t.cost+m.cost > maxCost {
			return t, []Problem{{-1, "The union has more than 10000 member types, with their own."}}
		}
		t.members = append(t.members, m)
		t.cost += m.cost
		t.contextual, t.ids, t.refs = t.contextual || m.contextual, t.ids || m.ids, t.refs || m.refs
	}
	return t, nil
}
