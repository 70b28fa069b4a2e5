package answers

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/valkeytest"
)

// Answers in a store are read at any server, by their owner alone, and the oldest make
// room for new ones: of the same owner first.
func TestShared(t *testing.T) {
	server := valkeytest.Start(t)
	open := func() *Shared {
		s := NewShared(valkeytest.Client(t, "redis://"+server.Addr), "")
		s.all, s.each = 100, 60
		return s
	}
	one, two := open(), open()
	put := func(owner, text string) string {
		t.Helper()
		id, path, err := one.Put(t.Context(), owner, text)
		if err != nil || path != "" {
			t.Fatalf("path %q, %v", path, err)
		}
		return id
	}
	has := func(owner, id, want string) bool {
		t.Helper()
		text, err := two.Open(t.Context(), owner, id)
		if errors.Is(err, fs.ErrNotExist) {
			return false
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(io.NewSectionReader(text, 0, text.Size()))
		if err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
		return true
	}
	a, b, c := strings.Repeat("a", 30), strings.Repeat("b", 30), strings.Repeat("c", 40)
	first, second := put("anna", a), put("anna", b)
	if !has("anna", first, a) || !has("anna", second, b) || has("eve", first, a) {
		t.Error("an answer is not there for its owner alone")
	}
	third := put("anna", c) // both others together are too much with it
	if has("anna", first, a) || has("anna", second, b) || !has("anna", third, c) {
		t.Error("the oldest answers of the owner are not gone")
	}
	if _, _, err := one.Put(t.Context(), "anna", strings.Repeat("x", 61)); !errors.Is(err, host.ErrNoRoom) {
		t.Errorf("%v, want ErrNoRoom", err)
	}
	fourth := put("eve", strings.Repeat("d", 55))
	put("bob", strings.Repeat("e", 20)) // 115 in all
	if has("anna", third, c) || !has("eve", fourth, strings.Repeat("d", 55)) {
		t.Error("the oldest answer of all is not gone")
	}
}
