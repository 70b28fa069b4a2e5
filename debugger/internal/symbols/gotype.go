package symbols

// Kinds of Go's types, as its compiler writes them down: package reflect's.
const (
	goChan      = 18
	goFunc      = 19
	goInterface = 20
	goMap       = 21
	goPointer   = 22
	goSliceKind = 23
	goString    = 24
)

// goType goes through names to the type that says its kind. A map is a name for
// a pointer; what counts is said at the name.
func (t *Type) goType() *Type {
	for range maxRenames {
		if t.goKind >= goChan && t.goKind <= goString || t.Kind != KindTypedef {
			break
		}
		t = t.Elem()
	}
	return t
}

func (t *Type) isGoMap() bool { return t.Lang == Go && t.goType().goKind == goMap }
