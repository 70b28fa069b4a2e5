package validate

import (
	"fmt"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/document/schema/datatype"
	"github.com/triptych-mcp/triptych/debugger/document/schema/identity"
)

// ids holds the identifiers of a document, and the references to those that did not come
// yet (part 1, section 3.15.4).
type ids struct {
	known textSet
	open  []idref
	lost  textSet // values that may be identifiers, but were not validated
	many  bool    // there are too many of these to keep
}

// An idref is a reference to an identifier.
type idref struct {
	id, attribute string
	place         *identity.Place
}

// maxLost limits the values that may be identifiers.
const maxLost = 1_000_000

// lose keeps in mind a value that was not validated.
func (d *ids) lose(value string) {
	if d.lost.size() >= maxLost {
		d.many = true
		return
	}
	d.lost.add(strings.TrimSpace(value))
}

// identifiers records the identifiers and references in a value of the current element
// or of an attribute. It returns 1 if there are identifiers.
func (v *validator) identifiers(value datatype.Value, data *datatype.Type, attribute string) int {
	if !data.HasID() && !data.HasIDREF() {
		return 0
	}
	found := 0
	value.IDs(func(id string, ref bool) {
		if ref {
			if !v.ids.known.has(id) {
				v.ids.open = append(v.ids.open, idref{id, attribute, v.place(len(v.stack) - 1)})
			}
			return
		}
		found = 1
		if !v.ids.known.add(id) {
			v.say("Duplicate key-sequence; the ID value '%s'%s is already defined elsewhere in the document.", id, inAttribute(attribute))
		}
	})
	return found
}

func inAttribute(name string) string {
	if name == "" {
		return ""
	}
	return " (attribute '" + name + "')"
}

// resolve reports the references to nothing.
func (d *ids) resolve(found *list) {
	for _, r := range d.open {
		if !d.known.has(r.id) && !d.lost.has(r.id) && !d.many {
			found.add(r.place, "", fmt.Sprintf("There is no ID/IDREF binding for the IDREF '%s'%s.", r.id, inAttribute(r.attribute)))
		}
	}
}
