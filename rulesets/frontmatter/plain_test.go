package frontmatter

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// Front matter as this program writes it needs no general parser.
func TestPlain(t *testing.T) {
	for text, want := range map[string]bool{
		"name: go_style\ndescription: How we write Go, and why\ntags: [go, style]\ncreated_at: 2025-10-29 10:30:00\n": true,
		"tags: []\n":             true,
		"description: It's fine": true,
		"":                       false,
		"description: a: b\n":    false,
		"description: a #b\n":    false,
		"description: null\n":    false,
		"description: 'a'\n":     true,
		"description: 'a b'\n":   false,
		"globs: ['**/*.go', \"*.mod\", src/**/*.go]\norder: 10\nroot: true\n": true,
		"globs: [a, b''c]\n":                false,
		"order: 010\n":                      false,
		"order: 0x1\n":                      false,
		"description: a \n":                 false,
		"description: a\n  b\n":             false,
		"description:\n":                    false,
		"created_at: 2025-13-29 10:30:00\n": false,
		"tags: [a, True]\n":                 false,
		"tags: [a, [b]]\n":                  false,
		"tags: [a,]\n":                      false,
		"globs: **/*.go\n":                  false,
		"true: a\n":                         false,
		"# a\n":                             false,
	} {
		if _, ok := Plain(text); ok != want {
			t.Errorf("%q: %t", text, ok)
		}
	}
}

// A plain front matter has the node that package yaml makes of it.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{
		"name: a\ndescription: Words, (and) more; it's  wide\ntags: [go, C-style, a/b+c.d]\ncreated_at: 2025-10-29 10:30:00\n",
		"a: b\na: b\n", "Y: no\nn: on\n", "a: b-\nc: d -e\n", "a: b'\n", "a: x ,y\n", "a: 0001-02-29 10:30:00\n", "a: ['x', \"y\", z*]\nb: 0\nc: 999999999\nd: false\n", "a: '#x'\n", "a: []", "a: e1\nb: E+1\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := Plain(text)
		if !ok {
			return
		}
		var want yaml.Node
		if err := yaml.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want.Content[0], got); diff != "" {
			t.Errorf("%q (-yaml +plain):\n%s", text, diff)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for name, text := range map[string]string{
		"plain": "globs: [src/**/*.go, '*.mod']\norder: 10\n", "general": "globs: [src/**/*.go, '*.mod']\norder: 10 # late\n",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if f, _ := Parse(text); f.Order != 10 {
					b.Fatal(f)
				}
			}
		})
	}
}
