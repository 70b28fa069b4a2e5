package component

import (
	"slices"
	"strings"
)

// A Wildcard admits names by their namespaces (part 1, section 3.10.1).
type Wildcard struct {
	Kind    NamespaceKind
	Not     string   // the namespace that Other excludes, beside none
	Spaces  []string // that Listed admits; "" is none
	Process Process
	Text    string // how the schema document spells it, for messages
}

// A NamespaceKind is a form of a namespace constraint.
type NamespaceKind uint8

// The forms of a namespace constraint.
const (
	Any    NamespaceKind = iota
	Other                // all but Not and no namespace
	Listed               // one of Spaces
)

// Admits reports whether w admits names of a namespace.
func (w *Wildcard) Admits(space string) bool {
	switch w.Kind {
	case Any:
		return true
	case Other:
		return space != "" && space != w.Not
	}
	return slices.Contains(w.Spaces, space)
}

// Within reports whether w admits no namespace that super does not admit (3.10.6,
// Wildcard Subset).
func (w *Wildcard) Within(super *Wildcard) bool {
	switch {
	case super.Kind == Any:
		return true
	case w.Kind == Any:
		return false
	case w.Kind == Other:
		return super.Kind == Other && super.Not == w.Not
	}
	return !slices.ContainsFunc(w.Spaces, func(s string) bool { return !super.Admits(s) })
}

// Overlaps reports whether some name is admitted by both.
func (w *Wildcard) Overlaps(v *Wildcard) bool {
	switch {
	case w.Kind == Listed:
		return slices.ContainsFunc(w.Spaces, v.Admits)
	case v.Kind == Listed:
		return slices.ContainsFunc(v.Spaces, w.Admits)
	}
	return true // of all namespaces at most two are excluded
}

// Intersect returns what both admit, with the processing of w, and whether that can be
// expressed (3.10.6, Attribute Wildcard Intersection).
func (w *Wildcard) Intersect(v *Wildcard) (*Wildcard, bool) {
	switch {
	case v.Kind == Any || w.equals(v):
		return w, true
	case w.Kind == Any:
		return v.processedAs(w), true
	case w.Kind == Listed:
		return w.listed(slices.DeleteFunc(slices.Clone(w.Spaces), func(s string) bool { return !v.Admits(s) })), true
	case v.Kind == Listed:
		return w.listed(slices.DeleteFunc(slices.Clone(v.Spaces), func(s string) bool { return !w.Admits(s) })), true
	case v.Not == "":
		return w, true
	case w.Not == "":
		return v.processedAs(w), true
	}
	return nil, false
}

// Unite returns what either admits, with the processing of w, and whether that can be
// expressed (3.10.6, Attribute Wildcard Union).
func (w *Wildcard) Unite(v *Wildcard) (*Wildcard, bool) {
	switch {
	case w.Kind == Any || w.equals(v):
		return w, true
	case v.Kind == Any:
		return v.processedAs(w), true
	case w.Kind == Listed && v.Kind == Listed:
		all := slices.Clone(w.Spaces)
		for _, s := range v.Spaces {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
		return w.listed(all), true
	case w.Kind == Other && v.Kind == Other:
		return (&Wildcard{Kind: Other}).processedAs(w), true
	case w.Kind == Other:
		return uniteOther(w, v, w)
	}
	return uniteOther(v, w, w)
}

// uniteOther unites what all but a namespace with a list, for the processing of one.
func uniteOther(other, list, like *Wildcard) (*Wildcard, bool) {
	hasNot, hasNone := slices.Contains(list.Spaces, other.Not), slices.Contains(list.Spaces, "")
	if other.Not == "" {
		hasNot = hasNone
	}
	switch {
	case hasNot && hasNone:
		return (&Wildcard{Kind: Any}).processedAs(like), true
	case hasNot:
		return (&Wildcard{Kind: Other}).processedAs(like), true
	case hasNone:
		return nil, false
	}
	return other.processedAs(like), true
}

func (w *Wildcard) listed(spaces []string) *Wildcard {
	return (&Wildcard{Kind: Listed, Spaces: spaces}).processedAs(w)
}

// processedAs returns w with the processing of like.
func (w *Wildcard) processedAs(like *Wildcard) *Wildcard {
	c := *w
	c.Process = like.Process
	c.Text = c.describe()
	return &c
}

func (w *Wildcard) equals(v *Wildcard) bool {
	return w.Kind == v.Kind && (w.Kind != Other || w.Not == v.Not) && (w.Kind != Listed || sameSet(w.Spaces, v.Spaces))
}

func sameSet(a, b []string) bool {
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
	}
	return within(a, b) && within(b, a)
}

// describe spells the namespaces for messages.
func (w *Wildcard) describe() string {
	switch w.Kind {
	case Any:
		return "##any"
	case Other:
		return "##other"
	}
	var all []string
	for _, s := range w.Spaces {
		if s == "" {
			s = "##local"
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}
