package xsd

import (
	"hash/maphash"

	"github.com/lestrrat-go/helium"
	"github.com/triptych-mcp/triptych/debugger/document/internal/xsd/internal/lexicon"
)

// A typePlan holds what the validation of many elements and attributes of one type
// would otherwise find out again for each of them.
type typePlan struct {
	namespaces bool           // whether values mean something else under other namespaces
	constrains bool           // simpleContentNeedsValidation, or narrowed
	narrowed   bool           // whether a restriction of simple content gives another type to it
	attributes *attributePlan // made when the first element is validated
	recent     []string       // values that were found valid, by their hash; empty if none
}

const (
	// recentValues is the number of valid values that are remembered for a type.
	recentValues = 64
	// maxRecent limits the size of such a value.
	maxRecent = 64
)

// plan returns the plan of a type, which is shared by the validation of a document.
func (vc *validationContext) plan(td *TypeDef) *typePlan {
	if found := vc.plans[td]; found != nil {
		return found
	}
	if vc.plans == nil {
		vc.plans = map[*TypeDef]*typePlan{}
		vc.seed = maphash.MakeSeed()
	}
	narrowed := narrowsContent(td)
	made := &typePlan{
		namespaces: readsNamespaces(effectiveContentSimpleType(td), 0),
		constrains: narrowed || simpleContentNeedsValidation(td),
		narrowed:   narrowed,
	}
	vc.plans[td] = made
	return made
}

// narrowsContent reports whether a complex type with simple content, or one that it is
// derived from, restricts the content by a type or by facets of its own.
func narrowsContent(td *TypeDef) bool {
	for cur := range baseChain(td) {
		if !cur.IsSimpleContent {
			return false
		}
		if cur.ContentSimpleType != nil {
			return true
		}
	}
	return false
}

// maxVariety limits the depth of lists and unions; a deeper type is a cycle.
const maxVariety = 64

// readsNamespaces reports whether a simple type has values that are qualified names.
func readsNamespaces(td *TypeDef, depth int) bool {
	if td == nil {
		return false
	}
	if depth > maxVariety {
		return true
	}
	switch resolveVariety(td) {
	case TypeVarietyList:
		return readsNamespaces(resolveItemType(td), depth+1)
	case TypeVarietyUnion:
		for _, member := range resolveUnionMembers(td) {
			if readsNamespaces(member, depth+1) {
				return true
			}
		}
		return false
	}
	builtin := builtinBaseLocal(td)
	return builtin == lexicon.TypeQName || builtin == lexicon.TypeNotation
}

// valueNS returns the namespaces in scope that a value of a type depends on. An
// assertion of version 1.1 may depend on them for any type.
func (vc *validationContext) valueNS(elem *helium.Element, td *TypeDef) map[string]string {
	if vc.version == Version11 || vc.plan(td).namespaces {
		return collectNSContext(elem)
	}
	return nil
}

// recall reports whether a value of a type was found valid before. The place is that
// of the value in the plan, for remember; it is negative if the value is not remembered.
func (vc *validationContext) recall(plan *typePlan, value []byte) (valid bool, place int) {
	if vc.version == Version11 || plan.namespaces || len(value) == 0 || len(value) > maxRecent {
		return false, -1
	}
	place = int(maphash.Bytes(vc.seed, value) % recentValues)
	return plan.recent != nil && plan.recent[place] == string(value), place
}

// remember stores a valid value at its place.
func (p *typePlan) remember(value string, place int) {
	if place < 0 {
		return
	}
	if p.recent == nil {
		p.recent = make([]string, recentValues)
	}
	p.recent[place] = value
}
