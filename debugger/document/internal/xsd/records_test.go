package xsd

import (
	"testing"

	"github.com/lestrrat-go/helium"
)

// Records are found again however elements are numbered: in order, several on a line, and
// before the first one that was recorded.
func TestRecords(t *testing.T) {
	doc, err := helium.NewParser().Parse(t.Context(), []byte(`<r><a x="1"/><b x="2" y="3"/><c/><d/></r>`))
	if err != nil {
		t.Fatal(err)
	}
	var all []*helium.Element
	if err := walkTree(doc, func(n helium.Node) error {
		if e, ok := n.(*helium.Element); ok {
			all = append(all, e)
		}
		return nil
	}); err != nil || len(all) != 5 {
		t.Fatalf("walked over %d elements, %v", len(all), err)
	}
	for _, lines := range [][]int{{1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}, {5, 4, 3, 2, 1}, {0, 0, 1 << 40, 7, 100_000}} {
		var r records
		types := map[*helium.Element]*TypeDef{}
		for i, e := range all {
			e.SetLine(lines[i])
			if r.get(e) != nil {
				t.Errorf("lines %v: element %d has a record before one was made", lines, i)
			}
			types[e] = &TypeDef{}
			r.of(e).actual = types[e]
			for _, a := range e.Attributes() {
				if r.attribute(a) != nil {
					t.Errorf("lines %v: %s has a record before one was made", lines, a.LocalName())
				}
				r.assess(a).td = types[e]
			}
		}
		for i, e := range all {
			if got := r.get(e); got == nil || got.actual != types[e] || len(got.attributes) != len(e.Attributes()) {
				t.Errorf("lines %v: element %d has the record %+v", lines, i, got)
			}
			for _, a := range e.Attributes() {
				if got := r.attribute(a); got == nil || got.td != types[e] {
					t.Errorf("lines %v: %s has the record %+v", lines, a.LocalName(), got)
				}
			}
		}
	}
}
