package document_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

func TestRoots(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"one/a.xml": "<one/>", "one/sub/b.xml": "<b/>", "two/a.xml": "<two/>", "two/c.xml": "<c/>",
		"secret.xml": "<secret/>", "oneness/d.xml": "<d/>",
	})
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(one, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	link("sub/b.xml", "inside.xml")
	link(filepath.Join(one, "sub/b.xml"), "absolute.xml")
	link("../two/c.xml", "other-root.xml")
	link("../secret.xml", "outside.xml")
	link("../gone.xml", "outside-and-gone.xml")
	link("gone.xml", "dangling.xml")
	link("..", "up")
	link("loop.xml", "loop.xml")
	linked := filepath.Join(dir, "linked")
	if err := os.Symlink(one, linked); err != nil {
		t.Fatal(err)
	}
	lib := open(t, document.Config{Roots: []string{linked, two}})
	permission, notFound := new(*document.PermissionError), new(*document.NotFoundError)
	tests := []struct {
		path string
		want any // the root element's name, or a pointer to the type of the error
	}{
		{"a.xml", "one"}, // the first root that has it
		{"c.xml", "c"},
		{"./sub/../sub/b.xml", "b"},
		{filepath.Join(linked, "a.xml"), "one"},
		{filepath.Join(one, "a.xml"), "one"},
		{filepath.Join(two, "a.xml"), "two"},
		{"inside.xml", "b"},
		{"absolute.xml", "b"},
		{"other-root.xml", "c"},

		{"outside.xml", permission},
		{"outside-and-gone.xml", permission},
		{"up/secret.xml", permission},
		{"../secret.xml", permission},
		{"sub/../../secret.xml", permission},
		{filepath.Join(dir, "secret.xml"), permission},
		{filepath.Join(dir, "gone.xml"), permission},
		{filepath.Join(one, "..", "secret.xml"), permission},
		{filepath.Join(dir, "oneness/d.xml"), permission},
		{"/etc/passwd", permission},
		{"/proc/self/environ", permission},
		{"sub", permission},
		{"loop.xml", nil},

		{"gone.xml", notFound},
		{"dangling.xml", notFound},
		{"sub/b.xml/c.xml", nil},
		{"", permission}, // the root itself
		{"a\x00.xml", notFound},
		{strings.Repeat("x", 5000), nil},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			got, err := lib.Query(t.Context(), document.QueryRequest{Document: test.path, Query: "local-name(/*)"})
			if want, ok := test.want.(string); ok {
				if err != nil || got.Items[0].Value != want {
					t.Errorf("got %v %v, want the element %s", got.Items, err, want)
				}
				return
			}
			if err == nil || test.want != nil && !errors.As(err, test.want) {
				t.Errorf("got %v, %T %v, want %T", got.Items, err, err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "<secret/>") {
				t.Errorf("the error %v has the secret", err)
			}
		})
	}
}

func TestOpenWithoutRoot(t *testing.T) {
	if _, err := document.Open(document.Config{Roots: []string{filepath.Join(t.TempDir(), "gone")}}, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want an error for the root that is not there", err)
	}
}

// A name that the file system cannot have is the caller's error, and no error tells
// where the root lies.
func TestErrorsDoNotTellTheRoot(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("loop.xml", filepath.Join(dir, "loop.xml")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	lib := open(t, document.Config{Roots: []string{dir}})
	long := strings.Repeat("x", 256)
	for _, path := range []string{long, "a/" + long, strings.Repeat("x/", 3000) + "x", "loop.xml", "gone.xml", "."} {
		_, err := lib.Query(t.Context(), document.QueryRequest{Document: path, Query: "/"})
		if err == nil || strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "openat") {
			t.Errorf("%.20s: got %v, want an error without the root", path, err)
		}
		if _, ok := errors.AsType[*document.LimitError](err); ok != (path == long) {
			t.Errorf("%.20s: got %T", path, err)
		}
	}
}
