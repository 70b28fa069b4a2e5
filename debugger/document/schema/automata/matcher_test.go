package automata

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document/schema/component"
)

var letters = []Name{{Local: "a"}, {Local: "b"}, {Local: "c"}}

// randomParticle makes a particle of elements with the given declarations.
func randomParticle(r *rand.Rand, decls []*component.Element, depth int) *component.Particle {
	bounds := [][2]int{{1, 1}, {1, 1}, {0, 1}, {0, component.Unbounded}, {1, component.Unbounded}, {2, 3}, {0, 2}, {2, component.Unbounded}}
	b := bounds[r.IntN(len(bounds))]
	p := &component.Particle{Min: b[0], Max: b[1], Term: decls[r.IntN(len(decls))]}
	if depth == 0 || r.IntN(3) == 0 {
		return p
	}
	g := &component.Group{Kind: component.Compositor(r.IntN(2))}
	for range r.IntN(4) {
		g.Particles = append(g.Particles, randomParticle(r, decls, depth-1))
	}
	p.Term = g
	return p
}

// ends returns where the matches of a particle in word may end that begin at one of at,
// by trying everything.
func ends(p *component.Particle, word []Name, at map[int]bool) map[int]bool {
	now, all := at, map[int]bool{}
	for n := 0; ; n++ {
		if n >= p.Min {
			for i := range now {
				all[i] = true
			}
		}
		if len(now) == 0 || n == p.Max || n > p.Min+len(word) {
			return all
		}
		now = once(p.Term, word, now)
	}
}

func once(t component.Term, word []Name, at map[int]bool) map[int]bool {
	after := map[int]bool{}
	switch t := t.(type) {
	case *component.Element:
		for i := range at {
			if i < len(word) && word[i] == t.Name {
				after[i+1] = true
			}
		}
	case *component.Group:
		if t.Kind == component.Sequence {
			for _, p := range t.Particles {
				at = ends(p, word, at)
			}
			return at
		}
		for _, p := range t.Particles {
			for i := range ends(p, word, at) {
				after[i] = true
			}
		}
	}
	return after
}

// A matcher accepts what a search through all ways accepts.
func TestMatcher(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var decls []*component.Element
	for _, name := range letters {
		decls = append(decls, &component.Element{Name: name, Type: component.AnyType})
	}
	schema := component.NewSchema(nil)
	accepted := 0
	for range 3000 {
		p := randomParticle(r, decls, 3)
		m, err := New(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Index(); err != nil {
			t.Fatal(err)
		}
		run := NewRunner(schema)
		for range 30 {
			word := make([]Name, r.IntN(8))
			for i := range word {
				word[i] = letters[r.IntN(len(letters))]
			}
			got := true
			x := run.Start(m)
			for _, name := range word {
				if _, got = x.Next(name); !got {
					break
				}
			}
			got = got && x.End()
			want := ends(p, word, map[int]bool{0: true})[len(word)]
			if got != want {
				t.Fatalf("%v of %s: %v, want %v", word, describe(p), got, want)
			}
			if got {
				accepted++
			}
		}
	}
	if accepted < 1000 {
		t.Errorf("only %d words were accepted", accepted)
	}
}

// TestEmptyAlternative has choices between an empty sequence and an element, and between
// nothing at all (part 1, section 3.8.4).
func TestEmptyAlternative(t *testing.T) {
	a := &component.Particle{Min: 1, Max: 1, Term: &component.Element{Name: letters[0], Type: component.AnyType}}
	group := func(kind component.Compositor, members ...*component.Particle) *component.Particle {
		return &component.Particle{Min: 1, Max: 1, Term: &component.Group{Kind: kind, Particles: members}}
	}
	empty := group(component.Sequence)
	for _, c := range []struct {
		particle *component.Particle
		nullable bool
	}{
		{group(component.Choice, empty, a), true},
		{group(component.Choice, a, group(component.Choice, a, empty)), true},
		{group(component.Sequence, a, group(component.Choice, empty, a)), false},
		{group(component.Choice, empty), true},
		{group(component.Choice), false},
	} {
		m, err := New(c.particle)
		if err != nil || m.Nullable() != c.nullable {
			t.Errorf("%s may be empty: %v, want %v (%v)", describe(c.particle), !c.nullable, c.nullable, err)
		}
	}
}

// TestManyMoves has a choice of many elements: of those that fit in place of another one
// only some are looked at.
func TestManyMoves(t *testing.T) {
	g := &component.Group{Kind: component.Choice}
	for i := range 50_000 {
		g.Particles = append(g.Particles, &component.Particle{Min: 1, Max: 1, Term: &component.Element{Name: Name{Local: fmt.Sprint("e", i)}, Type: component.AnyType}})
	}
	m, err := New(&component.Particle{Min: 0, Max: component.Unbounded, Term: g})
	if err != nil || m.Index() != nil {
		t.Fatal(err)
	}
	r := NewRunner(component.NewSchema(nil))
	x := r.Start(m)
	for i := range 3 * maxKept / 2 {
		name := Name{Local: fmt.Sprint("e", i%50_000)}
		if _, ok := x.Next(name); !ok {
			t.Fatalf("%s does not fit", name)
		}
		if i%10 == 0 && len(r.transitions(m, x.now[0].leaf, Name{}, byPlace)) != maxLoose {
			t.Fatalf("%d moves from %s, want %d", len(r.transitions(m, x.now[0].leaf, Name{}, byPlace)), name, maxLoose)
		}
		kept := 0
		if i%10_000 == 0 {
			for _, moves := range r.moves {
				kept += len(moves)
			}
		}
		if kept > maxKept+maxLoose {
			t.Fatalf("%d moves are kept, want at most %d", kept, maxKept)
		}
	}
}

// describe writes a particle as an expression.
func describe(p *component.Particle) string {
	text := ""
	switch t := p.Term.(type) {
	case *component.Element:
		text = t.Name.Local
	case *component.Group:
		separator := ","
		if t.Kind == component.Choice {
			separator = "|"
		}
		text = "("
		for i, member := range t.Particles {
			if i > 0 {
				text += separator
			}
			text += describe(member)
		}
		text += ")"
	}
	return fmt.Sprintf("%s{%d,%d}", text, p.Min, p.Max)
}
