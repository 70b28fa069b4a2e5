package xsd

import "github.com/lestrrat-go/helium"

// An attributePlan finds the use of an attribute by its name. A use that is not
// prohibited comes before others of the same name, and a later one before an earlier.
type attributePlan struct {
	names []QName         // each name once
	uses  []*AttrUse      // by the place of their name; nil if all uses are prohibited
	place []int           // of the name of each use of the type
	index map[QName]int32 // places of names if there are many
}

// minIndexedNames is the number of names from which they are indexed.
const minIndexedNames = 8

func newAttributePlan(td *TypeDef) *attributePlan {
	p := &attributePlan{place: make([]int, len(td.Attributes))}
	for i, use := range td.Attributes {
		at := p.find(use.Name)
		if at < 0 {
			at = p.add(use.Name)
		}
		p.place[i] = at
		if !use.Prohibited {
			p.uses[at] = use
		}
	}
	return p
}

func (p *attributePlan) add(name QName) int {
	at := len(p.names)
	p.names = append(p.names, name)
	p.uses = append(p.uses, nil)
	if at == minIndexedNames {
		p.index = make(map[QName]int32, 2*minIndexedNames)
		for i, n := range p.names {
			p.index[n] = int32(i)
		}
	}
	if p.index != nil {
		p.index[name] = int32(at)
	}
	return at
}

// find returns the place of a name; negative if the type has no use of it.
func (p *attributePlan) find(name QName) int {
	if p.index != nil {
		if at, ok := p.index[name]; ok {
			return int(at)
		}
		return -1
	}
	for i := range p.names {
		if p.names[i] == name {
			return i
		}
	}
	return -1
}

// use returns the use at a place, and whether all uses of the name are prohibited.
func (p *attributePlan) use(place int) (use *AttrUse, prohibited bool) {
	if place < 0 {
		return nil, false
	}
	return p.uses[place], p.uses[place] == nil
}

// attributePlan returns the plan of a type's attributes.
func (vc *validationContext) attributePlan(td *TypeDef) *attributePlan {
	plan := vc.plan(td)
	if plan.attributes == nil {
		plan.attributes = newAttributePlan(td)
	}
	return plan.attributes
}

// attributeNamed returns the attribute of an element with a name; nil if it has none.
func attributeNamed(elem *helium.Element, local, uri string) (found *helium.Attribute) {
	elem.ForEachAttribute(func(a *helium.Attribute) bool {
		if a.LocalName() == local && a.URI() == uri {
			found = a
		}
		return found == nil
	})
	return found
}
