package editors

import (
	"slices"
	"strings"
)

// A meaning is the sense of a front matter for a client.
type meaning struct {
	activation  Activation
	globs       []string
	description string
}

// read returns the meaning of a front matter in a folder's fields.
func (f *Folder) read(m *mapping) meaning {
	var got meaning
	always := false
	for _, field := range f.Fields {
		switch {
		case field.Kind == Description:
			got.description = m.scalar(field.Key)
		case field.Kind == Mode:
			got.activation = f.activationOf(m.scalar(field.Key))
		case field.Kind == AlwaysApply:
			always = m.truth(field.Key)
		case field.Kind.isGlobs():
			got.globs = m.list(field.Key)
		}
	}
	switch {
	case got.activation == Glob && len(got.globs) == 0:
		got.activation = Manual // no file matches
	case got.activation != "":
	case always:
		got.activation = Always
	case len(got.globs) > 0:
		got.activation = f.scoped(got.globs)
	case got.description != "" && f.Described != "":
		got.activation = f.Described
	default:
		got.activation = f.Bare
	}
	return got
}

// scoped is the activation of a file with globs. Where Always has globs of its own,
// globs that match every file mean that.
func (f *Folder) scoped(globs []string) Activation {
	if f.spellsAlways() && (matchesAll(globs) || slices.Contains(globs, "*")) {
		return Always
	}
	return Glob
}

// spellsAlways reports whether [Always] is written as a glob.
func (f *Folder) spellsAlways() bool {
	hasOther, inGlobs := false, false
	for _, field := range f.Fields {
		hasOther = hasOther || field.Kind == Mode || field.Kind == AlwaysApply
		inGlobs = inGlobs || field.Kind.isGlobs() && slices.Contains(field.When, Always)
	}
	return inGlobs && !hasOther
}

func (f *Folder) activationOf(mode string) Activation {
	for _, a := range []Activation{Always, Glob, Auto, Manual} {
		if mode != "" && f.Modes[a] == mode {
			return a
		}
	}
	return ""
}

// front returns the front matter of a rule that is loaded as act, without fences. It
// begins with head, of which it changes only what means something else.
func (f *Folder) front(r Rule, act Activation, head string, derived string) string {
	m := splitMapping(head)
	if head == "" || !f.means(&m, r, act, derived) {
		for _, field := range f.Fields {
			f.setField(&m, field, r, act)
		}
	}
	return m.String()
}

// means reports whether a front matter has the meaning of a rule. A description that
// it leaves out may be the one derived from the body.
func (f *Folder) means(m *mapping, r Rule, act Activation, derived string) bool {
	got := f.read(m)
	if !f.activates(got, r, act) || act == Glob && !slices.Equal(got.globs, r.Globs) {
		return false
	}
	i := slices.IndexFunc(f.Fields, func(field Field) bool { return field.Kind == Description })
	if i < 0 || !f.Fields[i].writtenFor(act) {
		return true
	}
	return oneLine(got.description) == oneLine(r.Description) || got.description == "" && r.Description == derived
}

// activates reports whether a file is loaded as act. Where globs spell [Always], those
// of a rule with globs may happen to do so.
func (f *Folder) activates(got meaning, r Rule, act Activation) bool {
	return got.activation == act || act == Glob && got.activation == Always && f.spellsAlways() && slices.Equal(got.globs, r.Globs)
}

func (field Field) writtenFor(act Activation) bool {
	return len(field.When) == 0 || slices.Contains(field.When, act)
}

// setField makes a front matter have a field, or not have it.
func (f *Folder) setField(m *mapping, field Field, r Rule, act Activation) {
	text, same := "", false
	switch {
	case !field.writtenFor(act):
	case field.Kind == Description:
		text, same = textLine(field.Key, r.Description), oneLine(m.scalar(field.Key)) == oneLine(r.Description)
	case field.Kind == Name:
		text, same = textLine(field.Key, r.Name.Slug()), m.scalar(field.Key) != ""
	case field.Kind == Mode:
		text, same = textLine(field.Key, f.Modes[act]), m.scalar(field.Key) == f.Modes[act]
		same = same || act == f.Bare && f.read(m).activation == act && m.index(field.Key) < 0 && len(m.items) > 0
	case field.Kind == AlwaysApply:
		want := act == Always
		text, same = field.Key+": "+map[bool]string{true: "true", false: "false"}[want]+"\n", m.index(field.Key) >= 0 && m.truth(field.Key) == want
	case field.Kind.isGlobs():
		globs := r.Globs
		if act == Always && f.spellsAlways() {
			globs = []string{"**"}
		}
		have := m.list(field.Key)
		text = globsText(field, globs)
		same = slices.Equal(have, globs) || act == Always && f.spellsAlways() && f.scoped(have) == Always
	}
	switch {
	case same && m.index(field.Key) >= 0:
	case text != "":
		m.set(field.Key, text)
	case m.scalar(field.Key) != "" || len(m.list(field.Key)) > 0:
		m.delete(field.Key)
	}
}

func textLine(key, value string) string {
	if value == "" {
		return ""
	}
	return key + ": " + yamlText(oneLine(value)) + "\n"
}

// globsText returns a field with globs in the form of its kind.
func globsText(field Field, globs []string) string {
	switch {
	case len(globs) == 0:
		return ""
	case field.Kind == RawGlobs:
		return field.Key + ": " + strings.Join(globs, ",") + "\n"
	case field.Kind == CommaGlobs:
		return field.Key + ": " + quoted(strings.Join(globs, ",")) + "\n"
	case field.Kind == EitherGlobs && len(globs) == 1:
		return field.Key + ": " + quoted(globs[0]) + "\n"
	}
	return listText(field.Key, globs)
}

// addKeys adds keys that only this client reads.
func addKeys(front, keys string) string {
	if keys == "" {
		return front
	}
	m := splitMapping(front)
	own := splitMapping(keys)
	for _, it := range own.items {
		if it.key != "" {
			m.set(it.key, it.text)
		}
	}
	return m.String()
}

// without returns the lines of a front matter whose keys are not among those of the
// fields.
func (f *Folder) without(m *mapping) string {
	var b strings.Builder
	for _, it := range m.items {
		known := slices.ContainsFunc(f.Fields, func(field Field) bool { return field.Key == it.key })
		if it.key != "" && !known {
			b.WriteString(it.text)
		}
	}
	return b.String()
}
