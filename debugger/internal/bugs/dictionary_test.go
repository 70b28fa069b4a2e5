package bugs

import (
	"slices"
	"testing"
)

func TestNameWords(t *testing.T) {
	for name, want := range map[string][]string{
		"lua_gettable":      {"lua", "gettable"},
		"readHTTPBody":      {"read", "HTTP", "Body"},
		"MultiByteToWide":   {"Multi", "Byte", "Wide"},
		"CP_UTF8":           {"UTF8"},
		"i":                 nil,
		"__init__":          {"init"},
		`"no such key: %s"`: {"such", "key"},
		"größeÄndern":       {"größe", "Ändern"},
		"\xff\xfeabc\xff":   {"abc"},
	} {
		if got := nameWords(name); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// Equal names have one number, and words are names of one word in small letters.
func TestDictionary(t *testing.T) {
	d := newDictionary()
	ids := d.number([]string{"readBody", "body", "read_body", "readBody"})
	if ids[0] != ids[3] || ids[0] == ids[2] || slices.Contains(ids, 0) {
		t.Errorf("got %v, want the first and last alike, and none 0", ids)
	}
	parts := d.snapshot()
	if !slices.Equal(parts[ids[0]], parts[ids[2]]) || parts[ids[0]][1] != ids[1] {
		t.Errorf("readBody has %v and read_body %v, want read and body (%d)", parts[ids[0]], parts[ids[2]], ids[1])
	}
	if got := d.text(ids[2]); got != "read_body" {
		t.Errorf("got %q, want read_body", got)
	}
	if d.size() <= 0 {
		t.Error("it takes no memory")
	}
}
