package identity

// attributes holds the fields that attributes of the current element may be selected by.
type attributes struct {
	all    []selection
	byName map[Name][]selection // of tests of one name, if there are many
	others []selection          // of the other tests, if there are many
	turn   int                  // counts the attributes
}

// A selection is a field that selects the attributes that pass a test.
type selection struct {
	test  *nameTest
	field *field
}

// few is the number of selections that are compared one by one.
const few = 16

func (a *attributes) reset() {
	if len(a.all) == 0 {
		return
	}
	clear(a.all)
	clear(a.others)
	a.all, a.byName, a.others = a.all[:0], nil, a.others[:0]
}

func (a *attributes) add(test *nameTest, f *field) { a.all = append(a.all, selection{test, f}) }

func (a *attributes) any() bool { return len(a.all) > 0 }

// set sets the values of the fields that select an attribute, and returns the number of
// selections that it compared.
func (a *attributes) set(name Name, v Value) int {
	a.turn++
	if len(a.all) <= few {
		return a.compare(a.all, name, v)
	}
	if a.byName == nil {
		a.index()
	}
	return a.compare(a.byName[name], name, v) + a.compare(a.others, name, v)
}

// index sorts the selections by the names of their tests.
func (a *attributes) index() {
	a.byName = map[Name][]selection{}
	for _, s := range a.all {
		if s.test.anySpace || s.test.anyOne {
			a.others = append(a.others, s)
		} else {
			a.byName[s.test.name] = append(a.byName[s.test.name], s)
		}
	}
}

// compare sets the fields, each once for an attribute.
func (a *attributes) compare(some []selection, name Name, v Value) int {
	for _, s := range some {
		if s.field.turn != a.turn && s.test.matches(name) {
			s.field.turn = a.turn
			s.field.set(v)
		}
	}
	return 1 + len(some)
}
