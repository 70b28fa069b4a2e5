package xsd

import (
	"cmp"
	"slices"
)

// minIndexed is the number of alternatives from which a choice is indexed.
const minIndexed = 8

// A choiceIndex finds the alternatives of a choice that may consume a child by the
// child's name, so that a choice of thousands is not searched for each child.
type choiceIndex struct {
	named  map[QName][]int // elements that no others substitute, by their place
	others []int           // places of all other particles
}

// consumers returns the particles of mg that may consume children[pos], in the order
// of their declaration. Others may still match without consuming anything.
func (vc *validationContext) consumers(mg *ModelGroup, children []childElem, pos int) []*Particle {
	if len(mg.Particles) < minIndexed {
		return mg.Particles
	}
	if pos >= len(children) {
		return nil
	}
	index, ok := vc.choices[mg]
	if !ok {
		index = newChoiceIndex(mg, vc.schema)
		if vc.choices == nil {
			vc.choices = map[*ModelGroup]*choiceIndex{}
		}
		vc.choices[mg] = index
	}
	places := index.named[QName{Local: children[pos].name, NS: children[pos].ns}]
	if len(index.others) > 0 {
		places = slices.Concat(places, index.others)
		slices.SortFunc(places, cmp.Compare)
	}
	particles := make([]*Particle, len(places))
	for i, place := range places {
		particles[i] = mg.Particles[place]
	}
	return particles
}

func newChoiceIndex(mg *ModelGroup, schema *Schema) *choiceIndex {
	index := &choiceIndex{named: map[QName][]int{}}
	for i, p := range mg.Particles {
		decl, ok := p.Term.(*ElementDecl)
		if ok && (schema == nil || len(instanceSubstMembers(decl, schema)) == 0) {
			index.named[decl.Name] = append(index.named[decl.Name], i)
			continue
		}
		index.others = append(index.others, i)
	}
	return index
}
