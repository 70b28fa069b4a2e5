package pattern

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzMatch compares the automata with a matcher that follows the tree of a pattern: it
// computes all places where a part can end.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{
		{`a|b*`, "bbb"}, {`(a|ab)(c|bcd)(d*)`, "abcd"}, {`[a-z-[aeiou]]{2,3}`, "xyz"}, {`(a*)*b{0,2}`, "aab"}, {`\i\c*`, "a-b"},
		{`[^\p{L}\s]+`, "1é"}, {`((a{0,2}b?){2}){1,3}`, "ababaab"}, {`.{2,}`, "ab\n"}, {`(a|aa){3}`, "aaaaa"}, {`()|x{0}y`, "y"},
		{`(|a){2}b+`, "ab"}, {`[😀-😂é]{1,2}`, "😁é"}, {`(a?){3}a{3}`, "aaaa"}, {`\P{IsBasicLatin}|[\-\]]`, "]"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		if len(text) > 60 || len(value) > 30 || !utf8.ValidString(value) {
			return
		}
		n, err := parse(text)
		p, err2 := Compile(text)
		if err != nil || err2 != nil {
			if err != nil && err2 == nil {
				t.Errorf("%q compiles, but: %v", text, err)
			}
			return
		}
		if n.measure(); n.size > 500 {
			return
		}
		want := n.ends(value, map[int]bool{0: true})[len(value)]
		for range 2 { // with new states, and with those that are there
			if got, err := p.Match(value); err != nil || got != want {
				t.Errorf("%q matches %q: %v, want %v (%v)", text, value, got, want, err)
			}
		}
		small := newMachine(newProgram(n))
		small.cost = maxStates + 1 // so that the first step forgets the states
		if got, err := small.match(value); err != nil || got != want {
			t.Errorf("%q matches %q: %v, want %v, after a reset", text, value, got, want)
		}
	})
}

// ends returns the places where n can end if it starts at some places.
func (n *node) ends(text string, starts map[int]bool) map[int]bool {
	ends := map[int]bool{}
	switch n.op {
	case class:
		for at := range starts {
			if r, size := utf8.DecodeRuneInString(text[at:]); size > 0 && n.set.has(r) {
				ends[at+size] = true
			}
		}
	case sequence:
		ends = starts
		for _, part := range n.parts {
			ends = part.ends(text, ends)
		}
	case choice:
		for _, part := range n.parts {
			for at := range part.ends(text, starts) {
				ends[at] = true
			}
		}
	case repetition:
		most := n.max
		if most == infinite {
			most = n.min + len(text) + 1
		}
		at := starts
		for i := 0; i <= most && len(at) > 0; i++ {
			if i >= n.min {
				for end := range at {
					ends[end] = true
				}
			}
			at = n.parts[0].ends(text, at)
		}
	}
	return ends
}

// TestMemory uses patterns whose machines together take more memory than is kept, twice.
func TestMemory(t *testing.T) {
	var all []*Pattern
	for i := range 30 {
		p, err := Compile(strings.Repeat("a", i) + `b{30000}[ab]{0,20000}`)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for range 2 {
		for i, p := range all {
			if ok, err := p.Match(strings.Repeat("a", i) + strings.Repeat("b", 30_010)); !ok || err != nil {
				t.Fatal(ok, err)
			}
			machines.mu.Lock()
			total := machines.total
			machines.mu.Unlock()
			if total > maxMachines {
				t.Fatalf("the machines take %d bytes", total)
			}
		}
	}
	made := 0
	for _, p := range all {
		if p.machine != nil {
			made++
		}
	}
	if made == 0 || made == len(all) {
		t.Errorf("%d of %d machines are kept", made, len(all))
	}
}
